"""Programs that tests run: skipped by name where they are absent.

Under ``MAPINSPECT_REQUIRE_TOOLS=1`` such a skip, which begins with "needs", fails the run
(conftest.py).
"""

import shutil

import pytest


def need(*names: str) -> None:
    """Skip the test, saying so, unless all these programs are on PATH."""
    absent = [name for name in names if shutil.which(name) is None]
    if absent:
        without(" and ".join(absent))


def without(what: str) -> None:
    """Skip the test since something it needs is not there."""
    pytest.skip(f"needs {what}")
