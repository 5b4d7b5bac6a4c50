"""Rows of the table that are about nothing, about what is hidden, or about unknown memory."""

from dataclasses import replace

import pytest

from mapinspect.checks.placement_broken import placement_broken
from mapinspect.checks.row_matches_nothing import row_matches_nothing
from mapinspect.model.budget import Match, PlacementRow
from mapinspect.model.budget_rows import RowNumbers
from mapinspect.model.finding import Outcome, Status
from mapinspect.model.habits import Margins
from mapinspect.model.image import Evidence
from mapinspect.model.inspection import Inspection, Located, Matched
from mapinspect.model.part import MemoryBank, Part
from mapinspect.readers.budget.reader import read_budget
from tests.builders import (
    RAM,
    arena,
    bss,
    inspection,
    located,
    map_facts,
    region_row,
    table,
    text,
)

HERE = Evidence("mapinspect.toml", 9, "[[placement]]")
HOLDS, UNDECIDED, NOT_CLAIMED = Status.HOLDS, Status.UNDECIDED, Status.NOT_CLAIMED
LINE = RowNumbers("x", "all", None, 100, None, 100, None, None, "app.elf", 4096, 100)
NOTHING = replace(LINE, linked=0, available=0)


def budget(claims: str, line: RowNumbers, *, stripped: bool = False, **more: object) -> Outcome:
    rows = f"version = 1\n[[budget]]\nid = 'x'\n{claims}\n"
    facts = replace(inspection(text()), table=read_budget("b.toml", rows.encode()), rows=(line,))
    assert facts.elf is not None
    facts = replace(facts, elf=replace(facts.elf, stripped=stripped), map=map_facts(), **more)
    (outcome,) = row_matches_nothing(facts)
    return outcome


SYMBOL = "match = { symbol = 'g_*' }\nlimit = 1"
OBJECT = "match = { object = 'a.o' }\nlimit = 1"
HEAP, STATIC = "kind = 'heap'\nlimit = 1", "kind = 'static'\nlimit = 1"
STACK = "kind = 'stack'\nmin = 1"


@pytest.mark.parametrize(
    ("claims", "line", "status", "words"),
    [
        pytest.param(SYMBOL, LINE, HOLDS, "", id="it counts bytes"),
        pytest.param(SYMBOL, NOTHING, UNDECIDED, "row x matches nothing", id="it counts none"),
        pytest.param(HEAP, replace(NOTHING, available=64), HOLDS, "", id="a heap in no section"),
        pytest.param(
            STATIC,
            replace(LINE, memory="CCM", whole=0),
            UNDECIDED,
            "row x is about CCM, which is not in the image",
            id="in a memory that is not there",
        ),
        pytest.param(STATIC, replace(LINE, whole=0), HOLDS, "", id="in all of no known memory"),
        pytest.param(STATIC, replace(LINE, memory="RAM", whole=1), HOLDS, "", id="in one byte"),
        pytest.param(SYMBOL, replace(LINE, mixed=1), HOLDS, "", id="it counts at least some"),
        pytest.param(
            SYMBOL, replace(NOTHING, mixed=1), UNDECIDED, "link-time optimisation", id="all mixed"
        ),
        pytest.param(
            OBJECT, replace(NOTHING, thin=1), UNDECIDED, "thin archive", id="all of a thin archive"
        ),
    ],
)
def test_a_row_is_about_something(
    claims: str, line: RowNumbers, status: Status, words: str
) -> None:
    outcome = budget(claims, line)
    assert (outcome.status, words in outcome.reason) == (status, True)
    absent = budget(f"{claims}\noptional = true", line)
    sure = status is UNDECIDED and not (line.mixed or line.thin)
    assert absent.status is (NOT_CLAIMED if sure else status)


@pytest.mark.parametrize(
    ("claims", "line", "status"),
    [
        pytest.param(SYMBOL, LINE, UNDECIDED, id="a symbol"),
        pytest.param(HEAP, NOTHING, UNDECIDED, id="a kind that symbols tell"),
        pytest.param(HEAP, LINE, HOLDS, id="a kind of which bytes are counted"),
        pytest.param(STATIC, NOTHING, NOT_CLAIMED, id="a kind that sections tell"),
        pytest.param(OBJECT, NOTHING, NOT_CLAIMED, id="an object, which the map tells"),
    ],
)
def test_a_stripped_elf_hides_what_symbols_tell(
    claims: str, line: RowNumbers, status: Status
) -> None:
    outcome = budget(f"{claims}\noptional = true", line, stripped=True)
    assert outcome.status is status
    assert status is not UNDECIDED or "no symbols to tell by" in outcome.reason


def test_objects_are_told_by_a_map_of_this_link_alone() -> None:
    facts = {"map": replace(map_facts(), shares_symbols=False)}
    rows = f"version = 1\n[[budget]]\nid = 'x'\n{OBJECT}\noptional = true\n"
    image = replace(inspection(text()), table=read_budget("b.toml", rows.encode()), rows=(LINE,))
    for link_map, words in ((None, "are named in the map"), (facts["map"], "no symbol shows")):
        (outcome,) = row_matches_nothing(replace(image, map=link_map))
        assert (outcome.status, words in outcome.reason) == (UNDECIDED, True)
    (outcome,) = row_matches_nothing(replace(image, map=map_facts()))
    assert outcome.status is HOLDS


@pytest.mark.parametrize(
    ("claims", "room", "status"),
    [
        pytest.param(STACK, 64, HOLDS, id="what is left for the stack"),
        pytest.param(STACK, None, UNDECIDED, id="nothing says what is left"),
        pytest.param("kind = 'stack'\nlimit = 1", 64, UNDECIDED, id="a limit of nothing"),
    ],
)
def test_a_stack_that_nothing_reserves_is_something(
    claims: str, room: int | None, status: Status
) -> None:
    assert budget(claims, NOTHING, margins=Margins(room=room)).status is status


def test_a_region_that_is_not_there_is_named_with_those_that_are() -> None:
    facts = inspection(text(), budget=table(region_row("RAM"), region_row("XYZ")))
    there, gone = row_matches_nothing(facts)
    assert (there.subject, there.status, gone.status) == ("RAM", HOLDS, UNDECIDED)
    assert gone.findings[0].help == "regions are FLASH, RAM"
    alone = list(row_matches_nothing(replace(facts, elf=None)))
    assert [item.status for item in alone] == [HOLDS, UNDECIDED]


IN_RAM = located("buffer", bss(64))
IN_FLASH = located("buffer", text())
PLAIN = PlacementRow(
    id="p", match=Match(symbol="buffer"), regions=("RAM",), section=None, align=None,
    read_only=None, optional=False, declared=HERE,
)  # fmt: skip
PART = Part("X", "M4", (MemoryBank("SRAM1", "ram", RAM.span),), "", HERE)


def image(
    row: PlacementRow, *places: Located, part: Part | None = None, **hidden: bool
) -> Inspection:
    facts = inspection(text(), bss(64), budget=replace(table(), placements=(row,)))
    return replace(facts, part=part, placement_matches={"p": Matched(places, 0, **hidden)})


@pytest.mark.parametrize(
    ("row", "places", "hidden", "status", "words"),
    [
        pytest.param(PLAIN, [IN_RAM], {}, HOLDS, "", id="a place in a known memory"),
        pytest.param(PLAIN, [], {}, UNDECIDED, "placement p matches nothing", id="no place"),
        pytest.param(PLAIN, [IN_RAM], {"mixed": True}, UNDECIDED, "link-time", id="more is mixed"),
        pytest.param(PLAIN, [IN_RAM], {"thin": True}, UNDECIDED, "thin archive", id="more is thin"),
        pytest.param(
            replace(PLAIN, regions=("CCM",)),
            [IN_RAM],
            {},
            UNDECIDED,
            "placement p wants CCM, which is not in the image",
            id="in a region that is not there",
        ),
        pytest.param(
            replace(PLAIN, regions=(), banks=("SRAM9",)),
            [IN_RAM],
            {},
            UNDECIDED,
            "placement p wants SRAM9",
            id="in a bank that is not there",
        ),
        pytest.param(replace(PLAIN, regions=("CCM", "R*")), [IN_RAM], {}, HOLDS, "", id="in one"),
        pytest.param(
            replace(PLAIN, regions=(), banks=("SRAM?",)), [IN_RAM], {}, HOLDS, "", id="in a bank"
        ),
    ],
)
def test_a_placement_is_about_something(
    row: PlacementRow, places: list[Located], hidden: dict[str, bool], status: Status, words: str
) -> None:
    (outcome,) = row_matches_nothing(image(row, *places, part=PART, **hidden))
    assert (outcome.status, words in outcome.reason) == (status, True)


@pytest.mark.parametrize(
    ("row", "part", "remedy"),
    [
        pytest.param(replace(PLAIN, regions=("ram",)), PART, "did you mean RAM?", id="near"),
        pytest.param(
            replace(PLAIN, regions=("XYZ",)), PART, "known are FLASH, RAM", id="near to none"
        ),
        pytest.param(
            replace(PLAIN, regions=(), banks=("XYZ",)), None, "give the map", id="none is known"
        ),
    ],
)
def test_unknown_memory_is_answered_by_what_is_known(
    row: PlacementRow, part: Part | None, remedy: str
) -> None:
    facts = image(row, IN_RAM, part=part)
    (outcome,) = row_matches_nothing(facts)
    assert outcome.findings[0].help.startswith(remedy)
    (placed,) = placement_broken(facts)
    assert (placed.status, placed.reason) == (NOT_CLAIMED, "row-matches-nothing judges it")


def test_a_row_about_an_arena_or_nothing_is_left_to_others() -> None:
    place = located("tensor_arena", bss(64))
    about = replace(image(PLAIN, IN_FLASH, place), arenas=(arena(place),))
    (outcome,) = placement_broken(about)
    assert (outcome.status, outcome.reason) == (NOT_CLAIMED, "arena-misplaced judges it")
    (outcome,) = placement_broken(image(PLAIN))
    assert (outcome.status, outcome.reason) == (NOT_CLAIMED, "it matches nothing")


LABEL = replace(located("buffer", bss(64), size=0), most=64, bank="SRAM1")
LOST = replace(LABEL, region=None)


@pytest.mark.parametrize(
    ("row", "places", "status"),
    [
        pytest.param(replace(PLAIN, regions=("FLASH",)), [IN_RAM], Status.BROKEN, id="a symbol"),
        pytest.param(
            replace(PLAIN, regions=("FLASH",)), [LABEL], Status.BROKEN, id="a label, all in RAM"
        ),
        pytest.param(
            replace(PLAIN, regions=("FLASH",)), [LOST], UNDECIDED, id="a label that may leave RAM"
        ),
        pytest.param(
            replace(PLAIN, regions=(), banks=("SRAM1",), align=4096 * 4),
            [replace(LABEL, bank=None)],
            UNDECIDED,
            id="a label that may leave its bank",
        ),
        pytest.param(
            replace(PLAIN, regions=("FLASH",)),
            [replace(LABEL, bank=None)],
            Status.BROKEN,
            id="a label of a part that is not known",
        ),
        pytest.param(
            replace(PLAIN, regions=("FLASH",)),
            [LOST, IN_RAM],
            Status.BROKEN,
            id="a symbol behind a label",
        ),
        pytest.param(
            replace(PLAIN, regions=("FLASH",), contiguous=True),
            [IN_RAM, LABEL],
            UNDECIDED,
            id="one run that has a label",
        ),
        pytest.param(
            replace(PLAIN, regions=("FLASH",), dma=True),
            [IN_RAM, LABEL],
            UNDECIDED,
            id="DMA of a label",
        ),
    ],
)
def test_what_is_wrong_with_a_label_is_sure_only_whatever_its_size_is(
    row: PlacementRow, places: list[Located], status: Status
) -> None:
    (outcome,) = placement_broken(image(row, *places, part=PART))
    assert outcome.status is status
    said = outcome.findings[0].message
    assert ("(at most 0 bytes)" in said) == (outcome.findings[0].evidence[1] == LABEL.evidence)
