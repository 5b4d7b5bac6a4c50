"""``mapinspect map``: text, JSON, exit status, progress."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mapinspect.cli import map_command
from mapinspect.cli.run import run

LINKS = Path(__file__).parents[2] / "fixtures" / "link_cases"
GOOD = LINKS / "arm_basic_gc" / "case.map"


def as_json(path: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, dict[str, Any]]:
    status = run(["map", str(path), "--format", "json"])
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    return status, document


def test_json_has_the_agreed_keys_and_numbers_as_printed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    status, document = as_json(GOOD, capsys)
    assert status == 0
    keys = "format version linker complete regions output_sections objects unknown_lines"
    assert list(document) == [*keys.split(), "not_conserved"]
    assert (document["format"], document["version"]) == ("mapinspect-map", 1)
    assert (document["linker"], document["complete"]) == ("gnu-ld", True)
    assert document["regions"][0] == {
        "name": "FLASH",
        "origin": 0x08000000,
        "length": 0x10000,
        "attributes": "xr",
    }
    data = next(s for s in document["output_sections"] if s["name"] == ".data")
    assert data == {
        "name": ".data",
        "vma": 0x20000000,
        "size": 4,
        "lma": 0x0800016C,
        "line": 100,
    }
    libgcc = "/usr/lib/gcc/arm-none-eabi/12.2.1/thumb/v6-m/nofp/libgcc.a"
    assert document["objects"][0] == {"object": "_udivsi3.o", "archive": libgcc, "bytes": 276}
    assert (document["unknown_lines"], document["not_conserved"]) == ([], [])


def test_json_lists_empty_and_unallocated_sections_but_none_without_numbers(
    capsys: pytest.CaptureFixture[str],
) -> None:
    _, document = as_json(GOOD, capsys)
    sizes = {section["name"]: section["size"] for section in document["output_sections"]}
    assert sizes[".iplt"] == 0
    assert sizes[".debug_str"] == 0xDA
    assert "/DISCARD/" not in sizes


def test_what_is_not_understood_makes_it_incomplete(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = tmp_path / "broken.map"
    broken.write_bytes(GOOD.read_bytes().replace(b"0x30 main.o", b"0xzz main.o"))
    status, document = as_json(broken, capsys)
    assert (status, document["complete"]) == (2, False)
    assert (
        document["unknown_lines"]
        == [
            {"line": 64, "text": " .text.main     0x08000128       0xzz main.o"},
            {"line": 65, "text": "                0x08000128                main"},
        ][: len(document["unknown_lines"])]
    )
    assert document["not_conserved"] == [{"section": ".text", "expected": 356, "found": 308}]


def test_an_unreadable_map_is_one_line_and_exit_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cut = tmp_path / "cut.map"
    cut.write_bytes(GOOD.read_bytes()[:900])
    assert run(["map", str(cut), "--format", "json"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(f"error: {cut}: ends before its memory table")
    assert captured.err.count("\n") == 1


def test_names_that_are_not_utf8_are_spelt_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    odd = tmp_path / "odd.map"
    odd.write_bytes(GOOD.read_bytes().replace(b"main.o", b"m\xe9\x1b[2Jin.o"))
    _, document = as_json(odd, capsys)
    assert "m\\xe9\x1b[2Jin.o" in {row["object"] for row in document["objects"]}
    run(["map", str(odd)])
    assert "\x1b" not in capsys.readouterr().out


@pytest.mark.parametrize("name", ["arm_basic_gc", "arm_region_overflow", "arm_no_region_mix"])
def test_text(
    name: str,
    golden: Callable[[str, str], None],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(LINKS)
    assert run(["map", f"{name}/case.map"]) == 0
    golden(f"map_{name}.txt", capsys.readouterr().out)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_shows_on_a_terminal_when_reading_takes_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = iter([0.0, 0.5, 2.0, 2.0, 3.0])
    monkeypatch.setattr(map_command.time, "monotonic", lambda: next(clock))
    monkeypatch.setattr("sys.stderr", terminal := Terminal())
    with map_command._Progress() as progress:
        for done in (10, 20, 20, 90):
            progress(done, 100)
    shown = terminal.getvalue()
    assert shown.startswith("\rreading the map: 20 %\rreading the map: 90 %\r")
    assert shown.endswith(" \r")


def test_no_progress_where_nobody_watches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr", stream := io.StringIO())
    with map_command._Progress() as progress:
        progress(10, 100)
    assert stream.getvalue() == ""
