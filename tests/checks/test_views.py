"""One memory seen at several addresses: its bytes hold one section each."""

from dataclasses import replace

import pytest

from mapinspect.checks.sections_overlap import sections_overlap
from mapinspect.model.finding import Status
from mapinspect.model.image import Evidence, Region, Span
from mapinspect.model.inspection import Inspection, PlacedSection
from mapinspect.model.part import MemoryBank, Part
from tests.builders import FLASH, RAM, inspection, section, text

MADE = Evidence("parts.toml", 1, "a part made for tests")
# As on the STM32L476 (RM0351, memory map): SRAM2 also follows SRAM1; Flash is also seen at 0.
PART = Part(
    name="made",
    core="cortex-m4",
    banks=(
        MemoryBank("FLASH", "flash", FLASH.span, (0,)),
        MemoryBank("SRAM1", "ram", Span(0x2000_0000, 0x1000)),
        MemoryBank("SRAM2", "ram", Span(0x1000_0000, 0x1000), (0x2000_1000,)),
    ),
    source="made",
    declared=MADE,
)
LONG_RAM = Region("RAM", Span(RAM.span.start, 0x2000), "xrw", MADE)
RAM2 = Region("RAM2", Span(0x1000_0000, 0x1000), "xrw", MADE)
BOOT = Region("BOOT", Span(0, 0x1000), "xr", MADE)


def facts(*sections: PlacedSection, part: Part | None = PART) -> Inspection:
    made = inspection(text(), *sections, regions=(FLASH, LONG_RAM, RAM2, BOOT))
    return replace(made, part=part)


def messages(found: Inspection) -> list[str]:
    outcomes = [item for item in sections_overlap(found) if item.status is Status.BROKEN]
    return [item.findings[0].message for item in outcomes]


def test_sections_in_the_same_bytes_at_two_addresses_are_broken() -> None:
    low = section(".bss", RAM.span.start, 0x1010, stored=False)
    fast = section(".ram2", 0x1000_0000, 0x20, stored=False)
    assert messages(facts(low, fast)) == [
        ".bss and .ram2 share 16 bytes of SRAM2: run-time addresses 0x20001000 and 0x10000000 "
        "are views of one memory"
    ]
    assert messages(facts(low, fast, part=None)) == []


@pytest.mark.parametrize(
    ("size", "start"),
    [
        pytest.param(0x1000, 0x1000_0000, id="the first ends where the bank begins"),
        pytest.param(0x1010, 0x1000_0010, id="the second begins where the first ends"),
    ],
)
def test_sections_beside_each_other_in_a_bank_are_not(size: int, start: int) -> None:
    low = section(".bss", RAM.span.start, size, stored=False)
    assert messages(facts(low, section(".ram2", start, 0x20, stored=False))) == []


def test_a_section_that_runs_where_it_is_stored_counts_once() -> None:
    """Code linked for address 0 and flashed to 0x0800_0000: one memory, one section."""
    vectors = section(".isr", 0x800, 0x100, lma=FLASH.span.start + 0x800)
    assert messages(facts(vectors)) == []


def test_images_stored_in_the_same_bytes_are_broken() -> None:
    vectors = section(".isr", 0x200, 0x100)
    found = messages(facts(vectors))
    assert len(found) == 2  # .text runs and is stored there too
    assert all("share 256 bytes of FLASH" in message for message in found)


def test_a_section_that_only_skips_the_other_view_is_legal() -> None:
    code = section(".ram2", 0x1000_0000, 0x20)
    skipping = section(".dummy", RAM.span.start + 0x1000, 0x20, stored=False)
    assert messages(facts(code, replace(skipping, placeholder=True))) == []


def test_a_view_that_runs_backward_is_not_judged() -> None:
    low = section(".bss", RAM.span.start, 0x1010, stored=False)
    fast = section(".ram2", 0x1000_0000, 0x20, stored=False)
    assert messages(facts(low, fast, part=replace(PART, name="ESP32"))) == []


def test_sections_of_one_view_are_compared_by_their_addresses_alone() -> None:
    first = section(".a", 0x1000_0000, 0x20, stored=False)
    second = section(".b", 0x1000_0010, 0x20, stored=False)
    assert messages(facts(first, second)) == [
        ".a and .b share 16 bytes of run-time addresses at 0x10000010"
    ]


def test_the_furthest_section_of_a_bank_is_compared_with_all_behind_it() -> None:
    """.a covers .b and .c, which lie one behind the other in the other view."""
    first = section(".a", 0x1000_0000, 0x40, stored=False)
    second = section(".b", 0x2000_1010, 0x10, stored=False)
    third = section(".c", 0x2000_1030, 0x20, stored=False)
    fourth = section(".d", 0x1000_0048, 0x10, stored=False)
    assert [message.split(":")[0] for message in messages(facts(first, second, third, fourth))] == [
        ".a and .b share 16 bytes of SRAM2",
        ".a and .c share 16 bytes of SRAM2",
        ".c and .d share 8 bytes of SRAM2",
    ]


def test_two_banks_are_apart() -> None:
    low = section(".a", RAM.span.start, 0x40, stored=False)
    fast = section(".b", 0x1000_0000, 0x20, stored=False)
    assert messages(facts(low, fast)) == []
