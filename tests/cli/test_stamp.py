"""`check --stamp` and `--depfile`: what a build system is told."""

import os
import shutil
from pathlib import Path

import pytest

from mapinspect.cli.run import run

PAIRS = Path(__file__).parents[2] / "fixtures" / "broken" / "pairs"
STAMP = "mapinspect: PASS\n"


@pytest.fixture(autouse=True)
def beside_two_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("tiny.elf", "tiny.map", "tinyovf.elf", "tinyovf.map"):
        shutil.copy(PAIRS / name, tmp_path / name)
    monkeypatch.chdir(tmp_path)


def check(case: str, *options: str) -> int:
    return run(["check", "--elf", f"{case}.elf", "--map", f"{case}.map", *options])


def test_a_pass_leaves_the_stamp() -> None:
    assert check("tiny", "--stamp", "s") == 0
    assert Path("s").read_text(encoding="utf-8") == STAMP


@pytest.mark.parametrize("old", [STAMP, ""], ids=["a stamp of before", "a file touched by hand"])
def test_what_does_not_pass_leaves_none(old: str) -> None:
    for arguments, status in (
        (["--elf", "tinyovf.elf", "--map", "tinyovf.map"], 1),
        (["--map", "tiny.map"], 2),
        (["--elf", "absent.elf"], 2),
        (["--elf", "tiny.elf", "--output", "no/such/folder"], 2),
        (["--elf", "tiny.elf", "--report", "json=no/such/folder"], 2),
    ):
        Path("s").write_text(old, encoding="utf-8")
        assert run(["check", *arguments, "--stamp", "s"]) == status
        assert not Path("s").exists(), arguments


def test_a_bug_leaves_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError

    Path("s").write_text(STAMP, encoding="utf-8")
    monkeypatch.setattr("mapinspect.cli.check_command.check", fail)
    assert check("tiny", "--stamp", "s") == 3
    assert not Path("s").exists()


def test_a_warning_that_fails_the_check_leaves_none() -> None:
    toml = 'version = 1\n[[region]]\nname = "FLASH"\nwarn = 1\n[[region]]\nname = "RAM"\n'
    Path("t.toml").write_text(toml, encoding="utf-8")
    assert check("tiny", "--config", "t.toml", "--stamp", "s") == 0
    assert Path("s").exists()
    assert check("tiny", "--config", "t.toml", "--fail-on", "warning", "--stamp", "s") == 1
    assert not Path("s").exists()


@pytest.mark.parametrize("name", ["tiny.elf", "tiny.map", "notes.txt", "folder", "link", "pipe"])
def test_only_a_stamp_is_ever_removed(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("notes.txt").write_text("mapinspect: PASS\nand more\n", encoding="utf-8")
    Path("folder").mkdir()
    Path("link").symlink_to("tiny.elf")
    os.mkfifo("pipe")
    before = Path("tiny.elf").read_bytes()
    assert check("tiny", "--stamp", name) == 2
    assert os.path.lexists(name)
    assert Path("tiny.elf").read_bytes() == before
    assert capsys.readouterr().err.startswith(f"error: {name}: ")


def test_exit_zero_and_a_stamp_contradict(capsys: pytest.CaptureFixture[str]) -> None:
    assert check("tiny", "--stamp", "s", "--exit-zero") == 2
    assert "would call a broken build good" in capsys.readouterr().err
    assert not Path("s").exists()


def test_a_depfile_needs_the_stamp_that_is_its_target() -> None:
    assert check("tiny", "--depfile", "s.d") == 2
    assert not Path("s.d").exists()


def test_the_depfile_names_what_was_read_also_when_it_fails() -> None:
    toml = "version = 1\n[inputs]\nelf = 'tinyovf.elf'\n"
    Path("my table.toml").write_text(toml, encoding="utf-8")
    options = ("--config", "my table.toml", "--stamp", "s", "--depfile", "s.d")
    assert check("tinyovf", *options) == 1
    assert Path("s.d").read_text(encoding="utf-8").splitlines() == [
        "s: my\\ table.toml tinyovf.elf tinyovf.map",
        "my\\ table.toml: ",
        "tinyovf.elf: ",
        "tinyovf.map: ",
    ]


def test_the_depfile_spells_the_stamp_as_the_build_system_does() -> None:
    Path("out").mkdir()
    assert check("tiny", "--stamp", "out//s", "--depfile", "s.d") == 0
    assert Path("s.d").read_text(encoding="utf-8").startswith("out//s: ")


def test_names_that_are_not_utf_8_keep_their_bytes() -> None:
    shutil.copy("tiny.elf", "t\udcff.elf")
    options = ["--elf", "t\udcff.elf", "--map", "tiny.map", "--stamp", "s", "--depfile", "s.d"]
    assert run(["check", *options]) == 0
    assert b"t\xff.elf" in Path("s.d").read_bytes()


def test_a_link_to_the_report_stays_a_link_and_a_device_a_device() -> None:
    Path("real.txt").write_text("old", encoding="utf-8")
    Path("report.txt").symlink_to("real.txt")
    assert check("tiny", "--output", "report.txt") == 0
    assert Path("report.txt").is_symlink()
    assert Path("real.txt").read_text(encoding="utf-8").startswith("PASS")
    assert check("tiny", "--output", os.devnull) == 0
    assert not Path(os.devnull).is_file()
