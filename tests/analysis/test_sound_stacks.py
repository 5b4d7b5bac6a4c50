"""Stacks and heaps of sound firmware that were once refused, linked on the spot by ld.

Each image keeps them as a vendor's script and start-up code do.
"""

from pathlib import Path

import pytest

from mapinspect.checks.judge import judge
from tests.linked import link
from tests.sound import CORTEX_M, ENTRY, faults

# pico-sdk, memmap_default.ld: .stack1_dummy keeps the bytes of core 1's stack behind the
# variables of its bank, the stack lies at the bank's end.
PICO = """\
ENTRY(start)
MEMORY { FLASH (rx) : ORIGIN = 0x10000000, LENGTH = 64K
         SCRATCH_X (rwx) : ORIGIN = 0x20040000, LENGTH = 4K }
SECTIONS { .text : { *(.text) } > FLASH
           .scratch_x : { *(.scratch_x) } > SCRATCH_X AT> FLASH
           .stack1_dummy (NOLOAD) : { *(.stack1) %s } > SCRATCH_X
           __StackOneTop = ORIGIN(SCRATCH_X) + LENGTH(SCRATCH_X);
           __StackOneBottom = __StackOneTop - 2048; }
"""
PICO_SOURCE = f"""\
{ENTRY}
.section .scratch_x,"aw"
.fill 80, 1, 7
.section .stack1,"aw",%nobits
.global core1_stack
.type core1_stack, %object
.size core1_stack, 2048
core1_stack: .space 2048
"""


def test_the_dummy_that_keeps_room_for_the_second_stack_is_not_in_it(tmp_path: Path) -> None:
    assert faults(link(tmp_path, "arm", PICO % "", PICO_SOURCE)) == []


def test_variables_behind_that_dummy_are_in_the_second_stack(tmp_path: Path) -> None:
    source = f"""{PICO_SOURCE}
.section .state,"aw",%nobits
.type state, %object
.size state, 64
state: .space 64
"""
    linked = link(tmp_path, "arm", PICO % "*(.state)", source)
    assert [item.check for item in faults(linked)] == ["stack-collision"]


# A callback and what it is for, in a record called vec; the table of vectors has another name.
RECORD = f"""\
{ENTRY}
.section .isr_table,"a"
.word 0x20004000
.word start
.word start
.section .rodata,"a"
.global vec
.type vec, %object
.size vec, 8
vec: .word 0x40013800
.word start
"""
RECORDS = """\
SECTIONS {{ .isr : {{ KEEP(*(.isr_table)) . += {0}; *(.rodata) }} > FLASH
           .text : {{ *(.text) }} > FLASH
           __StackTop = ORIGIN(RAM) + LENGTH(RAM); }}
"""


@pytest.mark.parametrize(
    ("gap", "expected"),
    [
        pytest.param(4, [], id="no table begins at a multiple of 16"),
        pytest.param(128 - 12, ["stack-misplaced"], id="one may at a multiple of 128"),
    ],
)
def test_a_record_called_vec_is_no_vector_table(
    tmp_path: Path, gap: int, expected: list[str]
) -> None:
    linked = link(tmp_path, "arm", CORTEX_M + RECORDS.format(gap), RECORD)
    assert [item.check for item in faults(linked)] == expected


# ESP-IDF, memory.ld: the heap ends with the chip's RAM, behind what the linker may fill.
ESP = """\
ENTRY(main)
MEMORY {{ iram0_0_seg (RX) : ORIGIN = 0x40380000, LENGTH = 64K
         dram0_0_seg (RW) : ORIGIN = 0x3fc80000, LENGTH = 64K }}
SECTIONS {{ .iram0.text : {{ *(.text) }} > iram0_0_seg
           .dram0.bss (NOLOAD) : {{ *(.bss) _end = .; }} > dram0_0_seg
           .dram0.heap_start (NOLOAD) : {{ . = ALIGN(16); {0} }} > dram0_0_seg
           _heap_end = ORIGIN(dram0_0_seg) + LENGTH(dram0_0_seg) + 20K; }}
"""
ALLOCATING = """\
.text
.global main, malloc
main: nop
.type malloc, %function
malloc: nop
.size malloc, . - malloc
.bss
.space 64
"""


@pytest.mark.parametrize(
    ("start", "expected"),
    [
        pytest.param("_heap_start = .;", [], id="a heap that begins at its own label"),
        pytest.param("", ["stack-collision"], id="a heap that begins at _end"),
    ],
)
def test_the_heap_of_an_esp_may_end_behind_the_region(
    tmp_path: Path, start: str, expected: list[str]
) -> None:
    linked = link(tmp_path, "riscv32", ESP.format(start), ALLOCATING)
    assert [item.check for item in faults(linked)] == expected


# An allocator's _sbrk that stops at a label of the script, which has a name of its own: by a
# literal as GCC writes it for size, by two halves as for a Cortex-M7, or at the stack pointer.
HEAP = f"""\
{ENTRY}
.global malloc, _sbrk
.type malloc, %function
.thumb_func
malloc: nop
.size malloc, . - malloc
.balign 4
.type _sbrk, %function
.thumb_func
_sbrk: ldr r1, =end
ldr r2, =grown
{{}}
bx lr
.ltorg
.size _sbrk, . - _sbrk
.bss
.type grown, %object
.size grown, 4
grown: .space 4
"""
LIMITED = """\
SECTIONS { .text : { *(.text) } > FLASH
           .bss : { *(.bss) end = .; } > RAM
           __StackTop = ORIGIN(RAM) + LENGTH(RAM);
           my_limit = __StackTop - 2048; }
"""


@pytest.mark.parametrize(
    ("limit", "expected"),
    [
        pytest.param("ldr r3, =my_limit", 0, id="a literal"),
        pytest.param("nop\nldr.w r3, =my_limit", 0, id="a literal of a wide instruction"),
        pytest.param(
            "movw r3, #:lower16:my_limit\nmovt r3, #:upper16:my_limit", 0, id="two halves"
        ),
        pytest.param("mov r3, sp", 1, id="the stack pointer"),
        pytest.param("ldr r3, =__StackTop", 1, id="the top of the stack"),
    ],
)
def test_a_heap_with_a_limit_of_any_name(tmp_path: Path, limit: str, expected: int) -> None:
    linked = link(tmp_path, "arm", CORTEX_M + LIMITED, HEAP.format(limit))
    said = [
        finding.message
        for outcome in judge(linked.inspection())
        for finding in outcome.findings
        if "no limit but the stack pointer" in finding.message
    ]
    assert len(said) == expected


# Renesas FSP, fsp.ld: arrays of the board's C code are the stack and the heap between the labels.
FSP = """\
SECTIONS { .text : { *(.text) } > FLASH
           .heap (NOLOAD) : { __HeapBase = .; *(.heap) __HeapLimit = .; } > RAM
           .stack_dummy (NOLOAD) : { . = ALIGN(8); __StackLimit = .; *(.stack) *(.stack.thread)
                                     . = ALIGN(8); __StackTop = .; } > RAM }
"""
ARRAY = """\
.section {1},"aw",%nobits
.type {0}, %object
.size {0}, {2}
{0}: .space {2}
"""


@pytest.mark.parametrize(
    ("arrays", "expected"),
    [
        pytest.param([("g_main_stack", ".stack", 1024)], [], id="the stack"),
        pytest.param([("stk", ".stack", 1020)], [], id="an array of any name that fills it"),
        pytest.param(
            [("g_main_stack", ".stack", 1024), ("net_thread_stack", ".stack.thread", 512)],
            [],
            id="the stacks of threads too",
        ),
        pytest.param(
            [("g_main_stack", ".stack", 1024), ("counters", ".stack.thread", 512)],
            ["stack-collision"],
            id="but no variable of another name",
        ),
    ],
)
def test_arrays_that_are_the_stack_and_the_heap(
    tmp_path: Path, arrays: list[tuple[str, str, int]], expected: list[str]
) -> None:
    own = [*arrays, ("g_heap", ".heap", 1024)]
    source = HEAP.format("nop") + "".join(ARRAY.format(*array) for array in own)
    source = source.replace("=end", "=__HeapBase")
    linked = link(tmp_path, "arm", CORTEX_M + FSP, source)
    assert [item.check for item in faults(linked)] == expected
