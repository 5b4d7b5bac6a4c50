import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Tests assert no wall time: a busy machine is no failure. In CI the examples are always the same.
settings.register_profile(
    "house",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=bool(os.environ.get("CI")),
)
settings.load_profile("house")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The shared collection of maps, ELFs and models beside the checkout; skip without it."""
    beside = Path(__file__).resolve().parents[2] / "shared"
    folder = Path(os.environ.get("MAPINSPECT_SHARED", beside))
    if not folder.is_dir():
        pytest.skip("needs the shared collection beside the checkout")
    return folder


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite tests/golden")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compare a text with tests/golden/NAME; `pytest --update-golden` rewrites it."""

    def compare(name: str, text: str) -> None:
        path = Path(__file__).parent / "golden" / name
        if request.config.getoption("--update-golden"):
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert path.exists(), f"no golden file {name}: run make golden and read it"
        assert text == path.read_text(encoding="utf-8")

    return compare


# A test that cannot run for want of a tool skips with a reason that begins with "needs".
_lacking: list[str] = []


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.skipped and isinstance(report.longrepr, tuple):
        reason = report.longrepr[2].removeprefix("Skipped: ")
        if reason.startswith("needs") and "shared collection" not in reason:
            _lacking.append(f"{report.nodeid}: {reason}")


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail the run when a tool was lacking where none may be (MAPINSPECT_REQUIRE_TOOLS=1)."""
    if os.environ.get("MAPINSPECT_REQUIRE_TOOLS") and _lacking and session.exitstatus == 0:
        print("\nlacking tools:", *_lacking, sep="\n  ")
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
