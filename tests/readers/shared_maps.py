"""The maps of the shared collection, for tests that run once per map."""

import json
import os
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from mapinspect.model.link_map import LinkMap
from mapinspect.readers.gnu_map import read_map

SHARED = Path(os.environ.get("MAPINSPECT_SHARED", Path(__file__).resolve().parents[3] / "shared"))


def each_map(*patterns: str) -> pytest.MarkDecorator:
    """Run a test with ``path`` for every map of these patterns; skip it where there are none."""
    paths = sorted(path for pattern in patterns for path in SHARED.glob(pattern))
    values = [pytest.param(path, id=str(path.relative_to(SHARED))) for path in paths]
    if not values:
        skip = pytest.mark.skip(reason="needs the shared collection beside the checkout")
        values = [pytest.param(SHARED, id="no shared collection", marks=skip)]
    return pytest.mark.parametrize("path", values)


@cache
def map_of(path: Path) -> LinkMap:
    return read_map(str(path), path.read_bytes())


def truth_of(path: Path, suffix: str = ".truth.json") -> dict[str, Any]:
    truth: dict[str, Any] = json.loads(path.with_name(path.stem + suffix).read_text())
    return truth
