"""What is written where: never over an input, never twice, never half, never over a device."""

import io
import os
import stat
import sys
import threading
from pathlib import Path

import pytest

from mapinspect.cli.run import run

PAIRS = Path(__file__).parents[2] / "fixtures" / "broken" / "pairs"
TINY = ("--elf", PAIRS / "tiny.elf", "--map", PAIRS / "tiny.map")


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def check(*options: str | Path) -> int:
    return run(["check", *map(str, options)])


@pytest.mark.parametrize(
    "options",
    [
        pytest.param(("--elf", "bad.elf", "--output", "bad.elf"), id="one that is refused"),
        pytest.param(("--elf", "bad.elf", "--map", "a.map", "--output", "a.map"), id="the next"),
        pytest.param(("--elf", "bad.elf", "--model", "a.map", "--stamp", "a.map"), id="the last"),
        pytest.param(("--config", "t.toml", "--report", "json=a.map"), id="one of the table"),
    ],
)
def test_an_input_that_was_never_read_is_not_overwritten_either(
    options: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    Path("bad.elf").write_bytes(b"no ELF")
    Path("a.map").write_bytes((PAIRS / "tiny.map").read_bytes())
    Path("t.toml").write_text('version = 1\ninputs = { elf = "bad.elf", map = "a.map" }\n')
    assert check(*options) == 2
    error = capsys.readouterr().err
    assert "write to another file" in error or "name a file of its own" in error
    assert Path("bad.elf").read_bytes() == b"no ELF"
    assert Path("a.map").read_bytes() == (PAIRS / "tiny.map").read_bytes()


@pytest.mark.parametrize("second", ["json=r.txt", "json=./r.txt", "json=link"])
def test_two_reports_do_not_share_a_file(second: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("link").symlink_to("r.txt")
    Path("r.txt").write_text("older")
    assert check(*TINY, "--output", "r.txt", "--report", second) == 2
    assert "written twice" in capsys.readouterr().err
    assert Path("r.txt").read_text() == "older"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param("sub/../r.txt", "r.txt", id="by a detour"),
        pytest.param("r.txt", "linked/r.txt", id="by a linked folder"),
        pytest.param("nowhere", "r.txt", id="by a link to what is not there yet"),
    ],
)
def test_two_spellings_of_one_new_file_are_refused(
    first: str, second: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A report over the stamp of a build that FAILs would look like a stamp to make."""
    Path("sub").mkdir()
    Path("linked").symlink_to(".")
    Path("nowhere").symlink_to("r.txt")
    assert check(*TINY, "--output", first, "--report", f"json={second}") == 2
    assert "written twice" in capsys.readouterr().err
    assert not Path("r.txt").exists()


def test_what_a_link_points_to_is_written() -> None:
    Path("real").write_text("older")
    Path("link").symlink_to("real")
    assert check(*TINY, "--output", "link") == 0
    assert Path("link").is_symlink()
    assert Path("real").read_text(encoding="utf-8").startswith("PASS")


def test_a_pipe_is_written_to_and_not_replaced() -> None:
    os.mkfifo("pipe")
    heard: list[str] = []
    reader = threading.Thread(target=lambda: heard.append(Path("pipe").read_text("utf-8")))
    reader.start()
    assert check(*TINY, "--output", "pipe") == 0
    reader.join(timeout=10)
    assert heard[0].startswith("PASS")
    assert stat.S_ISFIFO(Path("pipe").stat().st_mode)


def test_a_pipe_that_nobody_writes_does_not_hang(capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo("pipe")
    assert check("--elf", "pipe") == 2
    assert "is no regular file" in capsys.readouterr().err


def test_an_old_stamp_does_not_survive_a_report_that_cannot_be_written() -> None:
    Path("ok").write_text("mapinspect: PASS\n")
    assert check(*TINY, "--stamp", "ok", "--output", "no/such/folder/r.txt") == 2
    assert not Path("ok").exists()


def test_a_depfile_names_files_whose_names_are_not_utf_8() -> None:
    name = os.fsdecode(b"caf\xe9.elf")
    Path(name).write_bytes((PAIRS / "tiny.elf").read_bytes())
    options = ("--elf", name, "--map", PAIRS / "tiny.map", "--stamp", "ok", "--depfile", "ok.d")
    assert check(*options) == 0
    assert Path("ok.d").read_bytes().startswith(b"ok: caf\xe9.elf ")


class _Refusing(io.StringIO):
    """A standard output whose reader is gone, or whose disk is full."""

    def __init__(self, error: OSError, number: int) -> None:
        super().__init__()
        self._error, self._number = error, number

    def fileno(self) -> int:
        return self._number

    def write(self, _: str) -> int:
        raise self._error


@pytest.mark.parametrize("error", [BrokenPipeError(32, "Broken pipe"), OSError(28, "No space")])
def test_a_verdict_that_nobody_can_read_is_no_success(
    error: OSError, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with open("out", "wb") as stream:
        monkeypatch.setattr(sys, "stdout", _Refusing(error, stream.fileno()))
        assert check(*TINY) == 2
    assert capsys.readouterr().err.startswith("error: standard output: cannot be written")


def test_characters_that_the_terminal_lacks_are_spelt_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    Path("t.toml").write_text('version = 1\nproject = { name = "Łukasz" }\n', encoding="utf-8")
    terminal = io.TextIOWrapper(io.BytesIO(), encoding="cp1252")
    monkeypatch.setattr(sys, "stdout", terminal)
    assert check(*TINY, "--config", "t.toml") == 0
    terminal.flush()
    assert terminal.buffer.getvalue().startswith(b"PASS  \\u0141ukasz")


def test_a_table_that_is_a_link_to_nowhere_is_not_passed_over(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("mapinspect.toml").symlink_to("elsewhere/mapinspect.toml")
    assert check(*TINY) == 2
    assert "mapinspect.toml: no such budget table" in capsys.readouterr().err


def test_two_models_of_one_file_name_are_told_apart(capsys: pytest.CaptureFixture[str]) -> None:
    for folder in ("a", "b"):
        Path(folder).mkdir()
        Path(folder, "net.tflite").write_bytes(b"not read")
    assert check(*TINY, "--model", "a/net.tflite", "--model", "b/net.tflite") == 2
    assert "b/net.tflite: has the file name of a/net.tflite" in capsys.readouterr().err


def test_a_folder_that_is_gone_is_no_bug(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("gone").mkdir()
    monkeypatch.chdir("gone")
    (tmp_path / "gone").rmdir()
    assert check(*TINY) == 2
    assert "use --config" in capsys.readouterr().err
    monkeypatch.chdir(tmp_path)


def test_a_nul_in_a_name_of_the_table_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    Path("t.toml").write_text('version = 1\ninputs = { elf = "a\\u0000b" }\n')
    assert check("--config", "t.toml") == 2
    assert "cannot be read" in capsys.readouterr().err


def test_a_line_break_in_a_name_starts_no_rule_of_its_own(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("a\nb.elf").write_bytes((PAIRS / "tiny.elf").read_bytes())
    options = ("--elf", "a\nb.elf", "--map", PAIRS / "tiny.map", "--stamp", "ok", "--depfile", "d")
    assert check(*options) == 2
    assert "cannot stand in a make rule" in capsys.readouterr().err
    assert not Path("d").exists()
    assert not Path("ok").exists()
