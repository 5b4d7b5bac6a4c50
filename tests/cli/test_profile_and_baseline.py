"""`check --profile` and `check --baseline`, end to end over the good firmware."""

import json
from pathlib import Path

import pytest

from mapinspect.cli.run import run

BUILT = Path(__file__).parents[2] / "fixtures" / "built"
TABLE = """\
version = 1
[[region]]
name = "FLASH"
limit = "50K"
growth = { bytes = 64 }
[[region]]
name = "SRAM1"
[[region]]
name = "SRAM2"
[[profile.bring-up.region]]
name = "FLASH"
limit = "200K"
"""


@pytest.fixture
def check(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """Run `check` on a built case under TABLE; the status, the JSON report and stderr."""
    config = tmp_path / "mapinspect.toml"
    config.write_text(TABLE, encoding="utf-8")

    def run_check(case: str, *options: str) -> tuple[int, dict, str]:
        files = [f"--elf={BUILT / case / 'app.elf'}", f"--map={BUILT / case / 'app.map'}"]
        status = run(["check", f"--config={config}", "--format=json", *files, *options])
        said = capsys.readouterr()
        return status, json.loads(said.out), said.err

    return run_check


@pytest.fixture
def baseline(check, tmp_path: Path) -> Path:
    """The report of the good firmware."""
    path = tmp_path / "old.json"
    _, report, _ = check("good")
    path.write_text(json.dumps(report), encoding="utf-8")
    return path


def test_a_profile_lifts_a_limit_and_every_report_says_so(check, baseline: Path) -> None:
    status, report, _ = check("good", f"--baseline={baseline}")
    assert (status, report["verdict"]) == (1, "fail")
    status, report, _ = check("good", f"--baseline={baseline}", "--profile=bring-up")
    assert (status, report["verdict"]) == (0, "pass")
    assert "profile bring-up" in report["notes"]
    assert [item["role"] for item in report["inputs"]] == ["budget", "elf", "map", "baseline"]


def test_an_unknown_profile_is_exit_2(check) -> None:
    status, report, errors = check("good", "--profile=bringup")
    assert (status, report["verdict"]) == (2, "unknown")
    assert "did you mean bring-up?" in errors


def test_growth_against_an_earlier_report(check, baseline: Path) -> None:
    grown, _, _ = check("flash-over-budget", f"--baseline={baseline}", "--profile=bring-up")
    assert grown == 1
    _, report, _ = check("flash-over-budget", f"--baseline={baseline}", "--profile=bring-up")
    (finding,) = [item for item in report["findings"] if item["severity"] == "error"]
    assert finding["check"] == "growth-over-limit"
    assert [item["file"].rsplit("/", 1)[-1] for item in finding["evidence"]] == [
        "mapinspect.toml",
        "old.json",
    ]


def test_a_missing_baseline_is_never_a_pass(check, tmp_path: Path) -> None:
    for options in ([], [f"--baseline={tmp_path / 'none.json'}"], [f"--baseline={BUILT}"]):
        status, report, _ = check("good", "--profile=bring-up", *options)
        assert (status, report["verdict"]) == (2, "unknown")


def test_a_profile_without_a_table_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    assert run(["check", "--profile", "debug"]) == 2
    assert "has no table to override" in capsys.readouterr().err
