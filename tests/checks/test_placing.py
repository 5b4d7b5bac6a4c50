"""Placement rows beyond region and alignment: each claim from both sides."""

from dataclasses import replace

import pytest

from mapinspect.checks.placement_broken import placement_broken
from mapinspect.checks.weights_not_in_flash import weights_not_in_flash
from mapinspect.model.budget import Match, PlacementRow, Slot
from mapinspect.model.finding import Outcome, Status
from mapinspect.model.image import Evidence, Region, Span
from mapinspect.model.inspection import Inspection, Located, Matched, PlacedSection
from mapinspect.model.part import MemoryBank, Part
from tests.builders import (
    FLASH,
    RAM,
    bss,
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
from tests.good_firmware import facts, outcomes

PSRAM = Region("PSRAM", Span(0x9000_0000, 0x10000), "xrw", Evidence("app.map", 5, "PSRAM"))
QSPI = Region("QSPI", Span(0x7000_0000, 0x10000), "xr", Evidence("app.map", 6, "QSPI"))
KINDS = {"PSRAM": "psram", "QSPI": "external-flash"}


def row(**claims: object) -> PlacementRow:
    plain = PlacementRow(
        id="p",
        match=Match(symbol="g_model*"),
        regions=(),
        section=None,
        align=None,
        read_only=None,
        optional=False,
        declared=Evidence("mapinspect.toml", 9, "strategy = …"),
    )
    return replace(plain, **claims)


def judged(claim: PlacementRow, *places: Located, more: tuple[PlacedSection, ...] = ()) -> Outcome:
    return answer(image(claim, *places, more=more))


def image(
    claim: PlacementRow, *places: Located, more: tuple[PlacedSection, ...] = ()
) -> Inspection:
    budget = replace(table(), placements=(claim,))
    sections = dict.fromkeys([*(place.section for place in places), *more])
    made = inspection(*sections, budget=budget, regions=(FLASH, RAM, PSRAM, QSPI))
    rows = tuple(replace(region_row(name), kind=kind) for name, kind in KINDS.items())
    return replace(
        made,
        table=replace(budget, regions=rows),
        placement_matches={"p": Matched(places)},
    )


def answer(made: Inspection) -> Outcome:
    (outcome,) = placement_broken(made)
    return outcome


def said(outcome: Outcome) -> str:
    return outcome.findings[0].message


IN_FLASH = located("g_model", text())
COPIED = located("g_model", data(0x100))
UNSTORED = located("g_model", bss(0x100))
IN_QSPI = replace(
    located("g_model", section(".q", QSPI.span.start, 64)), region="QSPI", load_region=None
)
FROM_NOWHERE = located("g_model", section(".m", FLASH.span.start, 64, lma=0x7000_0000))
IN_PSRAM = replace(
    located("g_model", section(".p", PSRAM.span.start, 64, lma=FLASH.span.start, writable=True)),
    region="PSRAM",
    load_region="FLASH",
)
FILLED = replace(
    located("g_model", section(".p", PSRAM.span.start, 64, stored=False, writable=True)),
    region="PSRAM",
    load_region=None,
)


@pytest.mark.parametrize(
    ("strategy", "place", "fault"),
    [
        pytest.param("xip", IN_FLASH, None, id="in place, in Flash"),
        pytest.param("xip", IN_QSPI, None, id="in place, in external Flash"),
        pytest.param("xip", FROM_NOWHERE, "it is copied from 0x70000000", id="stored elsewhere"),
        pytest.param("xip", COPIED, "is not executed in place from Flash: it lies in RAM", id="x"),
        pytest.param("copied", COPIED, None, id="copied at start-up"),
        pytest.param("copied", IN_FLASH, "is not copied from Flash to RAM", id="left in Flash"),
        pytest.param("copied", UNSTORED, "it is stored in RAM", id="never stored"),
        pytest.param("on-demand", IN_QSPI, None, id="kept in external Flash"),
        pytest.param("on-demand", IN_FLASH, "it lies in FLASH", id="kept in internal Flash"),
        pytest.param("psram", IN_PSRAM, None, id="copied to PSRAM"),
        pytest.param("psram", FILLED, None, id="PSRAM that the program fills"),
        pytest.param("psram", COPIED, "is not held in PSRAM: it lies in RAM", id="in RAM"),
    ],
)
def test_strategies(strategy: str, place: Located, fault: str | None) -> None:
    outcome = judged(row(strategy=strategy), place)
    assert outcome.status is (Status.HOLDS if fault is None else Status.BROKEN)
    assert fault is None or fault in said(outcome)


@pytest.mark.parametrize(
    ("claims", "place", "fault"),
    [
        pytest.param({"section": ".te*"}, IN_FLASH, None, id="its section"),
        pytest.param(
            {"section": ".rodata"}, IN_FLASH, "in section .text, not in .rodata", id="another one"
        ),
        pytest.param({"align": 64}, located("g_model", text(), 64), None, id="on a boundary"),
        pytest.param(
            {"align": 64},
            located("g_model", text(), 32),
            "lies at 0x08000020, not on a boundary of 64 bytes",
            id="between two",
        ),
        pytest.param({"read_only": True}, IN_FLASH, None, id="read-only"),
        pytest.param({"read_only": True}, UNSTORED, "which is writable", id="not read-only"),
        pytest.param({"read_only": False}, UNSTORED, None, id="writable"),
        pytest.param({"read_only": False}, IN_FLASH, "which is read-only", id="not writable"),
        pytest.param({"regions": ("R*", "FL*")}, IN_FLASH, None, id="in one of two regions"),
        pytest.param(
            {"regions": ("RAM",)}, IN_FLASH, "lies in FLASH, not in RAM", id="in another region"
        ),
    ],
)
def test_claims_about_a_place(claims: dict[str, object], place: Located, fault: str | None) -> None:
    outcome = judged(row(**claims), place)
    assert outcome.status is (Status.HOLDS if fault is None else Status.BROKEN)
    assert fault is None or fault in said(outcome)


@pytest.mark.parametrize(
    ("claims", "place", "help_"),
    [
        ({"align": 64}, located("g_model", text(), 32), "declare it alignas(64)"),
        ({"read_only": True}, UNSTORED, "declare it const"),
        ({"read_only": False}, IN_FLASH, "declare it without const"),
        ({"regions": ("RAM",)}, IN_FLASH, "move it in the linker script"),
    ],
)
def test_what_to_do_depends_on_what_is_wrong(
    claims: dict[str, object], place: Located, help_: str
) -> None:
    (finding,) = judged(row(**claims), place).findings
    assert finding.help.startswith(help_)


def test_a_strategy_in_memory_of_unknown_kind_is_undecided() -> None:
    odd = Region("X", FLASH.span, "", Evidence("app.map", 7, "X"))
    place = replace(IN_FLASH, region="X")
    made = replace(image(row(strategy="xip"), place), regions=(odd,))
    assert answer(made).status is Status.UNDECIDED


@pytest.mark.parametrize("strategy", ["copied", None])
def test_weights_that_are_copied_on_purpose_are_judged_by_their_row(strategy: str | None) -> None:
    made = image(row(strategy=strategy, align=4), COPIED)
    made = replace(made, models=(model(copy(COPIED)),))
    (outcome,) = weights_not_in_flash(made)
    assert outcome.status is (Status.NOT_CLAIMED if strategy else Status.BROKEN)


def test_only_the_row_about_the_weights_themselves_allows_a_copy() -> None:
    other = located("table", data(0x100), 128)
    made = image(row(strategy="copied"), COPIED, other)
    elsewhere = replace(made, placement_matches={"p": Matched((other,), 0)})
    rows = (row(strategy="copied"), row(id="q", strategy="xip"))
    for facts_, status in ((made, Status.NOT_CLAIMED), (elsewhere, Status.BROKEN)):
        matches = {**facts_.placement_matches, "q": Matched((IN_FLASH,), 0)}
        both = replace(facts_, table=replace(facts_.table, placements=rows))
        both = replace(both, placement_matches=matches, models=(model(copy(COPIED)),))
        (outcome,) = weights_not_in_flash(both)
        assert outcome.status is status


@pytest.mark.parametrize(
    ("offset", "status"),
    [
        pytest.param(64, Status.HOLDS, id="right behind the first"),
        pytest.param(79, Status.HOLDS, id="behind padding"),
        pytest.param(80, Status.BROKEN, id="behind something else"),
    ],
)
def test_contiguous(offset: int, status: Status) -> None:
    second = located("g_model_2", text(), offset)
    assert judged(row(contiguous=True), second, IN_FLASH).status is status


def part(**bank: object) -> Part:
    plain = MemoryBank("SRAM1", "ram", RAM.span)
    return Part("X", "Cortex-M7", (replace(plain, **bank),), "manual", Evidence("parts", 1, ""))


@pytest.mark.parametrize(
    ("bank", "offset", "status"),
    [
        pytest.param({"dma": True, "cacheable": False}, 4, Status.HOLDS, id="reached"),
        pytest.param({"dma": True}, 4, Status.UNDECIDED, id="not known whether a cache holds it"),
        pytest.param({"dma": True}, 32, Status.HOLDS, id="whole cache lines, if any"),
        pytest.param({"dma": False}, 0, Status.BROKEN, id="not reached"),
        pytest.param({"dma": None}, 0, Status.UNDECIDED, id="not known"),
        pytest.param({"dma": True, "cacheable": True}, 32, Status.HOLDS, id="whole cache lines"),
        pytest.param({"dma": True, "cacheable": True}, 16, Status.BROKEN, id="a shared line"),
        pytest.param({"dma": True, "span": Span(0, 16)}, 0, Status.BROKEN, id="no bank at all"),
    ],
)
def test_dma(bank: dict, offset: int, status: Status) -> None:
    place = located("buffer", bss(0x200), offset)
    made = replace(image(row(dma=True), place), part=part(**bank))
    assert answer(made).status is status


@pytest.mark.parametrize(
    ("attributes", "status"),
    [
        pytest.param("xr", Status.HOLDS, id="read and executed"),
        pytest.param("a", Status.UNDECIDED, id="letters that do not say whether it is written"),
    ],
)
def test_a_region_is_flash_only_where_its_attributes_say_so(
    attributes: str, status: Status
) -> None:
    made = image(row(strategy="xip"), located("g_model", text()))
    flash = replace(FLASH, attributes=attributes)
    assert answer(replace(made, regions=(flash, RAM))).status is status


def test_dma_in_the_good_firmware() -> None:
    rows = "[[placement]]\nid = 'a'\nmatch = { symbol = 'tensor_arena' }\ndma = true\n"
    statuses = [item.status for item in outcomes(facts(rows), "arena-misplaced")]
    assert statuses == [Status.HOLDS, Status.HOLDS]


SLOT = Slot(Span(FLASH.span.start + 0x4000, 0x1000), 0x800)


@pytest.mark.parametrize(
    ("start", "size", "words"),
    [
        pytest.param(0x4000, 0x1000, None, id="all of the slot"),
        pytest.param(0x4000, 0x1001, "is stored at 0x08004000, outside", id="one byte too many"),
        pytest.param(0x3FFF, 16, "is stored at 0x08003fff, outside", id="one byte too early"),
    ],
)
def test_a_slot_holds_the_model(start: int, size: int, words: str | None) -> None:
    home = section(".model", FLASH.span.start + start, size)
    outcome = judged(row(slot=SLOT), located("g_model", home, size=size))
    assert outcome.status is (Status.HOLDS if words is None else Status.BROKEN)
    assert words is None or words in said(outcome)


@pytest.mark.parametrize(
    ("length", "status"),
    [
        pytest.param("496K", Status.HOLDS, id="to the end of the part's Flash"),
        pytest.param("498K", Status.UNDECIDED, id="a sector further"),
    ],
)
def test_a_slot_lies_in_the_part(length: str, status: Status) -> None:
    """STM32L476RE: 512 KiB of Flash from 0x08000000, sectors of 2 KiB (RM0351)."""
    slot = f"{{ origin = 0x0800_4000, length = '{length}', sector = '2K' }}"
    claim = f"[[placement]]\nid = 'p'\nmatch = {{ symbol = 'g_kws_model' }}\nslot = {slot}\n"
    found = {item.subject: item for item in outcomes(facts(claim), "limit-beyond-memory")}
    assert found["p"].status is status


@pytest.mark.parametrize(
    ("other", "status"),
    [
        pytest.param(section(".text", FLASH.span.start, 0x4000), Status.HOLDS, id="code before"),
        pytest.param(section(".text", FLASH.span.start, 0x4001), Status.BROKEN, id="code in it"),
        pytest.param(data(16, FLASH.span.start + 0x4800), Status.BROKEN, id="a load image in it"),
        pytest.param(bss(0x100), Status.HOLDS, id="RAM"),
    ],
)
def test_a_slot_holds_nothing_else(other: PlacedSection, status: Status) -> None:
    home = section(".model", FLASH.span.start + 0x4400, 64)
    outcome = judged(row(slot=SLOT), located("g_model", home), more=(other,))
    assert outcome.status is status
    assert status is Status.HOLDS or f"with {other.name}" in said(outcome)
