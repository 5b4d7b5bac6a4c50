"""Rows against their limits and minimums, from numbers made by hand: sure, in doubt and unknown."""

from dataclasses import replace

import pytest

from mapinspect.checks.check import Check
from mapinspect.checks.row_over_budget import row_over_budget
from mapinspect.checks.row_under_minimum import row_under_minimum
from mapinspect.model.budget_rows import RowNumbers
from mapinspect.model.finding import Outcome, Severity, Status
from mapinspect.model.habits import Habits, Margins
from mapinspect.readers.budget.reader import read_budget
from tests.builders import inspection, located, text

LINE = RowNumbers("x", "RAM", None, 100, None, 100, None, None, "app.elf", 4096, 100)
HOLDS, BROKEN, UNDECIDED = Status.HOLDS, Status.BROKEN, Status.UNDECIDED
MALLOC = Habits(allocators=(located("malloc", text()),))


def judged(
    check: Check, claims: str, line: RowNumbers = LINE, *, habits: Habits | None = None,
    room: int | None = None,
) -> Outcome:  # fmt: skip
    table = read_budget("b.toml", f"version = 1\n[[budget]]\nid = 'x'\n{claims}\n".encode())
    facts = replace(inspection(text()), table=table, rows=(line,), margins=Margins(room=room))
    (outcome,) = check(replace(facts, habits=habits or Habits()))
    assert outcome.subject == "x"
    return outcome


def said(outcome: Outcome) -> tuple[Status, str]:
    return outcome.status, "; ".join(item.message for item in outcome.findings)


LIMIT = "kind = 'static'\nlimit = 1"


@pytest.mark.parametrize(
    ("changes", "status", "words"),
    [
        pytest.param({}, HOLDS, "", id="at its limit"),
        pytest.param({"limit": 99}, BROKEN, "x takes up 100 of 99 bytes, 1 over", id="a byte over"),
        pytest.param(
            {"limit": None},
            UNDECIDED,
            "x may take up a share of RAM, whose size is not known",
            id="a share of what is not known",
        ),
        pytest.param({"warn": 100}, HOLDS, "", id="at its warning"),
        pytest.param(
            {"warn": 99}, HOLDS, "x takes up 100 bytes, above its warning at 99", id="above it"
        ),
        pytest.param({"otherwise": 99}, HOLDS, "", id="both accounts fit"),
        pytest.param(
            {"otherwise": 101}, UNDECIDED, "x takes up 100 or 101 of 100 bytes", id="one does not"
        ),
        pytest.param(
            {"limit": 99, "otherwise": 99},
            UNDECIDED,
            "x takes up 100 or 99 of 99 bytes",
            id="only the other one fits",
        ),
        pytest.param({"limit": 98, "otherwise": 99}, BROKEN, "2 over", id="neither fits"),
        pytest.param({"mixed": 1}, UNDECIDED, "100 to 101 of 100 bytes: link-time", id="mixed"),
        pytest.param({"thin": 1}, UNDECIDED, "the map does not say which objects", id="thin"),
        pytest.param({"unsized": 1}, UNDECIDED, "labels without a size", id="unsized"),
        pytest.param({"limit": 101, "mixed": 1}, HOLDS, "", id="mixed bytes that fit as well"),
        pytest.param(
            {"limit": 99, "mixed": 1}, BROKEN, "100 of 99 bytes, 1 over", id="over without them"
        ),
    ],
)
def test_a_row_against_its_limit(
    changes: dict[str, int | None], status: Status, words: str
) -> None:
    found, message = said(judged(row_over_budget, LIMIT, replace(LINE, **changes)))
    assert found is status
    assert (words in message) if words else not message


def test_a_warning_names_its_own_line() -> None:
    outcome = judged(row_over_budget, f"{LIMIT}\nwarn = 1", replace(LINE, warn=99))
    assert outcome.findings[0].severity is Severity.WARNING
    assert outcome.findings[0].evidence[0].line == 6
    bare = judged(row_over_budget, LIMIT, replace(LINE, warn=99))
    assert bare.findings[0].evidence[0].line is not None


@pytest.mark.parametrize(
    ("kind", "changes", "habits", "status"),
    [
        pytest.param(
            "heap", {"available": 101}, MALLOC, UNDECIDED, id="it may grow past its limit"
        ),
        pytest.param("heap", {"available": 100}, MALLOC, HOLDS, id="it may grow to its limit"),
        pytest.param("heap", {"available": 101}, None, HOLDS, id="nothing allocates"),
        pytest.param("heap", {"available": 101, "measured": 9}, MALLOC, HOLDS, id="measured"),
        pytest.param("stack", {"available": 101}, MALLOC, HOLDS, id="a stack does not grow so"),
    ],
)
def test_a_heap_that_nothing_stops_may_leave_its_limit(
    kind: str, changes: dict[str, int], habits: Habits | None, status: Status
) -> None:
    claims = f"kind = '{kind}'\nlimit = 1"
    found = judged(row_over_budget, claims, replace(LINE, **changes), habits=habits)
    assert found.status is status


LEAST = "kind = 'static'\nmin = 1"


@pytest.mark.parametrize(
    ("changes", "status", "words"),
    [
        pytest.param({"minimum": 100}, HOLDS, "", id="just enough"),
        pytest.param(
            {"minimum": 101}, BROKEN, "x has 100 bytes and needs 101, 1 too few", id="a byte less"
        ),
        pytest.param({"minimum": 99, "available": 0}, Status.NOT_CLAIMED, "", id="nothing there"),
        pytest.param(
            {"minimum": None}, UNDECIDED, "x must have a share of RAM", id="a share of the unknown"
        ),
        pytest.param({"minimum": 99, "otherwise": 99}, HOLDS, "", id="both accounts reach it"),
        pytest.param(
            {"minimum": 99, "otherwise": 98}, UNDECIDED, "x has 100 or 98 bytes", id="one does not"
        ),
        pytest.param({"minimum": 101, "otherwise": 101}, BROKEN, "1 too few", id="this one fails"),
    ],
)
def test_a_row_against_its_minimum(
    changes: dict[str, int | None], status: Status, words: str
) -> None:
    found, message = said(judged(row_under_minimum, LEAST, replace(LINE, **changes)))
    assert found is status
    assert (words in message) if words else not message


def test_an_estimate_that_is_not_known_is_undecided() -> None:
    found = said(judged(row_under_minimum, "kind = 'arena'\nmin = 'estimate'"))
    assert found == (UNDECIDED, "the estimate that x must reach is unknown")


@pytest.mark.parametrize(
    ("room", "status"),
    [
        pytest.param(64, HOLDS, id="just enough is left"),
        pytest.param(63, BROKEN, id="a byte less is left"),
        pytest.param(None, Status.NOT_CLAIMED, id="nothing says what is left"),
    ],
)
def test_a_stack_that_nothing_reserves_needs_what_is_left(room: int | None, status: Status) -> None:
    line = replace(LINE, linked=0, available=0, minimum=64)
    found = judged(row_under_minimum, "kind = 'stack'\nmin = 64", line, room=room)
    assert found.status is status
