"""What the files' times and names say of a map and an ELF: a hint, never the proof."""

import json
import os
import shutil
from pathlib import Path

import pytest

from mapinspect.cli.run import run

PAIRS = Path(__file__).parents[2] / "fixtures" / "broken" / "pairs"
HOUR = 3600


@pytest.fixture
def judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """Judge copies of two files, the map written so many seconds after the ELF."""
    monkeypatch.chdir(tmp_path)

    def judge(elf: str, link_map: str, later: int, name: str = "tiny.elf") -> tuple[int, dict]:
        for source, copy, at in ((elf, name, 9 * HOUR), (link_map, "app.map", 9 * HOUR + later)):
            shutil.copyfile(PAIRS / source, copy)
            os.utime(copy, (at, at))
        status = run(["check", "--elf", name, "--map", "app.map", "--format", "json"])
        return status, json.loads(capsys.readouterr().out)

    return judge


@pytest.mark.parametrize(
    ("later", "told"),
    [
        pytest.param(60, [], id="within one link"),
        pytest.param(61, ["tiny.elf was written one minute before app.map"], id="a minute"),
        pytest.param(7 * HOUR, ["tiny.elf was written 7 hours before app.map"], id="later"),
        pytest.param(-49 * HOUR, ["app.map was written 2 days before tiny.elf"], id="earlier"),
    ],
)
def test_of_two_links_the_older_file_is_named(judged, later: int, told: list[str]) -> None:
    status, report = judged("tiny.elf", "tinyB.map", later)
    assert (status, report["notes"]) == (2, told)


def test_files_of_one_link_may_be_of_any_age(judged) -> None:
    status, report = judged("tiny.elf", "tiny.map", -500 * HOUR)
    assert (status, report["notes"]) == (0, [])


@pytest.mark.parametrize(
    ("name", "told"), [("tiny.elf", []), ("app.elf", ["map-elf-disagree"])], ids=["kept", "other"]
)
def test_a_renamed_elf_is_told_as_information(judged, name: str, told: list[str]) -> None:
    status, report = judged("tiny.elf", "tiny.map", 0, name)
    assert status == 0
    found = [item for item in report["findings"] if item["check"] == "map-elf-disagree"]
    assert [item["check"] for item in found] == told
    assert [item["severity"] for item in found] == ["information"] * len(told)
    if told:
        message = "the map is of the link that wrote tiny.elf, and equals app.elf"
        assert found[0]["message"] == message
