"""Weights by their section, region, part and table: what costs RAM, what is in doubt."""

from dataclasses import replace

import pytest

from mapinspect.checks.weights_not_in_flash import weights_not_in_flash
from mapinspect.checks.weights_slow import weights_slow
from mapinspect.model.embedded import TensorPlace
from mapinspect.model.finding import Severity, Status
from mapinspect.model.image import Evidence, Region, Span
from mapinspect.model.inspection import Located, ModelFacts
from mapinspect.model.part import MemoryBank, Part
from tests.builders import (
    FLASH,
    RAM,
    copy,
    data,
    inspection,
    located,
    model,
    region_row,
    section,
    table,
    text,
)

HERE = Evidence("app.elf", None, "")
WRITABLE = section(".m", RAM.span.start, 0x100, writable=True)  # stored where it runs
READ_ONLY = section(".m", RAM.span.start, 0x100)
HOLDS, BROKEN, UNDECIDED = Status.HOLDS, Status.BROKEN, Status.UNDECIDED


def said(
    facts: ModelFacts, part: Part | None = None, kinds: tuple[tuple[str, str], ...] = ()
) -> list[tuple[Status, str]]:
    places = [item.place for item in facts.copies] + list(facts.parts)
    homes = dict.fromkeys(place.section for place in places)
    budget = table(*(region_row(name, kind=kind) for name, kind in kinds))
    found = replace(inspection(*homes, budget=budget), models=(facts,), part=part)
    return [
        (item.status, item.findings[0].message if item.findings else "")
        for item in weights_not_in_flash(found)
    ]


@pytest.mark.parametrize(
    ("place", "words"),
    [
        pytest.param(
            located("g_model", data(0x100)),
            "g_model (64 bytes of weights) takes up RAM in .data, and again in FLASH",
            id="copied from Flash",
        ),
        pytest.param(
            located("g_model", WRITABLE),
            "g_model (64 bytes of weights) takes up RAM in .m",
            id="only in RAM",
        ),
        pytest.param(
            located("g_model", WRITABLE, size=0),
            "g_model (100 bytes of weights) takes up RAM in .m",
            id="a label: the file's size counts",
        ),
        pytest.param(
            replace(located("g_model", WRITABLE), region=None),
            "g_model (64 bytes of weights) takes up RAM in .m",
            id="written, in no region",
        ),
    ],
)
def test_what_weights_cost(place: Located, words: str) -> None:
    assert said(model(copy(place), size=100)) == [(BROKEN, words)]


def test_tensors_in_one_array_are_judged_as_one() -> None:
    first, second = located("w", WRITABLE), located("w", WRITABLE, 64)
    tensors = tuple(
        TensorPlace(place.name, (0, 0), "CONV_2D", "weights", 0, 64, (place,))
        for place in (first, second)
    )
    assert said(replace(model(), tensors=tensors)) == [
        (BROKEN, "w (128 bytes of weights) takes up RAM in .m")
    ]


def part(kind: str) -> Part:
    return Part("X", "M4", (MemoryBank("B", kind, RAM.span),), "", HERE)


@pytest.mark.parametrize(
    ("chip", "kinds", "status"),
    [
        pytest.param(None, (), UNDECIDED, id="only attributes say RAM"),
        pytest.param(part("ram"), (), BROKEN, id="the part says RAM"),
        pytest.param(part("flash"), (), HOLDS, id="the part says Flash"),
        pytest.param(part("external"), (), UNDECIDED, id="a window on what may be either"),
        pytest.param(None, (("RAM", "sram"),), BROKEN, id="the table says RAM"),
        pytest.param(None, (("RAM", "flash"),), HOLDS, id="the table says Flash"),
        pytest.param(None, (("FLASH", "flash"),), UNDECIDED, id="the table speaks of another"),
    ],
)
def test_a_writable_region_may_be_flash(
    chip: Part | None, kinds: tuple[tuple[str, str], ...], status: Status
) -> None:
    ((answer, _),) = said(model(copy(located("g_model", READ_ONLY))), chip, kinds)
    assert answer is status


def test_a_section_that_may_be_written_is_a_copy_unless_it_is_stored_where_it_is_read() -> None:
    flash = (("RAM", "flash"),)
    stays = located("g_model", WRITABLE)
    assert said(model(copy(stays)), None, flash) == [(HOLDS, "")]
    copied = section(".m", RAM.span.start, 0x100, lma=FLASH.span.start, writable=True)
    ((answer, _),) = said(model(copy(located("g_model", copied))), None, flash)
    assert answer is BROKEN


@pytest.mark.parametrize(
    ("machine", "words"),
    [("AVR", "const PROGMEM"), ("ARM", "declare the array const, in a Flash section")],
)
def test_the_remedy_is_the_processors(machine: str, words: str) -> None:
    found = replace(inspection(WRITABLE), models=(model(copy(located("g_model", WRITABLE))),))
    assert found.elf is not None
    (outcome,) = weights_not_in_flash(replace(found, elf=replace(found.elf, machine=machine)))
    assert words in outcome.findings[0].help
    (bare,) = weights_not_in_flash(replace(found, elf=None))
    assert "PROGMEM" not in bare.findings[0].help


LARGE = Region("FLASH", Span(FLASH.span.start, 0x20_0000), "xr", HERE)


@pytest.mark.parametrize(("more", "warns"), [(0, False), (1, True)])
def test_more_than_512_kib_of_weights_are_slow(more: int, *, warns: bool) -> None:
    home = text(0x10_0000)
    both = (
        copy(located("a", home, size=256 * 1024)),
        copy(located("b", home, 0x8_0000, 256 * 1024 + more)),
    )
    found = replace(inspection(home, regions=(LARGE, RAM)), models=(model(*both),))
    (outcome,) = weights_slow(found)
    assert [item.severity for item in outcome.findings] == [Severity.WARNING] * warns
    assert not warns or f"kws has {512 * 1024 + 1} bytes" in outcome.findings[0].message
