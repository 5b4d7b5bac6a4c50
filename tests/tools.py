"""Programs that tests run: skipped by name where they are absent.

``MAPINSPECT_REQUIRE_TOOLS=1`` turns the skip into a failure: in CI no test may be left out.
"""

import os
import shutil

import pytest


def need(*names: str) -> None:
    """Skip the test, saying so, unless all these programs are on PATH."""
    absent = [name for name in names if shutil.which(name) is None]
    if absent:
        without(" and ".join(absent))


def without(what: str) -> None:
    """Skip the test since something it needs is not there."""
    if os.environ.get("MAPINSPECT_REQUIRE_TOOLS") == "1":
        pytest.fail(f"needs {what}, and MAPINSPECT_REQUIRE_TOOLS=1 forbids to skip", pytrace=False)
    pytest.skip(f"needs {what}")
