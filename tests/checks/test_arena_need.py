"""What an arena must hold: ranges, requirements of the table, constants of the program, slack."""

from dataclasses import replace

import pytest

from mapinspect.checks.arena_oversized import arena_oversized
from mapinspect.checks.arena_too_small import arena_too_small
from mapinspect.model.budget import Amount
from mapinspect.model.finding import Status
from mapinspect.model.image import Evidence
from mapinspect.model.inspection import ArenaFacts
from mapinspect.readers.budget.reader import read_budget
from tests.builders import arena, bss, inspection, located

HOME = bss(0xF000)
LINE = Evidence("mapinspect.toml", 7, "kws needs … bytes of arena, by a measurement")


def of_size(size: int, **changes: object) -> ArenaFacts:
    """An arena of this size whose models need 1000 bytes, unless told otherwise."""
    return replace(arena(located("tensor_arena", HOME, size=size)), **changes)


def answer(facts: ArenaFacts) -> Status:
    [outcome] = arena_too_small(replace(inspection(HOME), arenas=(facts,)))
    return outcome.status


@pytest.mark.parametrize(
    ("size", "status"),
    [
        pytest.param(999, Status.BROKEN, id="below the smallest need"),
        pytest.param(1000, Status.UNDECIDED, id="the smallest need"),
        pytest.param(1199, Status.UNDECIDED, id="a byte below what suffices"),
        pytest.param(1200, Status.HOLDS, id="what suffices in every case"),
    ],
)
def test_a_need_that_is_a_range_decides_outside_of_it(size: int, status: Status) -> None:
    assert answer(of_size(size, exact=False, enough=1200)) is status


@pytest.mark.parametrize(
    ("size", "declared", "status"),
    [
        pytest.param(2000, 2000, Status.HOLDS, id="as large as declared"),
        pytest.param(1999, 2000, Status.BROKEN, id="a byte smaller than declared"),
        pytest.param(999, 1000, Status.BROKEN, id="smaller than computed"),
        pytest.param(2000, 999, Status.UNDECIDED, id="declared less than computed"),
    ],
)
def test_a_declared_requirement_decides_a_lower_bound(
    size: int, declared: int, status: Status
) -> None:
    assert answer(of_size(size, exact=False, required=(declared, LINE))) is status


@pytest.mark.parametrize(
    ("constant", "exact", "status"),
    [
        pytest.param(999, True, Status.BROKEN, id="too small"),
        pytest.param(1000, True, Status.UNDECIDED, id="enough only at the right address"),
        pytest.param(1029, True, Status.UNDECIDED, id="enough at all but one address"),
        pytest.param(1030, True, Status.HOLDS, id="enough at every address"),
        pytest.param(1030, False, Status.UNDECIDED, id="not below a lower bound"),
    ],
)
def test_an_arena_on_the_heap_is_judged_by_its_constant(
    constant: int, status: Status, *, exact: bool
) -> None:
    place = Evidence("app.elf", None, f"kTensorArenaSize is {constant}")
    facts = of_size(4, exact=exact, size_constant=(constant, place))
    assert answer(facts) is status


def test_a_symbol_larger_than_its_section_is_no_proof_of_room() -> None:
    few = bss(900)
    facts = replace(arena(located("tensor_arena", few, size=2000)))
    [outcome] = arena_too_small(replace(inspection(few), arenas=(facts,)))
    assert outcome.status is Status.BROKEN


@pytest.mark.parametrize(
    ("size", "slack", "warns"),
    [
        pytest.param(2024, None, False, id="1 KiB more"),
        pytest.param(2025, None, True, id="a byte above 1 KiB"),
        pytest.param(1200, Amount(None, 0.2, "20%"), False, id="a fifth, allowed"),
        pytest.param(1201, Amount(None, 0.2, "20%"), True, id="above the fifth allowed"),
        pytest.param(9000, Amount(8000, None, "8000"), False, id="bytes allowed"),
    ],
)
def test_slack_is_a_warning(size: int, slack: Amount | None, *, warns: bool) -> None:
    [outcome] = arena_oversized(replace(inspection(HOME), arenas=(of_size(size, slack=slack),)))
    assert outcome.status is Status.HOLDS
    assert bool(outcome.findings) is warns


def test_a_tenth_of_a_large_arena_is_no_slack() -> None:
    large = of_size(22_000, needed=20_000)
    assert not next(arena_oversized(replace(inspection(HOME), arenas=(large,)))).findings
    larger = of_size(22_001, needed=20_000)
    assert next(arena_oversized(replace(inspection(HOME), arenas=(larger,)))).findings


def test_the_table_declares_requirement_and_slack() -> None:
    text = """version = 1
[inputs]
models = [{ name = "kws", file = "k.tflite", arena-bytes = "40K", arena-reason = "log 12", slack = "20%" }]
"""  # noqa: E501 - an inline table is one line
    [entry] = read_budget("mapinspect.toml", text.encode()).inputs.models
    assert (entry.arena_bytes, entry.arena_reason) == (40 * 1024, "log 12")
    assert entry.slack is not None
    assert entry.slack.at_most(1000) == 200
