"""Sound firmware that was once refused, linked on the spot by ld in the shape that real one has.

Each image is one that links, loads and runs; what it does not do wrong may not be said of it.
"""

from pathlib import Path

import pytest

from mapinspect.checks.judge import judge
from mapinspect.model.finding import Outcome, Status
from mapinspect.readers.gnu_map import read_map
from tests import lto_firmware
from tests.linked import Linked, link

CORTEX_M = """\
ENTRY(start)
MEMORY { FLASH (rx) : ORIGIN = 0x08000000, LENGTH = 64K
         RAM (rwx) : ORIGIN = 0x20000000, LENGTH = 16K }
"""
ENTRY = """\
.syntax unified
.thumb
.text
.global start
.thumb_func
start: nop
"""


def faults(linked: Linked, *, warnings: bool = False) -> list[Outcome]:
    outcomes = judge(linked.inspection())
    wrong = (Status.BROKEN, Status.UNDECIDED)
    return [item for item in outcomes if item.status in wrong or (warnings and item.findings)]


# binutils ld/scripttempl/avr.sc: the memories that the programmer writes.
AVR = """\
MEMORY { text (rx) : ORIGIN = 0, LENGTH = 32K
         data (rw!x) : ORIGIN = 0x800100, LENGTH = 2K
         eeprom (rw!x) : ORIGIN = 0x810000, LENGTH = 64K
         fuse (rw!x) : ORIGIN = 0x820000, LENGTH = 1K
         lock (rw!x) : ORIGIN = 0x830000, LENGTH = 1K }
SECTIONS { .text : { *(.text) } > text
           .data : { *(.data) } > data AT> text
           .eeprom : { *(.eeprom) } > eeprom
           .fuse : { KEEP(*(.fuse)) } > fuse
           .lock : { KEEP(*(.lock)) } > lock }
"""
AVR_SOURCE = """\
.text
.global main
main: nop
.section .data,"aw"
.fill 16, 1, 7
.section .eeprom,"aw"
.fill 16, 1, 1
.section .fuse,"aw"
.byte 0xff, 0xd9, 0xff
.section .lock,"aw"
.byte 0xfc
"""


def test_eeprom_and_fuses_of_an_avr_are_no_ram_without_a_copy(tmp_path: Path) -> None:
    linked = link(tmp_path, "avr", AVR, AVR_SOURCE)
    assert faults(linked) == []
    kinds = {name: linked.inspection().kind(name) for name in ("data", "eeprom", "fuse", "lock")}
    assert kinds == {"data": "sram", "eeprom": "eeprom", "fuse": "eeprom", "lock": "eeprom"}


def test_initialised_variables_of_an_avr_still_need_their_copy(tmp_path: Path) -> None:
    linked = link(tmp_path, "avr", AVR.replace(" AT> text", ""), AVR_SOURCE)
    assert [(item.check, item.subject) for item in faults(linked)] == [("data-not-stored", ".data")]


NOTED = """\
SECTIONS { .text : { *(.text) } > FLASH
           .note.gnu.build-id : { *(.note.gnu.build-id) } > RAM
           .table : { *(.table) } > RAM }
"""


def test_a_build_id_that_lands_in_ram_is_a_warning(tmp_path: Path) -> None:
    linked = link(tmp_path, "arm", CORTEX_M + NOTED, ENTRY, "--build-id")
    assert faults(linked) == []
    said = [item.subject for item in faults(linked, warnings=True)]
    assert ".note.gnu.build-id" in said


def test_a_table_that_lands_in_ram_is_still_lost(tmp_path: Path) -> None:
    source = f'{ENTRY}.section .table,"a"\n.word 1, 2, 3\n'
    linked = link(tmp_path, "arm", CORTEX_M + NOTED, source)
    assert [(item.check, item.subject) for item in faults(linked)] == [
        ("data-not-stored", ".table")
    ]


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


SECURE = """\
.cpu cortex-m33
.syntax unified
.thumb
.text
.global start
.thumb_func
start: nop
"""
GATEWAY = """\
.global {0}, __acle_se_{0}
.type {0}, %function
.type __acle_se_{0}, %function
.thumb_func
{0}:
.thumb_func
__acle_se_{0}: bxns lr
.size {0}, . - {0}
.size __acle_se_{0}, . - __acle_se_{0}
"""
VENEERS = """\
SECTIONS { .text : { *(.text) } > FLASH
           .gnu.sgstubs : ALIGN(32) { *(.gnu.sgstubs*) . = ALIGN(32); } > FLASH }
"""


@pytest.mark.parametrize("gateways", [1, 4, 5], ids=lambda count: f"{count} of 8 bytes")
def test_secure_gateways_are_padded_after_the_map_is_printed(tmp_path: Path, gateways: int) -> None:
    source = SECURE + "".join(GATEWAY.format(f"entry{number}") for number in range(gateways))
    linked = link(tmp_path, "arm", CORTEX_M + VENEERS, source, "--cmse-implib")
    assert faults(linked) == []


# Teensy 4: the lowest section by load address is .bss alone, as everything else is in Flash at
# 0x60000000; ld rounds its segment down to a page, where the ELF's headers then fit in.
HIGH = """\
ENTRY(start)
MEMORY { FLASH (rx) : ORIGIN = 0x60000000, LENGTH = 64K
         RAM (rwx) : ORIGIN = 0x20000000, LENGTH = 16K }
SECTIONS { .text : { *(.text) } > FLASH
           .data : { *(.data) } > RAM AT> FLASH
           .bss : { *(.bss) } > RAM AT> RAM }
"""


def test_a_segment_of_zeros_may_begin_with_the_headers_of_the_file(tmp_path: Path) -> None:
    source = (
        f'{ENTRY}.section .data,"aw"\n.fill 3000, 1, 7\n.section .bss,"aw",%nobits\n.space 64\n'
    )
    linked = link(tmp_path, "arm", HIGH, source, "-z", "max-page-size=0x1000")
    zeros = next(item for item in linked.elf_file().sections if item.name == ".bss")
    assert (zeros.vma, zeros.lma) == (0x2000_0BB8, 0x2000_0BB8)
    assert faults(linked) == []


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


def test_a_build_id_hangs_on_a_file_that_only_the_plug_in_reads(tmp_path: Path) -> None:
    lto_firmware.build(tmp_path, "riscv64-unknown-elf", "-Wl,--build-id")
    link_map = read_map("app.map", (tmp_path / "app.map").read_bytes())
    assert "a.o (symbol from plugin)" in (tmp_path / "app.map").read_text()
    assert tuple(link_map.unknown) == ()
    (note,) = (item for item in link_map.sections if item.name == ".note.gnu.build-id")
    (row,) = link_map.inputs.of_section(note.ordinal)
    assert (row.owner.path, row.owner.archive, row.size) == ("a.o", None, 36)


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
