"""Where an arena may lie: in uninitialised RAM, at a boundary of 16 bytes, known to be one."""

from dataclasses import replace

import pytest

from mapinspect.checks.arena_misplaced import arena_misplaced
from mapinspect.model.finding import Outcome, Status
from mapinspect.model.image import Evidence, Region, Span
from mapinspect.model.inspection import ArenaFacts, Located, PlacedSection
from tests.builders import FLASH, RAM, arena, bss, data, inspection, located, section

HOME = bss(0x800)
QSPI = Region("QSPI", Span(0x9000_0000, 0x1000), "xr", Evidence("app.map", 5, "QSPI"))
IN_FLASH = section(".noinit", FLASH.span.start + 0x100, 0x400, stored=False)
IN_QSPI = section(".noinit", QSPI.span.start, 0x400, stored=False)
NOWHERE = section(".noinit", 0x3000_0000, 0x400, stored=False)


def placed(home: PlacedSection, offset: int = 0, size: int = 64) -> Located:
    return located("tensor_arena", home, offset, size)


def judged(*arenas: ArenaFacts, regions: tuple[Region, ...] = (FLASH, RAM, QSPI)) -> list[Outcome]:
    homes = dict.fromkeys(place.section for item in arenas for place in item.candidates)
    return list(arena_misplaced(replace(inspection(*homes, regions=regions), arenas=arenas)))


def messages(outcomes: list[Outcome]) -> list[str]:
    return [finding.message for outcome in outcomes for finding in outcome.findings]


@pytest.mark.parametrize(
    ("place", "status", "words"),
    [
        pytest.param(placed(HOME), Status.HOLDS, None, id="in RAM"),
        pytest.param(
            placed(IN_FLASH),
            Status.BROKEN,
            "tensor_arena (64 bytes) lies in FLASH, not in RAM",
            id="in Flash",
        ),
        pytest.param(
            replace(placed(IN_QSPI), region="QSPI"),
            Status.BROKEN,
            "tensor_arena (64 bytes) lies in QSPI, not in RAM",
            id="in external Flash",
        ),
        pytest.param(
            placed(NOWHERE),
            Status.BROKEN,
            "tensor_arena (64 bytes) lies in no region, not in RAM",
            id="in no memory at all",
        ),
        pytest.param(
            placed(data(0x400)),
            Status.BROKEN,
            "tensor_arena is stored with contents in .data: 64 bytes of FLASH",
            id="copied from Flash",
        ),
        pytest.param(
            placed(section(".data", RAM.span.start, 0x400, writable=True)),
            Status.BROKEN,
            "tensor_arena is stored with contents in .data: 64 bytes of RAM",
            id="stored where it runs",
        ),
        pytest.param(
            placed(section(".data", 0x3000_0000, 0x400, writable=True)),
            Status.BROKEN,
            "tensor_arena is stored with contents in .data: 64 bytes of Flash",
            id="stored where no region is",
        ),
        pytest.param(
            placed(HOME, size=4),
            Status.UNDECIDED,
            "tensor_arena is a pointer: where the arena lies is unknown",
            id="a pointer says nothing of the array",
        ),
    ],
)
def test_where_an_arena_lies(place: Located, status: Status, words: str | None) -> None:
    outcomes = judged(arena(place))
    assert [item.status for item in outcomes] == [status]
    assert messages(outcomes) == ([words] if words else [])


def test_without_regions_no_arena_is_placed() -> None:
    place = replace(placed(HOME), region=None)
    (outcome,) = judged(arena(place), regions=())
    assert outcome.status is Status.UNDECIDED


@pytest.mark.parametrize(
    ("offset", "lost"), [(0, None), (1, 15), (8, 8), (15, 1), (16, None), (20, 12)]
)
def test_bytes_are_lost_up_to_the_next_boundary_of_16(offset: int, lost: int | None) -> None:
    """The distance from the address to the next multiple of 16, counted by hand."""
    said = messages(judged(arena(placed(HOME, offset))))
    assert [f"{lost} bytes are lost" in message for message in said] == [True] * (lost is not None)


def test_an_arena_that_is_not_there_is_not_claimed_and_hides_no_other() -> None:
    lost = replace(arena(), wanted="gone")
    outcomes = judged(lost, arena(placed(IN_FLASH)))
    assert [(item.subject, item.status) for item in outcomes] == [
        ("gone", Status.NOT_CLAIMED),
        ("tensor_arena", Status.BROKEN),
    ]


def test_no_model_is_no_claim() -> None:
    assert [item.status for item in judged()] == [Status.NOT_CLAIMED]
