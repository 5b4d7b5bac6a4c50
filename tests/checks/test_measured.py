"""The three checks of measurements, over the firmware that measured itself."""

from dataclasses import replace

import pytest

from mapinspect.checks.measured_over_reserve import measured_over_reserve
from mapinspect.checks.measurement_doubtful import measurement_doubtful
from mapinspect.checks.measurement_stale import measurement_stale
from mapinspect.model.finding import Outcome, Severity, Status
from mapinspect.model.image import Evidence
from mapinspect.model.measurement import Build, Measurement, Run, Weighed
from tests.builders import bss, inspection, text
from tests.good_firmware import facts, outcomes

# The good firmware reserves 4096 bytes for its stack and as many for its heap.
RUN = Run(build_id="auto", iterations=1000)


def measured(kind: str, used: int, subject: str = "main", **run: object) -> Measurement:
    evidence = Evidence("run.log", 9, f"{kind}_peak = {used}")
    return Measurement(f"{kind}.peak", kind, subject, used, replace(RUN, **run), evidence)


def judged(rows: str, *items: Measurement, check: str = "measured-over-reserve") -> list[Outcome]:
    return outcomes(facts(rows, measured=items), check)


def statuses(found: list[Outcome]) -> list[Status]:
    return [outcome.status for outcome in found]


@pytest.mark.parametrize(
    ("kind", "most", "full"),
    [
        pytest.param("heap", 4096, Status.HOLDS, id="a heap, whose peak is counted"),
        pytest.param("stack", 4095, Status.UNDECIDED, id="a stack, whose paint ends where it does"),
    ],
)
def test_a_peak_may_fill_its_reserve_and_no_more(kind: str, most: int, full: Status) -> None:
    assert statuses(judged("", measured(kind, most))) == [Status.HOLDS]
    assert statuses(judged("", measured(kind, 4096))) == [full]
    (outcome,) = judged("", measured(kind, 4097))
    assert outcome.status is Status.BROKEN
    assert "used 4097 of 4096 bytes, 1 more than linked" in outcome.findings[0].message


def test_an_arena_used_beyond_its_array() -> None:
    (outcome,) = judged("", measured("arena", 12_289, "arena"))
    assert outcome.subject == "tensor_arena"
    assert outcome.status is Status.BROKEN


ROW = "[[budget]]\nid = 's'\nkind = 'stack'\nheadroom = '20%'\n"


@pytest.mark.parametrize(
    ("used", "expected"),
    [
        # 20 % of 4096 is 819.2, so 820 must stay free.
        pytest.param(4096 - 820, Status.HOLDS, id="exactly the headroom is free"),
        pytest.param(4096 - 819, Status.BROKEN, id="a byte of the headroom is used"),
    ],
)
def test_headroom_is_a_share_of_what_is_linked(used: int, expected: Status) -> None:
    assert statuses(judged(ROW, measured("stack", used))) == [Status.HOLDS, expected]


@pytest.mark.parametrize(
    ("used", "size", "expected"),
    [
        pytest.param(4096, 4096, [Status.UNDECIDED, Status.BROKEN], id="all of it"),
        pytest.param(256, 256, [Status.UNDECIDED, Status.UNDECIDED], id="all that was dumped"),
        pytest.param(255, 256, [Status.HOLDS, Status.HOLDS], id="all but a byte"),
    ],
)
def test_a_stack_without_paint_may_have_gone_deeper(
    used: int, size: int, expected: list[Status]
) -> None:
    found = judged(ROW, replace(measured("stack", used), size=size))
    assert statuses(found) == expected
    if expected[0] is Status.UNDECIDED:
        assert f"main used all {used} bytes that were looked at" in found[0].findings[0].message


def test_headroom_without_a_measurement_is_undecided() -> None:
    assert statuses(judged(ROW)) == [Status.NOT_CLAIMED, Status.UNDECIDED]
    elsewhere = ROW + "region = 'SRAM2'\n"
    found = judged(elsewhere, measured("stack", 5))
    assert Status.UNDECIDED in statuses(found)


def test_headroom_of_two_is_undecided_while_only_one_was_measured() -> None:
    row = ROW.replace("'stack'", "'heap'")
    image = facts(row, measured=(measured("heap", 5),))
    assert Status.UNDECIDED not in statuses(outcomes(image, "measured-over-reserve"))
    line = replace(image.line("s"), measured=None)  # as Peaks.total says where one is missing
    image = replace(image, rows=(line,))
    assert Status.UNDECIDED in statuses(outcomes(image, "measured-over-reserve"))


def test_a_peak_above_the_limit_of_what_no_section_holds() -> None:
    row = "[[budget]]\nid = 'h'\nkind = 'heap'\nlimit = '2K'\noptional = true\nregion = 'SRAM2'\n"
    assert statuses(judged(row, measured("heap", 3000))) == [Status.HOLDS]


def weigh(*runs: Run, build: Build = Build.SAME, **values: object) -> list[Weighed]:
    given = {"id": "stack.peak", "kind": "stack", "subject": "main", "bytes": 9, **values}
    items = [Measurement(run=run, evidence=Evidence("run.log", 2, "…"), **given) for run in runs]
    return [Weighed(item, build, "main", 4096) for item in items]


def only(check, found: list[Weighed]) -> Outcome:
    (outcome,) = check(replace(inspection(text(), bss(8)), measured=tuple(found)))
    return outcome


@pytest.mark.parametrize(
    ("build", "expected"),
    [
        (Build.SAME, Status.HOLDS),
        (Build.UNSTATED, Status.NOT_CLAIMED),
        (Build.OTHER, Status.UNDECIDED),
        (Build.UNKNOWN, Status.UNDECIDED),
    ],
)
def test_stale_follows_the_build(build: Build, expected: Status) -> None:
    assert only(measurement_stale, weigh(RUN, build=build)).status is expected


def test_a_stack_larger_than_the_linked_one_is_of_another_build() -> None:
    assert only(measurement_stale, weigh(RUN, size=4096)).status is Status.HOLDS
    outcome = only(measurement_stale, weigh(RUN, build=Build.UNSTATED, size=4097))
    assert outcome.status is Status.UNDECIDED
    assert "main has 4097 bytes, but 4096 are linked" in outcome.findings[0].message


@pytest.mark.parametrize(
    ("change", "doubt"),
    [
        pytest.param({}, None, id="a thousand iterations are enough"),
        pytest.param({"iterations": 999}, "999 iterations are fewer than 1000", id="too few"),
        pytest.param({"iterations": None}, "iterations is not stated", id="not stated"),
        pytest.param({"heap_start": 5, "heap_end": 6}, "the heap drifts upward", id="drift"),
        pytest.param({"heap_start": 6, "heap_end": 5}, None, id="a heap that shrinks is no drift"),
    ],
)
def test_doubts_warn_once_for_each_file(change: dict, doubt: str | None) -> None:
    outcome = only(measurement_doubtful, weigh(*[replace(RUN, **change)] * 3))
    assert outcome.status is Status.HOLDS
    warnings = [item for item in outcome.findings if item.severity is Severity.WARNING]
    assert len(warnings) == (doubt is not None)
    if doubt:
        assert warnings[0].message.count(doubt) == 1


@pytest.mark.parametrize(("failures", "broken"), [(None, 0), (0, 0), (2, 1)])
def test_a_run_in_which_memory_ran_out_breaks_once(failures: int | None, broken: int) -> None:
    found = weigh(*[replace(RUN, failures=failures)] * 3)
    outcomes = measured_over_reserve(replace(inspection(text(), bss(8)), measured=tuple(found)))
    messages = [item.message for outcome in outcomes for item in outcome.findings]
    assert messages == ["2 allocations failed in the run of run.log"] * broken


def test_checks_of_measurements_claim_nothing_without_any() -> None:
    for check in (measured_over_reserve, measurement_stale, measurement_doubtful):
        assert only(check, []).status is Status.NOT_CLAIMED


def test_a_measurement_of_another_build_breaks_nothing() -> None:
    found = judged("", measured("stack", 9999, build_id="00" * 20))
    assert statuses(found) == [Status.NOT_CLAIMED]
