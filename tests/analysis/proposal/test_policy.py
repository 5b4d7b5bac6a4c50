"""Which memory should hold what, whatever the image does today."""

from dataclasses import replace

import pytest

from mapinspect.analysis.proposal.policy import memories
from mapinspect.model.image import Evidence, Region, Span
from mapinspect.model.inspection import Inspection
from mapinspect.model.part import MemoryBank, Part
from tests.builders import FLASH, inspection, section, text


def region(name: str, origin: int, length: int, attributes: str = "xrw") -> Region:
    return Region(name, Span(origin, length), attributes, Evidence("app.map", 3, name))


DTCM = region("DTCM", 0x2000_0000, 0x2000)
MAIN = region("RAM", 0x2400_0000, 0x8000)
BACKUP = region("BKPRAM", 0x3800_0000, 0x1000)
LARGE = region("SDRAM", 0xC000_0000, 0x80_0000)


def image(home: Region, *regions: Region) -> Inspection:
    data = section(".data", home.span.start, 16, lma=FLASH.span.start + 0x8000, writable=True)
    return inspection(text(), data, regions=(FLASH, *regions))


@pytest.mark.parametrize(
    ("today", "expected"),
    [
        pytest.param("RAM", ("RAM",), id="the main RAM is right"),
        pytest.param("SDRAM", ("SDRAM",), id="so is the largest"),
        pytest.param("DTCM", ("DTCM",), id="and core-coupled RAM, chosen on purpose"),
        pytest.param("BKPRAM", ("RAM",), id="another small bank is not"),
        pytest.param(None, ("RAM",), id="nor is no region at all"),
        pytest.param("FLASH", ("RAM",), id="nor Flash"),
    ],
)
def test_the_place_of_an_arena(today: str | None, expected: tuple[str, ...]) -> None:
    known = memories(image(MAIN, DTCM, MAIN, BACKUP, LARGE))
    assert known.main == "RAM"
    assert known.for_arena(today, 0x800) == expected


def test_an_arena_too_large_for_the_main_ram() -> None:
    known = memories(image(MAIN, DTCM, MAIN, LARGE))
    assert known.for_arena("RAM", 0x9000) == ("SDRAM",)
    assert known.for_arena("RAM", 2**30) == ()


@pytest.mark.parametrize(
    ("today", "needed", "expected"),
    [
        pytest.param("dram0_0_seg", 0x800, ("dram0_0_seg",), id="the RAM of .dram0.bss is right"),
        pytest.param("psram", 0x800, ("psram",), id="so is PSRAM, chosen on purpose"),
        pytest.param("rtc", 0x800, ("dram0_0_seg",), id="another small bank is not"),
        pytest.param("rtc", 0x9000, ("psram",), id="what no RAM on the chip holds goes to PSRAM"),
    ],
)
def test_the_place_of_an_arena_beside_psram(
    today: str, needed: int, expected: tuple[str, ...]
) -> None:
    """ESP-IDF calls no section just .data or .bss, and its PSRAM is the largest by far."""
    dram = region("dram0_0_seg", 0x3FC8_8000, 0x8000)
    psram = region("psram", 0x3D00_0000, 0x80_0000)
    rtc = region("rtc", 0x5000_0000, 0x2000)
    banks = (MemoryBank("DATA_WINDOW", "external", Span(0x3C00_0000, 0x200_0000)),)
    data = section(".dram0.bss", dram.span.start, 16, stored=False, writable=True)
    found = inspection(text(), data, regions=(FLASH, dram, rtc, psram))
    part = Part("ESP32-S3", "LX7", banks, "ESP32-S3 TRM 4.3", Evidence("parts.toml", 1, ""))
    known = memories(replace(found, part=part))
    assert known.for_arena(today, needed) == expected


@pytest.mark.parametrize(
    ("today", "expected"),
    [
        pytest.param("QSPI", ("QSPI",), id="any Flash is right"),
        pytest.param("RAM", ("FLASH",), id="RAM is not: the largest Flash is"),
        pytest.param(None, ("FLASH",), id="nor is no region"),
    ],
)
def test_the_place_of_weights(today: str | None, expected: tuple[str, ...]) -> None:
    small = region("QSPI", 0x9000_0000, 0x100, "xr")
    assert memories(image(MAIN, MAIN, small)).for_weights(today) == expected


def test_kinds_that_nothing_states_are_told_by_content() -> None:
    rom = region("ROM", FLASH.span.start, FLASH.span.size, "")
    ram = region("R", MAIN.span.start, MAIN.span.size, "")
    data = section(".data", ram.span.start, 16, lma=rom.span.start + 0x8000, writable=True)
    known = memories(inspection(text(), data, regions=(rom, ram)))
    assert known.guessed == {"ROM": "flash", "R": "sram"}
    iram = region("iram1_0_seg", 0x4010_0000, 0x8000, "")
    code = section(".iram1", iram.span.start, 60)
    assert memories(inspection(code, regions=(iram,))).guessed == {"iram1_0_seg": "sram"}
    assert (known.main, known.flash) == ("R", (rom,))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        pytest.param("PROGRAM", "flash", id="program memory is no RAM"),
        pytest.param("NVRAM", "flash", id="nor is what keeps its bytes"),
        pytest.param("iram0_2_seg", "flash", id="nor ESP-IDF's window on Flash"),
        pytest.param("ITCM", "sram", id="core-coupled memory is RAM, also for code"),
    ],
)
def test_a_name_that_speaks_of_ram_decides_before_what_is_only_read(
    name: str, expected: str
) -> None:
    home = region(name, FLASH.span.start, FLASH.span.size, "")
    assert memories(inspection(text(), regions=(home,))).guessed == {name: expected}
