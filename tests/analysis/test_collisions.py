"""What lies in the bytes of a stack or heap, linked on the spot; addresses are the scripts' own."""

from dataclasses import replace
from pathlib import Path

import pytest

from mapinspect.analysis.inspect import Records, inspect
from mapinspect.checks.free_block_too_small import free_block_too_small
from mapinspect.checks.judge import judge
from mapinspect.checks.stack_collision import stack_collision
from mapinspect.model.budget import BudgetTable, RegionRow
from mapinspect.model.finding import Status
from mapinspect.model.image import Evidence
from mapinspect.readers.parts import read_part
from tests.linked import link

UNPROVEN = {Status.BROKEN, Status.UNDECIDED}
SOURCE = """
.section .text,"ax"
.global malloc
.type malloc,%function
malloc: .word 0
.size malloc, 4
.section .bss,"aw",%nobits
.global state
.type state,%object
state: .space 0x100
.size state, 0x100
.section .noinit,"aw",%nobits
.global kept
.type kept,%object
kept: .space 0x7f00
.size kept, 0x7f00
"""
# Banks as on the STM32G474 (RM0440): CCM SRAM, at 0x10000000, is seen again at 0x20018000.
SCRIPT = """
MEMORY { FLASH (rx) : ORIGIN = 0x08000000, LENGTH = 512K
  RAM (xrw) : ORIGIN = 0x20000000, LENGTH = 128K
  CCM (xrw) : ORIGIN = 0x10000000, LENGTH = 32K }
SECTIONS {
  .text : { *(.text) } > FLASH
  .bss : { *(.bss) } > RAM
  %s
}
"""
NOINIT = ".noinit (NOLOAD) : { *(.noinit) } > %s\n"


def collisions(folder: Path, script: str, part: str | None = None) -> list[str]:
    linked = link(folder, "arm", SCRIPT % script, SOURCE)
    records = Records(BudgetTable(path=""), linked.elf_file(), linked.link_map())
    facts = inspect(replace(records, part=read_part(part, place=None) if part else None))
    found = [item for item in stack_collision(facts) if item.status is Status.BROKEN]
    return [item.findings[0].message for item in found]


@pytest.mark.parametrize(
    "stack",
    [
        pytest.param(
            ".stack 0x2001f000 (NOLOAD) : "
            "{ __StackLimit = .; . = . + 0x1000; __StackTop = .; } > RAM",
            id="a section keeps the stack's bytes",
        ),
        pytest.param(
            "_estack = 0x20020000; _Min_Stack_Size = 0x1000;", id="a constant is its size"
        ),
    ],
)
def test_a_stack_lies_on_what_another_view_of_the_same_memory_holds(
    tmp_path: Path, stack: str
) -> None:
    # .noinit ends at offset 0x7f00 of the bank, the stack begins at its offset 0x7000.
    script = NOINIT % "CCM" + stack
    assert collisions(tmp_path, script, "STM32G474RE") == [
        ".noinit lies in 3840 bytes of the stack main, at 0x10007000, "
        "another address of the same memory"
    ]
    assert collisions(tmp_path, script) == []


def test_a_heap_of_a_fixed_size_lies_on_variables(tmp_path: Path) -> None:
    script = NOINIT % "CCM" + "__HeapBase = 0x20000080; __HeapLimit = 0x20001000;"
    assert collisions(tmp_path, script) == [
        ".bss lies in 128 bytes of the heap C library, at 0x20000080"
    ]


def test_a_heap_that_takes_the_rest_begins_below_a_section(tmp_path: Path) -> None:
    assert collisions(tmp_path, "end = .;\n" + NOINIT % "RAM") == [
        ".noinit lies in the first byte of the heap C library, at 0x20000100"
    ]
    assert collisions(tmp_path, NOINIT % "RAM" + "end = .;") == []


def test_a_heap_that_ends_past_its_region_is_broken(tmp_path: Path) -> None:
    # RAM ends at 0x20020000, 0x10000 bytes before the heap's limit.
    script = NOINIT % "CCM" + "__HeapBase = 0x20001000; __HeapLimit = 0x20030000;"
    assert collisions(tmp_path, script) == [
        "65536 bytes of the heap C library lie outside RAM, at 0x20020000, where no memory is"
    ]


def test_a_stack_that_begins_below_its_region_is_broken(tmp_path: Path) -> None:
    script = NOINIT % "RAM" + "__StackLimit = 0x0ffff800; __StackTop = 0x10001000;"
    assert collisions(tmp_path, script) == [
        "2048 bytes of the stack main lie outside CCM, at 0x0ffff800, where no memory is"
    ]


def test_a_heap_over_two_memories_without_a_gap_is_none_that_leaves_memory(tmp_path: Path) -> None:
    two = SCRIPT.replace("LENGTH = 128K", "LENGTH = 64K")
    two = two.replace("ORIGIN = 0x10000000", "ORIGIN = 0x20010000")
    script = two % (NOINIT % "CCM" + "__HeapBase = 0x20001000; __HeapLimit = 0x20010000;")
    assert link(tmp_path, "arm", script, SOURCE).inspection().margins.strays == ()
    over = script.replace("__HeapLimit = 0x20010000", "__HeapLimit = 0x20018000")
    assert link(tmp_path, "arm", over, SOURCE).inspection().margins.strays == ()


def test_a_least_heap_that_no_free_block_holds_is_broken(tmp_path: Path) -> None:
    # 112 KiB above `end`, of 128 KiB of which the first 32 KiB are taken; less than any region.
    script = NOINIT % "RAM" + "end = .; _Min_Heap_Size = 0x1c000;"
    linked = link(tmp_path, "arm", SCRIPT % script, SOURCE)
    (outcome,) = free_block_too_small(linked.inspection())
    assert [item.message for item in outcome.findings] == [
        "the heap C library needs 114688 bytes in one piece, 98304 are free"
    ]


def test_a_least_heap_that_fits_is_placed(tmp_path: Path) -> None:
    linked = link(
        tmp_path, "arm", SCRIPT % (NOINIT % "RAM" + "end = .; _Min_Heap_Size = 0x18000;"), SOURCE
    )
    found = [item for item in judge(linked.inspection()) if item.check == "free-block-too-small"]
    assert not [item for item in found if item.findings]


def test_a_longer_length_in_the_table_does_not_excuse_what_ld_refused(tmp_path: Path) -> None:
    small = SCRIPT.replace("128K", "16K") % (NOINIT % "RAM")
    linked = link(tmp_path, "arm", small, SOURCE, "--noinhibit-exec")
    place = Evidence("mapinspect.toml", 1, "[[region]]")
    row = RegionRow(
        "RAM", None, 0x2000_0000, 0x2_0000, None, None, "extent", optional=False, declared=place
    )
    rows = (row, replace(row, name="FLASH", origin=None, length=None))
    table = BudgetTable("mapinspect.toml", regions=rows)
    facts = inspect(Records(table, linked.elf_file(), linked.link_map()))
    assert {item.status for item in judge(facts)} & UNPROVEN
