"""The computed arena against the one that the real runtime used, per build and model."""

from pathlib import Path

import pytest

from tests.arena_accuracy import BUILDS, compare

pytestmark = pytest.mark.corpus


@pytest.mark.parametrize("build", BUILDS)
def test_head_tail_and_smallest_arena_equal_the_measured_ones(shared: Path, build: str) -> None:
    result = compare(shared, build)
    assert result.rows >= 127
    assert result.differences == []
