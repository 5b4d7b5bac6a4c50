"""Peaks that were measured against what is linked and what the table allows, made by hand."""

from dataclasses import replace

import pytest

from mapinspect.checks.measured_over_reserve import measured_over_reserve
from mapinspect.checks.measurement_doubtful import measurement_doubtful
from mapinspect.checks.measurement_stale import measurement_stale
from mapinspect.checks.stacks_unproven import stacks_unproven
from mapinspect.model.budget_rows import RowNumbers
from mapinspect.model.finding import Outcome, Status
from mapinspect.model.image import Evidence, Span
from mapinspect.model.measurement import Build, Measurement, Run, Weighed
from mapinspect.model.reservation import Reservation
from mapinspect.readers.budget.reader import read_budget
from tests.builders import inspection, text

LOG = Evidence("run.log", 9, "heap_peak")
RUN = Run(build_id="abc", iterations=1000)


def peak(
    used: int,
    *,
    kind: str = "stack",
    size: int | None = None,
    room: int | None = None,
    reserved: str | None = None,
    **item: object,
) -> Weighed:
    measured = Measurement(f"{kind}.peak", kind, "main", used, RUN, LOG, size=size)
    return Weighed(replace(measured, **item), Build.SAME, reserved, room)


def judged(*peaks: Weighed, rows: str = "", line: RowNumbers | None = None) -> list[Outcome]:
    table = read_budget("b.toml", f"version = 1\n{rows}".encode())
    found = replace(inspection(text()), table=table, measured=peaks)
    return list(measured_over_reserve(replace(found, rows=(line,) if line else ())))


def told(outcomes: list[Outcome]) -> list[tuple[str, Status]]:
    return [(item.subject, item.status) for item in outcomes]


HOLDS, BROKEN, UNDECIDED = Status.HOLDS, Status.BROKEN, Status.UNDECIDED


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        pytest.param(peak(63, room=64), [("main", HOLDS)], id="a byte less than is linked"),
        pytest.param(peak(64, room=64), [("main", UNDECIDED)], id="all that is linked"),
        pytest.param(peak(65, room=64), [("main", BROKEN)], id="a byte more"),
        pytest.param(peak(63, size=64), [("main", HOLDS)], id="the room that the device states"),
        pytest.param(peak(65, size=64), [("main", BROKEN)], id="more than the device states"),
        pytest.param(
            peak(65, size=65, room=64), [("main", BROKEN)], id="full, and more than is linked"
        ),
        pytest.param(peak(64, size=64, room=64), [("main", UNDECIDED)], id="a full stack"),
        pytest.param(
            peak(64, kind="heap", size=64, room=64), [("main", HOLDS)], id="a full heap is counted"
        ),
        pytest.param(
            peak(63, room=64, reserved="idle"), [("idle", HOLDS)], id="by the name of the reserve"
        ),
        pytest.param(peak(64), [("measured", Status.NOT_CLAIMED)], id="no room is known"),
    ],
)
def test_a_peak_against_its_room(item: Weighed, expected: list[tuple[str, Status]]) -> None:
    assert told(judged(item)) == expected


def test_what_has_no_room_hides_no_other() -> None:
    assert told(judged(peak(64), peak(65, room=64))) == [("main", BROKEN)]
    (outcome,) = judged(replace(peak(65, room=64), place=LOG))
    assert outcome.findings[0].evidence == (LOG, LOG)
    (outcome,) = judged(peak(65, room=64))
    assert outcome.findings[0].evidence == (LOG,)


LINE = RowNumbers("h", "all", None, 0, None, 2048, None, None, "app.elf")
LIMIT = "[[budget]]\nid = 'h'\nkind = 'heap'\nlimit = '2K'\n"


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        pytest.param({"measured": 2049}, BROKEN, id="a byte more than the limit"),
        pytest.param({"measured": 2048}, None, id="as much as the limit"),
        pytest.param({"measured": None}, None, id="not measured"),
        pytest.param({"measured": 2049, "limit": None}, None, id="a limit that is not known"),
        pytest.param({"measured": 2049, "linked": 2049}, None, id="what is linked is over as well"),
        pytest.param({"measured": 2050, "linked": 2049}, BROKEN, id="more than what is linked"),
    ],
)
def test_a_heap_that_nothing_limits_is_held_to_its_row(
    changes: dict[str, int | None], status: Status | None
) -> None:
    found = judged(peak(64), rows=LIMIT, line=replace(LINE, **changes))
    assert told(found) == [("measured", Status.NOT_CLAIMED)] + ([("h", status)] if status else [])
    if status:
        assert found[1].findings[0].message == (
            f"h used {changes['measured']} of 2048 bytes on the device"
        )


def test_a_row_without_a_limit_asks_for_none() -> None:
    rows = LIMIT.replace("limit = '2K'", "min = 1")
    found = judged(peak(64), rows=rows, line=replace(LINE, measured=9999, limit=None))
    assert told(found) == [("measured", Status.NOT_CLAIMED)]


HEADROOM = "[[budget]]\nid = 's'\nkind = 'stack'\nheadroom = 16\n"
STACKS = replace(LINE, id="s", limit=None)


@pytest.mark.parametrize(
    ("peaks", "measured", "statuses", "words"),
    [
        pytest.param([peak(48, room=64)], 48, [HOLDS], "", id="just enough stays free"),
        pytest.param(
            [peak(49, room=64)], 49, [BROKEN], "15 of 64 bytes free, 1 fewer", id="a byte less"
        ),
        pytest.param([], None, [UNDECIDED], "its peak was not measured", id="no peak"),
        pytest.param([peak(9)], 9, [UNDECIDED], "its peak was not measured", id="without a room"),
        pytest.param(
            [peak(9, room=64)], None, [UNDECIDED, HOLDS], "not all that it is", id="only one of two"
        ),
        pytest.param(
            [peak(9), peak(9, room=64)], 18, [HOLDS], "", id="one without a room beside another"
        ),
        pytest.param(
            [peak(9, size=9, room=64)], 9, [UNDECIDED], "used all 9 bytes", id="no bottom was seen"
        ),
    ],
)
def test_headroom(
    peaks: list[Weighed], measured: int | None, statuses: list[Status], words: str
) -> None:
    line = replace(STACKS, peaks=tuple(peaks), measured=measured)
    found = judged(rows=HEADROOM, line=line)[1:]
    assert [item.status for item in found] == statuses
    assert words in "".join(item.message for outcome in found for item in outcome.findings)


def test_doubts_of_one_value_are_said_with_its_name_and_those_of_the_run_once() -> None:
    short = replace(RUN, iterations=9)
    items = (peak(64, size=64, run=short), peak(5, kind="heap", run=short))
    (outcome,) = measurement_doubtful(replace(inspection(text()), measured=items))
    assert outcome.findings[0].message == (
        "run.log may show too little: stack.peak: it reached its end: it may have needed more; "
        "9 iterations are fewer than 1000"
    )


@pytest.mark.parametrize(
    ("items", "status"),
    [
        pytest.param([peak(1), replace(peak(1), build=Build.UNSTATED)], HOLDS, id="one says so"),
        pytest.param([peak(1, size=65, room=64)], UNDECIDED, id="a larger stack"),
        pytest.param([peak(1, size=65, room=64, kind="heap")], HOLDS, id="a larger heap"),
        pytest.param([peak(1, size=65)], HOLDS, id="a stack that is not known"),
        pytest.param(
            [replace(peak(1), build=Build.UNSTATED)], Status.NOT_CLAIMED, id="none says so"
        ),
    ],
)
def test_whose_measurement_it_is(items: list[Weighed], status: Status) -> None:
    (outcome,) = measurement_stale(replace(inspection(text()), measured=tuple(items)))
    assert outcome.status is status


def test_stacks_that_were_measured_on_another_build_are_not() -> None:
    stacks = tuple(
        Reservation("stack", f"s{number}", 8, "test", False, Span(number * 8, 8), LOG)
        for number in range(7)
    )
    found = replace(inspection(text()), reservations=stacks)
    own = replace(peak(1, reserved="s0"), span=Span(0, 8))
    (outcome,) = stacks_unproven(replace(found, measured=(own,)))
    assert outcome.status is HOLDS
    assert outcome.findings[0].message.startswith("6 stacks of 48 bytes were not measured: s1 8")
    (outcome,) = stacks_unproven(replace(found, measured=(replace(own, build=Build.OTHER),)))
    assert outcome.status is Status.NOT_CLAIMED
    assert outcome.findings[0].message.startswith("7 stacks of 56 bytes")
    assert outcome.findings[0].message.endswith(", …")
    (outcome,) = stacks_unproven(replace(found, reservations=stacks[:2]))
    assert outcome.findings[0].message.endswith(": s0 8, s1 8")
