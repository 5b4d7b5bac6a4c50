"""ESP-IDF's heap reports: what was used is what was never free, headers of blocks included."""

import pytest

from mapinspect.errors import InputError
from tests.readers.measured.test_logs import read, values

HEAD = "Heap summary for capabilities 0x00000004:\n"
# Written after heap_caps_print_heap_info: free and allocated of a heap are less than its length.
REPORT = f"""\
{HEAD}\
  At 0x3ffb2930 len 20480 free 11000 allocated 9100 min_free 10000
    largest_free_block 8192 alloc_blocks 40 free_blocks 3 total_blocks 43
  At 0x3ffe0440 len 10240 free 9000 allocated 1000 min_free 9000
    largest_free_block 8704 alloc_blocks 4 free_blocks 1 total_blocks 5
  Totals:
    free 20000 allocated 10100 min_free 19000 largest_free_block 8704
"""


def test_headers_of_blocks_are_used_bytes() -> None:
    (heap,) = read(REPORT).measurements
    # By hand: both heaps have 30,720 bytes, of which 19,000 were never used.
    assert (heap.id, heap.bytes, heap.size) == ("heap.peak", 30_720 - 19_000, 30_720)
    assert heap.notes == ()


def test_a_report_without_its_heaps_may_show_too_little() -> None:
    (heap,) = read(HEAD + REPORT.split("Totals:\n")[1]).measurements
    assert (heap.bytes, heap.size) == (30_100 - 19_000, 30_100)
    assert any("headers of its blocks" in doubt for doubt in heap.doubts())


def test_other_lines_may_lie_between_those_of_a_report() -> None:
    lines = [line for row in REPORT.split("\n") for line in (row, "I (2515) wifi: state: run")]
    assert values(read("\n".join(lines))) == {"heap.peak": 11_720}


def test_the_worst_of_several_reports_counts() -> None:
    later = REPORT.replace("min_free 19000", "min_free 9000").replace("ed 10100", "ed 10300")
    (heap,) = read(REPORT + later + REPORT).measurements
    assert (heap.bytes, heap.run.heap_start, heap.run.heap_end) == (21_720, 10_100, 10_100)
    (heap,) = read(REPORT + later).measurements
    assert "the heap drifts upward: 10100 bytes at the start, 10300 at the end" in heap.doubts()


def test_reports_about_several_memories_are_not_mixed() -> None:
    psram = REPORT.replace("0x00000004", "0x00000400").replace("allocated 10100", "allocated 90")
    found = read(REPORT + psram + REPORT)
    assert values(found) == {"heap.0x00000004.peak": 11_720, "heap.0x00000400.peak": 11_720}
    assert {item.kind for item in found.measurements} == {"other"}  # they may share bytes
    assert (found.run.heap_start, found.run.heap_end) == (10_100, 10_100)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(REPORT[: REPORT.index("Totals")], id="no totals"),
        pytest.param(REPORT[: REPORT.index("min_free 19000") + 11], id="cut in the totals"),
        pytest.param(REPORT[: REPORT.index("len 10240") + 6], id="cut in a heap"),
        pytest.param(REPORT[: REPORT.index("Totals")] + REPORT, id="a cut one before a whole one"),
    ],
)
def test_a_cut_report_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="heap report"):
        read(text)
