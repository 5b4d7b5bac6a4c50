import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared() -> Path:
    """The shared collection of maps, ELFs and models beside the checkout; skip without it."""
    beside = Path(__file__).resolve().parents[2] / "shared"
    folder = Path(os.environ.get("MAPINSPECT_SHARED", beside))
    if not folder.is_dir():
        pytest.skip("needs the shared collection beside the checkout")
    return folder
