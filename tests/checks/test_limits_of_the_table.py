"""Limits, warnings, minimums and slots of the table against the memory that they are about."""

from dataclasses import replace

import pytest

from mapinspect.checks.limit_beyond_memory import limit_beyond_memory
from mapinspect.model.budget import Match, PlacementRow, RegionRow, Slot
from mapinspect.model.budget_rows import RowNumbers
from mapinspect.model.finding import Status
from mapinspect.model.image import Evidence, Region, Span
from mapinspect.model.inspection import Inspection
from mapinspect.model.part import MemoryBank, Part
from mapinspect.readers.budget.reader import read_budget
from tests.builders import FLASH, RAM, inspection, map_facts, region_row, table, text

HERE = Evidence("mapinspect.toml", 9, "")


def said(facts: Inspection) -> list[tuple[str, str]]:
    """Subject and fault of every answer; "" where the limit holds."""
    answers = list(limit_beyond_memory(facts))
    assert all((item.status is Status.HOLDS) == (not item.reason) for item in answers)
    return [(item.subject, item.reason) for item in answers]


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        pytest.param(region_row("RAM"), "", id="no limit"),
        pytest.param(region_row("RAM", 4096), "", id="a limit of all of it"),
        pytest.param(
            region_row("RAM", 4097),
            "the limit of RAM, 4097 bytes, is beyond its 4096 bytes",
            id="a byte more",
        ),
        pytest.param(region_row("RAM", warn=4096), "", id="a warning at all of it"),
        pytest.param(
            region_row("RAM", warn=4097),
            "the warning of RAM, 4097 bytes, is beyond its 4096 bytes",
            id="a warning a byte further",
        ),
        pytest.param(region_row("RAM", 900, warn=900), "", id="a warning at the limit"),
        pytest.param(
            region_row("RAM", 900, warn=901),
            "the warning of RAM, 901 bytes, is above its limit, 900 bytes",
            id="a warning above the limit",
        ),
        pytest.param(region_row("CCM", 5000), "", id="a region that is not there"),
    ],
)
def test_a_limit_lies_within_its_region(row: RegionRow, fault: str) -> None:
    facts = inspection(text(), budget=table(row, region_row("FLASH")))
    assert said(facts) == [(row.name, fault), ("FLASH", "")]


@pytest.mark.parametrize(
    ("origin", "length", "fault"),
    [
        pytest.param(RAM.span.start, 4096, "", id="the same"),
        pytest.param(RAM.span.start + 16, 4080, "", id="a part of it"),
        pytest.param(
            RAM.span.start,
            4097,
            "RAM is 4097 bytes from 0x20000000 here, and 4096 from 0x20000000 in the map",
            id="a byte longer",
        ),
        pytest.param(
            RAM.span.start - 1,
            4096,
            "RAM is 4096 bytes from 0x1fffffff here, and 4096 from 0x20000000 in the map",
            id="a byte lower",
        ),
        pytest.param(None, None, "", id="neither origin nor length"),
    ],
)
def test_a_row_does_not_enlarge_what_the_map_says(
    origin: int | None, length: int | None, fault: str
) -> None:
    row = replace(region_row("RAM"), origin=origin, length=length)
    facts = inspection(text(), budget=table(row))
    printed = replace(map_facts(), regions=(FLASH, RAM))
    assert said(replace(facts, map=printed)) == [("RAM", fault)]
    assert said(facts) == [("RAM", "")]
    other = Region("CCM", RAM.span, "xrw", HERE)
    assert said(replace(facts, map=replace(printed, regions=(other,)))) == [("RAM", "")]


def test_a_longer_region_is_told_before_a_limit_beyond_it() -> None:
    row = replace(region_row("RAM", 5000), origin=RAM.span.start, length=6000)
    facts = inspection(text(), budget=table(row))
    ((_, fault),) = said(replace(facts, map=replace(map_facts(), regions=(RAM,))))
    assert fault.startswith("RAM is 6000 bytes")


LINE = RowNumbers("x", "RAM", None, 0, None, None, None, None, "app.elf", whole=1000)


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        pytest.param({"limit": 1000, "warn": 1000, "minimum": 1000}, "", id="all of it"),
        pytest.param(
            {"limit": 1001}, "the limit of x, 1001 bytes, is beyond its 1000 bytes", id="a limit"
        ),
        pytest.param(
            {"warn": 1001}, "the warning of x, 1001 bytes, is beyond its 1000 bytes", id="a warning"
        ),
        pytest.param(
            {"minimum": 1001},
            "the minimum of x, 1001 bytes, is beyond its 1000 bytes",
            id="a minimum",
        ),
        pytest.param(
            {"limit": 500, "minimum": 501},
            "the minimum of x, 501 bytes, is above its limit, 500 bytes",
            id="a minimum above the limit",
        ),
        pytest.param({"minimum": 1001, "estimated": 1001}, "", id="an estimate is no fault of it"),
        pytest.param({"limit": 1001, "whole": 0}, "", id="a memory that is not known"),
    ],
)
def test_amounts_of_a_row_lie_within_its_memory(changes: dict[str, int], fault: str) -> None:
    rows = read_budget("b.toml", b"version = 1\n[[budget]]\nid = 'x'\nkind = 'static'\nlimit = 1\n")
    facts = replace(inspection(text()), table=rows, rows=(replace(LINE, **changes),))
    assert said(facts) == [("x", fault)]


BANK = MemoryBank("FLASH", "flash", FLASH.span, aliases=(0,))
PART = Part("X", "Cortex-M4", (BANK,), "a test", HERE)


@pytest.mark.parametrize(
    ("start", "size", "part", "fault"),
    [
        pytest.param(0x0800_F000, 0x1000, PART, "", id="to the end of Flash"),
        pytest.param(
            0x0800_F000,
            0x1001,
            PART,
            "the slot of p, 4097 bytes from 0x0800f000, is beyond FLASH, "
            "65536 bytes from 0x08000000",
            id="a byte past it",
        ),
        pytest.param(0xF000, 0x1000, PART, "", id="in another view of it"),
        pytest.param(0x0801_0000, 0x1000, PART, "", id="where the part has no memory"),
        pytest.param(0x0800_F000, 0x1001, None, "", id="of a part that is not known"),
    ],
)
def test_a_slot_lies_within_the_part(start: int, size: int, part: Part | None, fault: str) -> None:
    row = PlacementRow(
        id="p",
        match=Match(symbol="g_model"),
        regions=(),
        section=None,
        align=None,
        read_only=None,
        optional=False,
        declared=HERE,
        slot=Slot(Span(start, size), 0x800),
    )
    plain = replace(row, id="q", slot=None)
    budget = replace(table(), placements=(row, plain))
    assert said(replace(inspection(text(), budget=budget), part=part)) == [("p", fault)]
