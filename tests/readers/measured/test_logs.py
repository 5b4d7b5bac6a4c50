"""Logs of devices, written here after the formats that the RTOSes and runtimes print."""

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mapinspect.errors import InputError
from mapinspect.model.measurement import MeasuredFile, Run
from mapinspect.readers.measured.reader import read_measured
from mapinspect.readers.measured.settings import Settings
from mapinspect.readers.source import SourceFile


def read(text: str, how: Settings | None = None) -> MeasuredFile:
    return read_measured(SourceFile("run.log", text.encode("utf-8", "surrogateescape")), how)


def values(file: MeasuredFile) -> dict[str, int]:
    return {item.id: item.bytes for item in file.measurements}


def test_our_firmwares_own_log_is_read() -> None:
    log = Path(__file__).parents[3] / "fixtures" / "built" / "qemu" / "qemu.log"
    file = read(log.read_text())
    printed = dict(line.split(" = ") for line in log.read_text().splitlines())
    assert values(file) == {
        "arena.used": int(printed["arena_needed"]),
        "heap.peak": int(printed["heap_peak"]),
        "stack.peak": int(printed["stack_peak"]),
    }
    assert file.run == Run(
        build_id=printed["build_id"],
        iterations=1000,
        heap_start=int(printed["heap_start"]),
        heap_end=int(printed["heap_end"]),
    )
    assert all(item.run == file.run and not item.doubts() for item in file.measurements)
    assert file.other_lines == sum("scores" in line for line in log.read_text().split("\n")) + 1


def test_counters_of_malloc_hooks() -> None:
    file = read(
        "boot\nmalloc.peak = 4096\n[app] malloc.failed=2\niterations: 250\nduration = 90 min\n"
        'conditions = 85 C, U = 1.71 V\nbuild-id = "AbC1"\nstack.camera.peak = 0x200 bytes\n'
    )
    assert values(file) == {"heap.peak": 4096, "stack.camera.peak": 512}
    assert file.run == Run("abc1", 250, 5400, "85 C, U = 1.71 V", failures=2)
    assert file.measurements[0].doubts() == ("250 iterations are fewer than 1000",)
    assert file.measurements[1].subject == "camera"
    assert file.measurements[1].evidence.line == 8


PREFIX = "[00:00:30.725,463] <inf> thread_analyzer: "
ZEPHYR = f"""\
{PREFIX}Thread analyze:
{PREFIX} thread_b            : STACK: unused 740 usage 284 / 1024 (27 %); CPU: 0 %
{PREFIX} a_name_that_touches_it: STACK: unused 0 usage 512 / 512 (100 %); CPU: 98 %
 thread_b            : STACK: unused 640 usage 384 / 1024 (37 %); CPU: 0 %
 thread_b            : STACK: unused 740 usage 284 / 1024 (27 %); CPU: 0 %
"""


def test_zephyrs_thread_analyzer() -> None:
    file = read(ZEPHYR)
    assert values(file) == {"stack.thread_b.peak": 384, "stack.a_name_that_touches_it.peak": 512}
    full, part = file.measurements
    assert (full.size, part.size, part.evidence.line) == (512, 1024, 4)
    assert "it reached its end: it may have needed more" in full.doubts()
    assert part.doubts() == ("the number of iterations is not stated",)


ESP = """\
\x1b[0;32mI (4321) heap: Heap summary for capabilities 0x00000004:\x1b[0m
  At 0x3ffae6e0 len 6432 free 6140 allocated 0 min_free 6140
    largest_free_block 6140 alloc_blocks 0 free_blocks 1 total_blocks 1
  Totals:
    free 298564 allocated 21084 min_free 297616 largest_free_block 169724
  Totals:
    free 298000 allocated 21648 min_free 297000 largest_free_block 169724
"""


def test_esp_idfs_heap_reports_over_time_show_a_drift() -> None:
    file = read(ESP)
    assert values(file) == {"heap.peak": 298000 + 21648 - 297000}
    (heap,) = file.measurements
    assert (heap.size, heap.evidence.line) == (319648, 7)
    assert (heap.run.heap_start, heap.run.heap_end) == (21084, 21648)
    assert "the heap drifts upward: 21084 bytes at the start, 21648 at the end" in heap.doubts()


TFLM = """\
[RecordingMicroAllocator] Arena allocation total 23412 bytes
[RecordingMicroAllocator] Arena allocation head 20480 bytes
[RecordingMicroAllocator] Arena allocation tail 2932 bytes
[RecordingMicroAllocator] 'TfLiteEvalTensor data' used 480 bytes with alignment overhead
"""


def test_tflms_recording_allocator() -> None:
    file = read("I (300) app: " + TFLM)
    assert values(file) == {"arena.used": 23412, "arena.head": 20480, "arena.tail": 2932}
    assert {item.kind for item in file.measurements} == {"arena"}
    assert file.other_lines == 1  # the end of the file


TASKS = """\
main           \tX\t1\t120\t1
IDLE           \tR\t0\t90\t2
Tmr Svc        \tB\t2\t44\t3
"""
SIZES = {"main": 2048, "IDLE": 512, "Tmr Svc": 1024}


@pytest.mark.parametrize(
    ("unit", "expected"),
    [
        pytest.param(4, {"main": 2048 - 480, "IDLE": 512 - 360, "Tmr Svc": 1024 - 176}, id="words"),
        pytest.param(1, {"main": 2048 - 120, "IDLE": 512 - 90, "Tmr Svc": 1024 - 44}, id="bytes"),
    ],
)
def test_freertos_task_lists_are_read_in_the_unit_stated(
    unit: int, expected: dict[str, int]
) -> None:
    file = read(TASKS, Settings(unit, SIZES))
    assert values(file) == {f"stack.{name}.peak": used for name, used in expected.items()}
    assert read(TASKS.replace("\t", "  "), Settings(unit, SIZES)).measurements[0].size == 512


@pytest.mark.parametrize(
    ("text", "how", "what", "line"),
    [
        pytest.param(TASKS, Settings(), "words or bytes", 1, id="no unit"),
        pytest.param(TASKS, Settings(4), "stack size of task main is not stated", 1, id="no size"),
        pytest.param(
            TASKS, Settings(8, SIZES), "720 bytes unused of a stack of 512", 2, id="wrong unit"
        ),
        pytest.param("hello\n", Settings(), "reports no stack", None, id="nothing in it"),
        pytest.param("stack_peak = many\n", Settings(), "not a whole number", 1, id="no number"),
        pytest.param("stack_peak = -5\n", Settings(), "not a whole number", 1, id="negative"),
        pytest.param("duration = soon\n", Settings(), "duration is 'soon'", 1, id="no duration"),
        pytest.param(
            "iterations = 6\niterations = 5\n", Settings(), "5 here and 6 above", 2, id="two runs"
        ),
        pytest.param(
            " t : STACK: unused 1 usage 2 / 4 (50 %)\n", Settings(), "are not the 4", 1, id="sum"
        ),
        pytest.param(
            "At 0x3ffae6e0 len 6432 free 6140 allocated 0 min_free 6140\nTotals:\nnothing\n",
            Settings(),
            "totals of a heap report",
            1,
            id="cut report",
        ),
        pytest.param(
            "Totals:\nfree 5 allocated 5 min_free 6 largest_free_block 1\n",
            Settings(),
            "min_free 6 is more than free 5",
            2,
            id="impossible totals",
        ),
        pytest.param(TFLM.replace("2932", "2000"), Settings(), "head of 20480", 1, id="arena"),
    ],
)
def test_what_contradicts_itself_or_lacks_its_unit_is_refused(
    text: str, how: Settings, what: str, line: int | None
) -> None:
    with pytest.raises(InputError, match=what) as caught:
        read(text, how)
    assert caught.value.line == line
    assert caught.value.remedy


def test_other_encodings_and_files_are_refused() -> None:
    for path, content, what in [
        ("a.log", "stack_peak = 1".encode("utf-16"), "UTF-16"),
        ("ram.bin", b"\0" * 8, "a dump of memory"),
    ]:
        with pytest.raises(InputError, match=what):
            read_measured(SourceFile(path, content))


def test_junk_of_a_serial_line_is_passed_over() -> None:
    file = read("\0\udcff\x1b[2J\r\nstack_peak = 77\r\n" + "x" * 100_000 + "= 5\n")
    assert values(file) == {"stack.peak": 77}
    assert file.other_lines == 3


PIECES = [
    "stack_peak = 3",
    "Totals:",
    "free 1 allocated 2 min_free 1 largest_free_block 1",
    "\tX\t1\t2\t3",
    " t : STACK: unused 1 usage 2 / 3 (",
    "[RecordingMicroAllocator] ",
    "Arena allocation total 3 bytes",
    "=",
    ":",
    "\n",
]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=4), max_size=20))
def test_only_input_errors_come_out(pieces: list[str]) -> None:
    text = "".join(pieces)
    with suppress(InputError):
        read_measured(
            SourceFile("x.log", text.encode("utf-8", "surrogatepass")), Settings(4, {"": 9})
        )
