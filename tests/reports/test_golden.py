"""Whole reports, kept as files: a change to one is read before it is committed."""

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from mapinspect import __version__
from mapinspect.cli.run import run

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def in_the_repository(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)  # reports name files as the command line does


@pytest.mark.parametrize(
    "case",
    [
        "good",
        "two-models",
        "weights-without-const",
        "arena-too-small",
        "flash-over-budget",
        "map-of-another-build",
        "ram-overflow-link-fails",
    ],
)
def test_text(
    case: str, golden: Callable[[str, str], None], capsys: pytest.CaptureFixture[str]
) -> None:
    folder = ROOT / "fixtures" / "built" / case
    for file in folder.glob("app.*"):  # a check-out may write them at any time
        os.utime(file, (0, 0))
    run(["check", "--config", f"fixtures/built/{case}/mapinspect.toml"])
    golden(f"{case}.txt", capsys.readouterr().out)


@pytest.mark.parametrize("case", ["good", "weights-without-const"])
def test_json(
    case: str, golden: Callable[[str, str], None], capsys: pytest.CaptureFixture[str]
) -> None:
    run(["check", "--config", f"fixtures/built/{case}/mapinspect.toml", "--format", "json"])
    golden(f"{case}.json", capsys.readouterr().out.replace(f'"{__version__}"', '"VERSION"'))


def test_an_input_that_cannot_be_read(
    golden: Callable[[str, str], None], capsys: pytest.CaptureFixture[str]
) -> None:
    run(["check", "--elf", "LICENSE", "--format", "json"])
    captured = capsys.readouterr()
    golden("unreadable.txt", captured.err)
    assert '"verdict": "unknown"' in captured.out


@pytest.mark.parametrize("case", ["good", "weights-without-const"])
def test_tables_fit_80_columns(case: str, capsys: pytest.CaptureFixture[str]) -> None:
    run(["check", "--config", f"fixtures/built/{case}/mapinspect.toml"])
    tables = re.split(r"\n(?:error|information)\[", capsys.readouterr().out)[0]
    assert max(len(line) for line in tables.splitlines()) <= 80
