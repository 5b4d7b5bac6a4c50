"""Placing sections in regions: what only addresses can decide, and its limits."""

from mapinspect.analysis.placement import account
from mapinspect.analysis.regions import map_regions
from mapinspect.analysis.usage import usages
from mapinspect.model.image import Evidence, Region, Span
from mapinspect.model.inspection import PlacedSection, Usage
from mapinspect.readers.gnu_map import read_map
from tests.builders import FLASH, RAM, bss, section, text

HERE = Evidence("app.map", 5, "a region")


def use(*sections: PlacedSection, regions: tuple[Region, ...] = (FLASH, RAM)) -> dict[str, Usage]:
    found = usages(account(sections, regions), regions)
    return {usage.region.name: usage for usage in found}


def test_holes_are_padding_where_alignment_explains_them_and_gaps_elsewhere() -> None:
    start = FLASH.span.start
    facts = use(section(".a", start, 6), section(".b", start + 8, 8), section(".c", start + 32, 4))
    flash = facts["FLASH"]
    assert (flash.used, flash.occupied, flash.padding, flash.gaps) == (36, 18, 2, 16)
    assert flash.free == flash.region.span.size - 36 == flash.largest_free


def test_the_largest_free_run_may_lie_between_sections() -> None:
    low = bss(0x200)
    top = section(".stack", RAM.span.end - 0x100, 0x100, stored=False)
    ram = use(text(), low, top)["RAM"]
    assert (ram.used, ram.free, ram.largest_free) == (0x1000, 0, 0xD00)
    assert ram.explained == ()


def test_a_section_that_ld_did_not_go_on_behind_is_not_counted_by_it() -> None:
    top = section(".stack", RAM.span.end - 0x100, 0x100, stored=False)
    ram = use(text(), top, bss(0x200))["RAM"]
    assert [row.bytes for row in ram.explained] == [0xE00]


def test_a_load_image_counts_where_it_is_stored_and_zeroed_sections_do_not() -> None:
    start = FLASH.span.start
    stored = section(".data", RAM.span.start, 0x40, lma=start + 0x400, writable=True)
    zeroed = section(".bss", RAM.span.start + 0x40, 0x80, lma=start + 0x440, stored=False)
    facts = use(text(0x400), stored, zeroed)
    assert (facts["FLASH"].used, facts["RAM"].used) == (0x440, 0xC0)


def test_no_byte_fits_a_region_without_length() -> None:
    empty = Region("CCM", Span(0x1000_0000, 0), "xrw", HERE)
    facts = use(text(), section(".ccm", 0x1000_0000, 4), regions=(FLASH, empty))
    assert (facts["CCM"].used, facts["CCM"].free) == (4, -4)


def test_a_region_is_left_for_the_one_around_it_that_holds_the_section() -> None:
    inner = Region("DTCM", Span(RAM.span.start, 0x100), "xrw", HERE)
    facts = use(text(), bss(0x200), regions=(FLASH, RAM, inner))
    assert (facts["DTCM"].used, facts["RAM"].used) == (0, 0x200)
    facts = use(text(), bss(0x100), regions=(FLASH, RAM, inner))
    assert (facts["DTCM"].used, facts["RAM"].used) == (0x100, 0)


def test_what_overflows_every_region_stays_with_its_own() -> None:
    inner = Region("DTCM", Span(RAM.span.start, 0x100), "xrw", HERE)
    facts = use(text(), bss(0x2000), regions=(FLASH, RAM, inner))
    assert facts["DTCM"].free == 0x100 - 0x2000


def test_a_region_that_only_overlaps_another_gets_what_starts_at_its_origin() -> None:
    """AVR: `data` is printed with 0xffa0 bytes and runs into `eeprom`."""
    data = Region("data", Span(0x80_2000, 0xFFA0), "rw!x", HERE)
    eeprom = Region("eeprom", Span(0x81_0000, 0x1_0000), "rw!x", HERE)
    facts = use(
        section(".data", 0x80_2000, 0x20),
        section(".eeprom", 0x81_0000, 0x10),
        regions=(data, eeprom),
    )
    assert (facts["data"].used, facts["eeprom"].used) == (0x20, 0x10)


def test_an_undeclared_region_has_no_limit_and_is_none() -> None:
    printed = b"""
Memory Configuration

Name             Origin             Length             Attributes
FLASH            0x08000000         0x00010000         xr
NOWHERE          0x00000000         0xffffffff
*default*        0x00000000         0xffffffff

Linker script and memory map


.text           0x08000000        0x4
 *(.text)
 .text          0x08000000        0x4 a.o
OUTPUT(a.elf elf32-littlearm)
"""
    regions = map_regions(read_map("app.map", printed), 32)
    assert [region.name for region in regions] == ["FLASH"]
