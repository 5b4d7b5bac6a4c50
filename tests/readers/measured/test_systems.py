"""Zephyr's thread analyzer and TFLM's recording allocator, in the forms their options give."""

import pytest

from mapinspect.errors import InputError
from tests.readers.measured.test_logs import TFLM, read, values

TIME = "[00:00:30.725,463] \x1b[0m<inf> thread_analyzer: "


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(" idle 00            : STACK: unused 204 usage 116 / 320 (36 %); CPU: 98 %",
                     id="with run-time statistics"),
        pytest.param(" idle 00            : unused 204 usage 116 / 320 (36 %)",
                     id="without run-time statistics"),
        pytest.param("0x112880 idle 00    (real size 320):\tunused 204\tusage 116 / 320 (35 %)",
                     id="by the shell"),
        pytest.param(" idle 00: unused 204 usage 116 / 320 (36 %)\x1b[0m\r", id="coloured"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("prefix", ["", TIME, "[12:00:01.3] " + TIME, "2026-03-01 12:00:01,250 "])
def test_threads_are_read_under_their_own_names(row: str, prefix: str) -> None:
    (peak,) = read(f"{prefix}{row}\n").measurements
    assert (peak.id, peak.bytes, peak.size) == ("stack.idle 00.peak", 116, 320)


def test_an_unnamed_thread_is_called_by_its_address() -> None:
    text = " 0x20000120          : STACK: unused 204 usage 116 / 320 (36 %); CPU: 0 %\n"
    assert values(read(text)) == {"stack.0x20000120.peak": 116}


def test_a_privileged_stack_is_no_part_of_its_threads_stack() -> None:
    text = """\
 worker              : STACK: unused 204 usage 116 / 320 (36 %); CPU: 0 %
                     : PRIV_STACK: unused 24 usage 1000 / 1024 (97 %)
                     : Total CPU cycles used: 12472939
"""
    found = read(text)
    assert values(found) == {"stack.worker.peak": 116, "stack.worker.privileged": 1000}
    assert [item.kind for item in found.measurements] == ["stack", "other"]
    assert found.other_lines == 2


def test_lines_about_other_unused_things_are_passed_over() -> None:
    found = read("pool: unused 5 blocks\nstack_peak = 7\n")
    assert (values(found), found.other_lines) == ({"stack.peak": 7}, 2)


@pytest.mark.parametrize(
    "row",
    [
        " main : STACK: unused 680 usage 13",
        " main : STACK: ",
        " main : unused 680 usage 1368 / 20",
        "[RecordingMicroAllocator] Arena allocation total 23",
    ],
)
def test_a_cut_line_is_refused(row: str) -> None:
    with pytest.raises(InputError, match="is a cut line") as caught:
        read(f"stack_peak = 7\n{row}")
    assert caught.value.line == 2


def test_the_arena_of_the_largest_print_counts_with_its_own_shares() -> None:
    smaller = TFLM.replace("23412", "9568").replace("20480", "1000").replace("2932", "8568")
    expected = {"arena.used": 23412, "arena.head": 20480, "arena.tail": 2932}
    assert values(read(TFLM + smaller)) == expected
    assert values(read(smaller + TFLM)) == expected
    with pytest.raises(InputError, match="9568 bytes has a head of 1000 and a tail of 1"):
        read(TFLM + smaller.replace("8568", "1"))
