"""`mapinspect link` around commands that stand in for a linker."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mapinspect.cli.run import run

BUILT = Path(__file__).parents[2] / "fixtures" / "built"
OVERFLOW = BUILT / "ram-overflow-link-fails"
FAILS = "import sys; sys.exit(3)"


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def link(code: str, *options: str, words: tuple[str, ...] = ("-Wl,-Map=fw.map",)) -> int:
    """Run a Python program as the linker."""
    return run(["link", *options, "--", sys.executable, "-c", code, *words, "-o", "fw.elf"])


def writing(map_: Path, name: str = "fw.map", status: int = 1) -> str:
    return f"import shutil, sys; shutil.copyfile({str(map_)!r}, {name!r}); sys.exit({status})"


def test_a_good_link_is_silent(capfd: pytest.CaptureFixture[str]) -> None:
    assert link(writing(OVERFLOW / "app.map", status=0)) == 0
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("status", [1, 2, 77, 255])
def test_the_exit_status_is_the_linkers(status: int, capfd: pytest.CaptureFixture[str]) -> None:
    assert link(f"import sys; sys.exit({status})") == status
    assert "fw.map: no such link map" in capfd.readouterr().err


def test_an_overflow_is_told_with_what_is_largest_and_what_the_plan_says(
    capfd: pytest.CaptureFixture[str],
) -> None:
    # link.txt, by ld: region `SRAM1' overflowed by 9504 bytes
    config = str(OVERFLOW / "mapinspect.toml")
    assert link(writing(OVERFLOW / "app.map"), "--config", config) == 1
    captured = capfd.readouterr()
    assert captured.out == ""
    assert captured.err.splitlines()[:4] == [
        "mapinspect: the link failed; this is what fw.map says",
        "  SRAM1 overflows by 9,504 B: 107,808 of 98,304 B. Largest in it:",
        "        90,112  .bss.tensor_arena  main.o",
        "         8,192  ._user_heap_stack  (reserved or padded by the linker script)",
    ]
    assert "needs 12,000 B; tensor_arena has 90,112 B in SRAM1, 78,112 B more" in captured.err


def test_a_link_that_fails_for_another_reason_overflows_nothing(
    capfd: pytest.CaptureFixture[str],
) -> None:
    assert link(writing(BUILT / "undefined-symbol-link-fails" / "app.map")) == 1
    assert "every region holds what was linked" in capfd.readouterr().err


def test_a_map_that_the_link_did_not_write_is_called_stale(
    capfd: pytest.CaptureFixture[str],
) -> None:
    shutil.copyfile(OVERFLOW / "app.map", "fw.map")
    assert link(FAILS) == 3
    err = capfd.readouterr().err
    assert "fw.map: is of an earlier link" in err
    assert "overflows" not in err


@pytest.mark.parametrize(
    ("content", "words"),
    [
        pytest.param(b"", "the link map is empty", id="empty"),
        pytest.param(b"Archive member included", "is no link map", id="cut in its first line"),
        pytest.param(
            (BUILT / "good" / "app.map").read_bytes()[:1000],
            "ends before its memory table",
            id="cut",
        ),
    ],
)
def test_a_map_that_cannot_be_used_is_told(
    content: bytes, words: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert link(f"open('fw.map', 'wb').write({content!r}); {FAILS}") == 3
    assert words in capfd.readouterr().err


def test_a_table_that_cannot_be_read_does_not_hide_the_overflow(
    capfd: pytest.CaptureFixture[str],
) -> None:
    Path("mapinspect.toml").write_text("version = \n", encoding="utf-8")
    assert link(writing(OVERFLOW / "app.map")) == 1
    err = capfd.readouterr().err
    assert "SRAM1 overflows by 9,504 B" in err
    assert "not compared with the models: mapinspect.toml:1: " in err


def test_a_bug_in_the_diagnosis_keeps_the_linkers_status(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object, **__: object) -> str:
        raise ZeroDivisionError

    monkeypatch.setattr("mapinspect.cli.diagnosis.explain", fail)
    assert link(FAILS) == 3
    assert "bug in mapinspect" in capfd.readouterr().err


def test_a_command_that_asks_for_no_map_gets_one() -> None:
    code = "import sys; open('words', 'w').write(repr(sys.argv[1:]))"
    assert link(code, words=("a.o",)) == 0
    words = "['a.o', '-o', 'fw.elf', '-Xlinker', '-Map=fw.elf.map']"
    assert Path("words").read_text() == words
    assert link(code, "--map", "maps/%.txt", words=("a.o",)) == 0
    assert "'-Map=maps/fw.elf.txt'" in Path("words").read_text()


def test_a_map_written_elsewhere_is_copied_to_where_it_is_wanted(
    capfd: pytest.CaptureFixture[str],
) -> None:
    good = BUILT / "good" / "app.map"
    assert link(writing(good, "fw.map", 0), "--map", "%.map") == 0
    assert Path("fw.elf.map").read_bytes() == Path("fw.map").read_bytes() == good.read_bytes()
    # Not written: nothing is copied, so that no old map looks new.
    Path("fw.elf.map").unlink()
    assert link("", "--map", "%.map") == 0
    assert not Path("fw.elf.map").exists()
    # It cannot be copied: the check would miss it, so the build stops here.
    assert link(writing(good, "fw.map", 0), "--map", "no/such/folder.map") == 2
    assert "error: no/such/folder.map: cannot be written" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("program", "status"), [("no-such-linker", 127), ("./not-executable", 126)]
)
def test_a_command_that_cannot_run(
    program: str, status: int, capfd: pytest.CaptureFixture[str]
) -> None:
    Path("not-executable").write_text("")
    assert run(["link", "--", program, "-o", "fw.elf"]) == status
    assert capfd.readouterr().err.startswith(f"error: {program}: cannot be run")


def test_the_commands_own_options_are_not_ours(capfd: pytest.CaptureFixture[str]) -> None:
    code = "import sys; print(sys.argv[1:])"
    for dashes in ([], ["--"]):
        words = ["--config", "x", "--map", "y", "--help"]
        assert run(["link", *dashes, sys.executable, "-c", code, *words]) == 0
        assert capfd.readouterr().out.startswith(str(words)[:-1])


def test_usage(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["link"]) == 2
    assert run(["link", "--mpa", "x", "--", "true"]) == 2
    assert run(["link", "--map", "-", "--", "true"]) == 2
    assert "Error" in capfd.readouterr().err


SLOW = """
import signal, sys, time, pathlib
def stop(number, _):
    pathlib.Path("told").write_text(str(number))
    time.sleep(0.3)          # a driver takes its time to remove temporary files
    signal.signal(number, signal.SIG_DFL)
    signal.raise_signal(number)
for number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(number, stop)
pathlib.Path("ready").write_text("")
time.sleep(30)
"""


@pytest.mark.parametrize(
    ("number", "whole_group"),
    [
        pytest.param(signal.SIGINT, True, id="Ctrl-C goes to the whole group"),
        pytest.param(signal.SIGTERM, False, id="make's SIGTERM is passed on"),
    ],
)
def test_a_stopped_link_ends_by_the_same_signal_and_says_nothing(
    number: signal.Signals, whole_group: bool
) -> None:
    words = [sys.executable, "-m", "mapinspect", "link", "--", sys.executable, "-c", SLOW]
    child = subprocess.Popen(words, stderr=subprocess.PIPE, process_group=0)
    try:
        _wait_for(Path("ready"))
        (os.killpg if whole_group else os.kill)(child.pid, number)
        _, err = child.communicate(timeout=20)
    finally:
        child.kill()
    assert child.returncode == -number
    assert err == b""
    # The linker was told, once, and had the time to end by itself.
    assert Path("told").read_text() == str(int(number))


def test_a_crashed_linker_is_a_failed_link(capfd: pytest.CaptureFixture[str]) -> None:
    assert link("import signal; signal.raise_signal(signal.SIGKILL)") == 128 + 9
    assert "the link failed" in capfd.readouterr().err


def _wait_for(path: Path) -> None:
    for _ in range(400):
        if path.exists():
            return
        time.sleep(0.05)
    raise AssertionError(f"{path} did not appear")
