"""Every built firmware gets the answer CASES.toml states; binutils agrees on the totals."""

import json
import tomllib
from pathlib import Path

import pytest

from mapinspect.cli.run import run

BUILT = Path(__file__).parents[2] / "fixtures" / "built"
CASES = tomllib.loads((BUILT / "CASES.toml").read_text(encoding="utf-8"))

# ld counts no section that the script places by an explicit AT(address).
LD_COUNTS_LESS = ("load-image-outside-region",)


def report_of(name: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, dict]:
    status = run(["check", "--config", str(BUILT / name / "mapinspect.toml"), "--format", "json"])
    return status, json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("name", CASES)
def test_the_answer_is_the_stated_one(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    case = CASES[name]
    status, report = report_of(name, capsys)
    assert status == case["exit"]
    if case["exit"] == 0:
        told = [item for item in report["findings"] if item["severity"] != "information"]
        assert [item["check"] for item in told] == case.get("warns", [])
    if "check" not in case:
        return
    about = [finding for finding in report["findings"] if finding["check"] == case["check"]]
    assert about, [finding["message"] for finding in report["findings"]]
    told = "\n".join(finding["message"] for finding in about)
    assert case.get("subject", "") in told
    if "bytes" in case:
        assert str(case["bytes"]) in told


@pytest.mark.parametrize("name", CASES)
def test_region_totals_are_those_of_ld(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    facts = json.loads((BUILT / name / "facts.json").read_text(encoding="utf-8"))
    if "elf_of" in CASES[name] or name in LD_COUNTS_LESS:
        pytest.skip("the map is another link's, or ld leaves an explicit address uncounted")
    _, report = report_of(name, capsys)
    ours = {region["name"]: region["used"] for region in report["regions"]}
    assert ours == {row["region"]: row["used"] for row in facts["memory_usage"]}
