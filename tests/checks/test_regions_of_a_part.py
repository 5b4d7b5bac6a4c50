"""Regions against the memories of a part: where images are stored, what kind each memory is."""

from dataclasses import replace

import pytest

from mapinspect.checks.region_beyond_part import region_beyond_part
from mapinspect.model.finding import Severity, Status
from mapinspect.model.image import Evidence, Region, Span
from mapinspect.model.inspection import PlacedSection
from mapinspect.model.part import MemoryBank, Part
from tests.builders import FLASH, RAM, bss, data, inspection, region_row, section, table, text

HERE = Evidence("parts.toml", 1, "")
ITCM = Region("ITCM", Span(0x1000_0000, 0x1000), "xrw", HERE)
QSPI = Region("QSPI", Span(0x9000_0000, 0x1000), "xr", HERE)
IN_FLASH = MemoryBank("FLASH", "flash", FLASH.span)
IN_RAM = MemoryBank("SRAM", "ram", RAM.span)
IN_ITCM = MemoryBank("ITCM", "ram", ITCM.span)
CODE = section(".fast", ITCM.span.start, 64)


def said(
    banks: tuple[MemoryBank, ...],
    *sections: PlacedSection,
    regions: tuple[Region, ...] = (FLASH, RAM, ITCM, QSPI),
    rows: tuple[tuple[str, str | None], ...] = (),
) -> list[tuple[str, Status, str]]:
    budget = table(*(region_row(name, kind=kind) for name, kind in rows))
    part = Part("X", "Cortex-M4", banks, "a test", HERE)
    found = replace(inspection(*sections, budget=budget, regions=regions), part=part)
    return [
        (item.subject, item.status, item.findings[0].message if item.findings else "")
        for item in region_beyond_part(found)
    ]


def test_only_regions_that_are_used_or_budgeted_are_judged() -> None:
    assert [item[0] for item in said((IN_FLASH,), text())] == ["FLASH"]
    told = said((IN_FLASH,), text(), rows=(("RAM", None),))
    assert [(item[0], bool(item[2])) for item in told] == [("FLASH", False), ("RAM", True)]


@pytest.mark.parametrize(
    ("banks", "sections", "expected"),
    [
        pytest.param((IN_RAM,), (text(), bss(64)), True, id="the part has nothing there"),
        pytest.param((IN_FLASH,), (text(), bss(64)), False, id="it lacks RAM alone"),
        pytest.param(
            (IN_ITCM,), (text(), CODE), True, id="only what is stored in RAM lies in the part"
        ),
        pytest.param(
            (IN_FLASH,),
            (text(), section(".model", QSPI.span.start, 64)),
            False,
            id="more is stored outside of it",
        ),
        pytest.param((IN_ITCM,), (CODE, bss(64)), False, id="variables in no memory of it"),
        pytest.param(
            (IN_ITCM,),
            (CODE, data(64, ITCM.span.start + 64)),
            False,
            id="copies in no memory of it",
        ),
        pytest.param((IN_ITCM,), (data(64),), True, id="only load images are stored there"),
        pytest.param(
            (IN_ITCM,),
            (text(), section(".noinit", FLASH.span.start + 0x800, 64, stored=False)),
            True,
            id="beside what is not stored",
        ),
    ],
)
def test_a_part_that_has_nothing_where_the_image_is_stored_is_another(
    banks: tuple[MemoryBank, ...], sections: tuple[PlacedSection, ...], *, expected: bool
) -> None:
    told = [(subject, status) for subject, status, _ in said(banks, *sections)]
    assert (("X", Status.UNDECIDED) in told) == expected


@pytest.mark.parametrize(("kind", "expected"), [("external-flash", False), ("flash", True)])
def test_memory_outside_the_part_must_be_called_so(kind: str, *, expected: bool) -> None:
    image = section(".text", QSPI.span.start, 64)
    told = said((IN_RAM,), image, rows=(("QSPI", kind),))
    assert any(status is Status.UNDECIDED for _, status, _ in told) == expected


@pytest.mark.parametrize(
    ("kind", "bank", "fault"),
    [
        pytest.param("flash", "ram", "FLASH is flash, but B of X is ram", id="RAM called Flash"),
        pytest.param("sram", "flash", "FLASH is sram, but B of X is flash", id="Flash called RAM"),
        pytest.param("psram", "flash", "FLASH is psram, but B of X is flash", id="called PSRAM"),
        pytest.param("sram", "ram", "", id="RAM, whatever its name"),
        pytest.param("psram", "ram", "", id="PSRAM behind RAM's window"),
        pytest.param("flash", "external", "", id="external Flash"),
        pytest.param("sram", "external", "", id="external RAM"),
        pytest.param("external-flash", "flash", "", id="a kind of which no bank is known"),
        pytest.param(
            None, "ram", "FLASH is Flash by its name, but B of X is ram", id="Flash by its name"
        ),
        pytest.param(None, "flash", "", id="nothing is stated"),
    ],
)
def test_the_kind_of_a_region_is_its_banks(kind: str | None, bank: str, fault: str) -> None:
    rows = (("RAM", "sram"), ("FLASH", kind)) if kind else ()
    banks = (MemoryBank("B", bank, FLASH.span), IN_RAM)
    told = {item[0]: item for item in said(banks, text(), rows=rows, regions=(FLASH, RAM))}
    assert told["FLASH"] == ("FLASH", Status.BROKEN if fault else Status.HOLDS, fault)


WRITABLE = replace(FLASH, attributes="xrw")


@pytest.mark.parametrize(
    ("region", "home", "written"),
    [
        pytest.param(WRITABLE, section(".x", FLASH.span.start, 64), False, id="stored in place"),
        pytest.param(
            WRITABLE, section(".x", FLASH.span.start, 64, lma=QSPI.span.start), True, id="copied"
        ),
        pytest.param(
            WRITABLE,
            section(".x", FLASH.span.start, 64, stored=False, writable=True),
            True,
            id="cleared",
        ),
        pytest.param(
            WRITABLE, section(".x", FLASH.span.start, 64, stored=False), False, id="left alone"
        ),
        pytest.param(
            WRITABLE,
            section(".x", FLASH.span.start, 64, writable=True),
            False,
            id="writable, and stored in place",
        ),
        pytest.param(
            WRITABLE,
            section(".x", FLASH.span.start, 0, stored=False, writable=True),
            False,
            id="an empty section",
        ),
        pytest.param(WRITABLE, data(64, FLASH.span.start), False, id="only a load image"),
        pytest.param(
            FLASH,
            section(".x", FLASH.span.start, 64, lma=QSPI.span.start),
            False,
            id="copied, where writing is not granted",
        ),
        pytest.param(
            replace(FLASH, attributes="xr!w"),
            section(".x", FLASH.span.start, 64, lma=QSPI.span.start),
            False,
            id="copied, where writing is denied",
        ),
    ],
)
def test_what_start_up_writes_lies_in_no_flash(
    region: Region, home: PlacedSection, *, written: bool
) -> None:
    code = section(".text", FLASH.span.start + 0x1000, 64)
    told = {item[0]: item for item in said((IN_FLASH, IN_RAM), code, home, regions=(region, RAM))}
    fault = "FLASH holds .x, which start-up writes, but FLASH of X is flash" if written else ""
    assert told["FLASH"][2] == fault


@pytest.mark.parametrize(
    ("bank", "named"),
    [
        pytest.param(MemoryBank("B", "ram", Span(0x3000_0000, 1024)), True, id="1 KiB of RAM"),
        pytest.param(MemoryBank("B", "ram", Span(0x3000_0000, 1023)), False, id="fewer bytes"),
        pytest.param(MemoryBank("B", "flash", Span(0x3000_0000, 4096)), False, id="Flash"),
        pytest.param(MemoryBank("B", "ram", RAM.span), False, id="a region covers it"),
        pytest.param(
            MemoryBank("B", "ram", Span(0x3000_0000, 4096), aliases=(RAM.span.start,)),
            False,
            id="a region covers another view of it",
        ),
        pytest.param(MemoryBank("B", "ram", Span(RAM.span.end - 1, 1024)), False, id="by a byte"),
        pytest.param(MemoryBank("B", "ram", Span(RAM.span.end, 1024)), True, id="it lies behind"),
    ],
)
def test_ram_that_no_region_covers_is_named(bank: MemoryBank, *, named: bool) -> None:
    told = said((IN_FLASH, bank), text(), regions=(FLASH, RAM))
    words = f"no memory region covers B ({bank.span.size} bytes) of X"
    assert (("X", Status.HOLDS, words) in told) == named


def test_what_is_unused_is_information() -> None:
    part = Part("X", "Cortex-M4", (IN_FLASH, IN_ITCM), "a test", HERE)
    found = replace(inspection(text()), part=part)
    *_, outcome = region_beyond_part(found)
    assert [item.severity for item in outcome.findings] == [Severity.INFORMATION]
