"""Counters as key = value: several in a line, again and again, and what they may not be."""

import pytest

from mapinspect.errors import InputError
from tests.readers.measured.test_logs import read, values


def test_several_counters_may_share_a_line() -> None:
    found = read("ts=1234 level=info heap_peak=520, stack_peak = 488; Iterations=2000\n")
    assert values(found) == {"heap.peak": 520, "stack.peak": 488}
    assert found.run.iterations == 2000


def test_a_run_may_report_its_progress() -> None:
    found = read(
        "heap_start = 100\n"
        "iterations = 500\nheap_end = 180\nstack_peak = 400\nmalloc_failed = 0\n"
        "iterations = 1500\nheap_end = 120\nstack_peak = 380\nmalloc_failed = 2\n"
    )
    assert values(found) == {"stack.peak": 400}
    assert (found.run.iterations, found.run.failures) == (1500, 2)
    assert (found.run.heap_start, found.run.heap_end) == (100, 180)  # the most it ended at


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("iterations = 9\niterations = 3\n", id="started again"),
        pytest.param("heap_start = 9\nheap_start = 12\n", id="another start"),
        pytest.param("build_id = abcdef12\nbuild_id = abcdef13\n", id="two builds"),
        pytest.param("conditions = 25 C\nconditions = 85 C\n", id="two conditions"),
    ],
)
def test_two_runs_in_one_log_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="give the log of one run at a time"):
        read(text + "stack_peak = 1\n")


@pytest.mark.parametrize(
    "key",
    [
        "stack_high_water",
        "stack.camera.high_water",
        "stack_highwater",
        "stack_high_water_mark",
        "STACK_HIGH_WATER",
    ],
)
def test_a_high_water_mark_must_say_whether_it_is_of_use_or_of_room(key: str) -> None:
    with pytest.raises(InputError, match="what was never used"):
        read(f"{key} = 120\n")


def test_a_log_that_ends_within_a_number_says_so() -> None:
    whole, cut = (read(text).measurements[0] for text in ("stack_peak = 48\n", "stack_peak = 48"))
    assert not whole.notes
    assert cut.notes == ("the log ends within its line: digits may be missing",)
