"""The neutral table of measurements, which any test script can write."""

import pytest

from mapinspect.errors import InputError
from mapinspect.model.measurement import MeasuredFile, Run
from mapinspect.readers.measured.reader import read_measured
from mapinspect.readers.source import SourceFile


def read(text: str) -> MeasuredFile:
    return read_measured(SourceFile("measured.toml", f"version = 1\n{text}".encode()))


TABLE = """
[run]
build-id = "3B33"
iterations = 1000
duration = "72h"
conditions = "85 °C, 1.71 V"
heap-start = 520
heap-end = 520

[[measured]]
id = "arena.used"
bytes = 23412
source = "kws-hil run 81"
date = 2026-05-01

[[measured]]
id = "stack.camera.peak"
subject = "camera"
bytes = "1K"
size = "1K"
iterations = 20
heap-end = 600

[[measured]]
id = "dma.descriptors"
bytes = 64
"""


def test_values_have_their_own_circumstances_or_the_tables() -> None:
    file = read(TABLE)
    assert file.run == Run("3b33", 1000, 72 * 3600, "85 °C, 1.71 V", 520, 520)
    arena, other, stack = file.measurements
    assert (arena.id, arena.kind, arena.bytes, arena.run) == (
        "arena.used",
        "arena",
        23412,
        file.run,
    )
    assert (other.kind, other.bytes) == ("other", 64)
    assert (stack.kind, stack.subject, stack.bytes, stack.size) == ("stack", "camera", 1024, 1024)
    assert stack.run == Run("3b33", 20, 72 * 3600, "85 °C, 1.71 V", 520, 600)
    assert (arena.evidence.line, arena.evidence.text) == (13, "bytes = 23412")


def test_doubts_are_told_of_each_value() -> None:
    arena, _, stack = read(TABLE).measurements
    assert arena.doubts() == ()
    assert stack.doubts() == (
        "it reached its end: it may have needed more",
        "20 iterations are fewer than 1000",
        "the heap drifts upward: 520 bytes at the start, 600 at the end",
    )


@pytest.mark.parametrize(
    ("iterations", "doubted"),
    [
        pytest.param(999, True, id="one too few"),
        pytest.param(1000, False, id="exactly enough"),
    ],
)
def test_a_thousand_iterations_are_enough(iterations: int, doubted: bool) -> None:
    assert bool(Run(iterations=iterations).doubts()) == doubted


@pytest.mark.parametrize(
    ("start", "end", "doubted"),
    [
        pytest.param(520, 520, False, id="level"),
        pytest.param(520, 519, False, id="falling"),
        pytest.param(520, 521, True, id="one byte up"),
    ],
)
def test_an_upward_drift_of_the_heap_is_doubted(start: int, end: int, doubted: bool) -> None:
    run = Run(iterations=1000, heap_start=start, heap_end=end)
    assert bool(run.doubts()) == doubted


ROW = '[[measured]]\nid = "arena.used"\nbytes = 5\n'


@pytest.mark.parametrize(
    ("text", "what", "line"),
    [
        pytest.param(ROW * 2, "arena.used is there twice", 6, id="twice"),
        pytest.param(ROW.replace("5", "-5"), "bytes is negative", 4, id="negative"),
        pytest.param(ROW.replace("5", "5.5"), "bytes is a float", 4, id="float"),
        pytest.param(ROW.replace("5", "nan"), "bytes is a float", 4, id="nan"),
        pytest.param(ROW.replace("5", "true"), "bytes is a boolean", 4, id="boolean"),
        pytest.param(ROW.replace("5", '"5KB"'), "ambiguous unit", 4, id="unit"),
        pytest.param(ROW.replace("bytes = 5", ""), "has no bytes", 2, id="no value"),
        pytest.param(f"{ROW}iteration = 5", "unknown key 'iteration'", 5, id="misspelt"),
        pytest.param(f'{ROW}duration = "soon"', "duration is 'soon'", 5, id="duration"),
        pytest.param(f'{ROW}kind = "ram"', "kind is 'ram'", 5, id="kind"),
        pytest.param("measured = []", "has no \\[\\[measured\\]\\] value", None, id="empty"),
        pytest.param("", "has no measured", 1, id="nothing"),
    ],
)
def test_a_bad_table_is_refused_at_its_line(text: str, what: str, line: int | None) -> None:
    with pytest.raises(InputError, match=what) as caught:
        read(text)
    assert caught.value.line == line
