"""`check --log`: lines of the runtime beside the prediction for this image's models."""

import json
from pathlib import Path

import pytest

from mapinspect.cli.run import run

GOOD = Path(__file__).parents[2] / "fixtures" / "built" / "good"


def answer(folder: Path, text: str, capsys: pytest.CaptureFixture[str]) -> list[dict]:
    log = folder / "device.log"
    log.write_text(text)
    config = str(GOOD / "mapinspect.toml")
    assert run(["check", "--config", config, "--log", str(log), "--format", "json"]) == 0
    return json.loads(capsys.readouterr().out)["log"]


@pytest.mark.parametrize(
    ("head", "agrees"),
    [
        pytest.param(12000, True, id="the head that was planned"),
        pytest.param(13000, False, id="another head: another model runs there"),
    ],
)
def test_a_failed_start_is_compared_with_the_plan(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], head: int, *, agrees: bool
) -> None:
    text = f"boot\nFailed to resize buffer. Requested: {head}, available 11000, missing: 1000\n"
    [note] = answer(tmp_path, text, capsys)
    assert (note["line"], note["agrees"]) == (2, agrees)


def test_lines_that_the_runtime_does_not_write_are_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert answer(tmp_path, "hello\n\x00\xff?\n", capsys) == []


def test_the_text_report_shows_the_line_and_its_meaning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "device.log"
    log.write_text("12 bytes lost due to alignment\n")
    assert run(["check", "--config", str(GOOD / "mapinspect.toml"), "--log", str(log)]) == 0
    assert "log:1 12 bytes lost due to alignment\n  means: the arena" in capsys.readouterr().out


def test_a_log_that_is_not_there_is_an_input_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    missing = tmp_path / "none.log"
    assert run(["check", "--config", str(GOOD / "mapinspect.toml"), "--log", str(missing)]) == 2
    assert "no such log" in capsys.readouterr().err


def test_a_log_without_a_line_of_the_runtime_is_said_to_explain_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "boot.log"
    log.write_text("boot ok\n", encoding="utf-8")
    assert run(["check", "--config", str(GOOD / "mapinspect.toml"), "--log", str(log)]) == 0
    assert "boot.log explains nothing: no known line of the runtime" in capsys.readouterr().out
