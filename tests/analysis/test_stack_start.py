"""Where the main stack starts, by the vector table and by labels, linked on the spot."""

from pathlib import Path

import pytest

from mapinspect.analysis.reservations.layout import Block, Layout, Variables
from mapinspect.analysis.stack_start import labelled_start
from mapinspect.checks.stack_collision import stack_collision
from mapinspect.checks.stack_misplaced import stack_misplaced
from mapinspect.model.finding import Status
from mapinspect.model.image import Evidence, Span
from mapinspect.model.inspection import Inspection
from tests.linked import link

VECTORS = """
.syntax unified
.cpu cortex-m4
.section .isr_vector,"a"
.word {top}
.word Reset_Handler
.text
.global Reset_Handler
.thumb_func
Reset_Handler: b .
.bss
.global state
.type state,%object
state: .space 0x100
.size state, 0x100
"""
# As for a part with 64 KiB of RAM.
SCRIPT = """
ENTRY(Reset_Handler)
MEMORY {{ FLASH (rx) : ORIGIN = 0x08000000, LENGTH = 256K
  RAM (xrw) : ORIGIN = 0x20000000, LENGTH = 64K }}
SECTIONS {{
  .isr_vector : {{ KEEP(*(.isr_vector)) }} > FLASH
  .text : {{ *(.text) }} > FLASH
  .bss : {{ *(.bss) }} > RAM
  {labels}
}}
"""


def broken(folder: Path, labels: str, top: str = "0") -> list[str]:
    outcomes = stack_misplaced(facts(folder, labels, top))
    found = [item for item in outcomes if item.status is Status.BROKEN]
    return [finding.message for item in found for finding in item.findings]


def facts(folder: Path, labels: str, top: str) -> Inspection:
    linked = link(folder, "arm", SCRIPT.format(labels=labels), VECTORS.format(top=top))
    return linked.inspection()


@pytest.mark.parametrize(
    ("labels", "top", "messages"),
    [
        pytest.param("_estack = 0x20010000;", "_estack", [], id="at the end of RAM"),
        pytest.param("", "0x20010000", [], id="by the vector table alone"),
        pytest.param(
            "_estack = 0x20018000; _Min_Stack_Size = 0x400;",
            "_estack",
            ["the stack begins at 0x20018000, where no memory is"],
            id="at the end of a larger part's RAM",
        ),
        pytest.param(
            "my_top = 0x20018000;",
            "my_top",
            ["the stack begins at 0x20018000, where no memory is"],
            id="a label of another name",
        ),
        pytest.param(
            "_estack = 0x20018000;",
            "0",
            ["the stack begins at 0x20018000, where no memory is"],
            id="a label without a vector table that says so",
        ),
        pytest.param(
            "_estack = 0x08001000;",
            "_estack",
            ["the stack begins at 0x08001000 in FLASH, no RAM"],
            id="in Flash",
        ),
        pytest.param(
            "_estack = 0x20018000;", "0x20008000", [], id="a label that the vector table ignores"
        ),
        pytest.param(
            "__StackLimit = 0x2000fc00; __StackTop = 0x20010000;",
            "0x20018000",
            ["the stack begins at 0x20018000, where no memory is"],
            id="elsewhere than where its bytes are reserved",
        ),
    ],
)
def test_where_the_stack_begins(tmp_path: Path, labels: str, top: str, messages: list[str]) -> None:
    assert broken(tmp_path, labels, top) == messages


@pytest.mark.parametrize(
    ("labels", "top", "room"),
    [
        # .bss is the first 0x100 bytes of RAM.
        pytest.param("", "0x20008000", 0x7F00, id="in the free RAM"),
        pytest.param("", "0x20000080", 0, id="inside a variable"),
        pytest.param("", "0x20000100", 0, id="at the end of an array that no name makes a stack"),
        pytest.param(
            ".tail 0x20009000 (NOLOAD) : { . = . + 0x1000; } > RAM",
            "0x20008000",
            0x7F00,
            id="below a section that lies higher up",
        ),
        pytest.param(
            ".tail 0x20007000 (NOLOAD) : { . = . + 0x1000; } > RAM",
            "0x20008000",
            None,
            id="at the end of a section without variables",
        ),
    ],
)
def test_the_room_below_the_address_that_is_loaded(
    tmp_path: Path, labels: str, top: str, room: int | None
) -> None:
    assert facts(tmp_path, labels, top).margins.room == room


def test_a_stack_that_begins_elsewhere_than_its_reserve_is_judged_where_it_begins(
    tmp_path: Path,
) -> None:
    found = facts(tmp_path, "__StackLimit = 0x2000f000; __StackTop = 0x20010000;", "0x20000080")
    broken = [item for item in stack_collision(found) if item.status is Status.BROKEN]
    assert [item.findings[0].message for item in broken] == [
        "no byte is left below the stack's top"
    ]


HERE = Evidence("app.elf", None, "")


def with_sections(*writable: tuple[int, bool]) -> Layout:
    blocks = [Block(".x", Span(start, 16), HERE, writable=is_ram) for start, is_ram in writable]
    return Layout({}, [], tuple(blocks), Variables("app.elf", [], [], []), ())


@pytest.mark.parametrize(
    ("sections", "top", "address"),
    [
        pytest.param([(0x80_0100, True)], 0x21FF, 0x80_2200, id="RAMEND of an ATmega2560"),
        pytest.param([(0x80_0100, True)], 0x80_08FF, 0x80_0900, id="with the offset of data"),
        pytest.param([(0x80_0000, True)], 0x08FF, 0x80_0900, id="data begin at the offset itself"),
        pytest.param([(0x80_0100, True)], 0x80_0000, 0x80_0000, id="a top at the offset itself"),
        pytest.param([(0x100_0000, True)], 0x1000, 0x1000, id="data behind AVR's"),
        pytest.param([(0x7F_FFF0, True)], 0x1000, 0x1000, id="data in front of AVR's"),
        pytest.param([(0, False), (0x80_0100, True)], 0x21FF, 0x80_2200, id="code lies at 0"),
        pytest.param(
            [(0x100, True), (0x80_0100, True)], 0x1000, 0x1000, id="other data lie in front"
        ),
        pytest.param([(0x2000_0000, True)], 0x2000_1000, 0x2000_1000, id="an ARM's"),
        pytest.param([], 0x1000, 0x1000, id="nothing is written"),
    ],
)
def test_an_avr_top_is_the_last_byte_and_may_lack_the_offset_of_data(
    sections: list[tuple[int, bool]], top: int, address: int
) -> None:
    """avr-libc sets __stack to RAMEND, the last byte; binutils adds 0x800000 to data."""
    assert labelled_start(with_sections(*sections), top) == address
