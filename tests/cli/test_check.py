"""The gate as a user calls it: exit status, the one error line, and what is written where."""

import json
import shutil
from pathlib import Path

import pytest

from mapinspect.cli.run import run

ROOT = Path(__file__).parents[2]
PAIRS = ROOT / "fixtures" / "broken" / "pairs"
GOOD = ROOT / "fixtures" / "built" / "good"


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def check(*options: str | Path) -> int:
    return run(["check", *map(str, options)])


def error_line(capsys: pytest.CaptureFixture[str]) -> str:
    """The one line on stderr; a traceback or a second line fails the test."""
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith("error: ")
    return line


def test_good_firmware_passes(capsys: pytest.CaptureFixture[str]) -> None:
    assert check("--config", GOOD / "mapinspect.toml") == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("PASS  FLASH ")


def test_without_a_table_every_region_is_held_to_its_length(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert check("--elf", GOOD / "app.elf", "--map", GOOD / "app.map") == 0
    assert "524,288" in capsys.readouterr().out


def test_json_has_the_agreed_form(capsys: pytest.CaptureFixture[str]) -> None:
    assert check("--config", GOOD / "mapinspect.toml", "--format", "json") == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["format"], report["version"]) == ("mapinspect-report", 1)
    assert report["verdict"] == "pass"
    paths = {item["role"]: item["path"] for item in report["inputs"]}
    assert paths["elf"] == "app.elf"
    assert paths["model"] == "../../models/kws_int8.tflite"
    assert set(report["claims"]) == {"holds", "broken", "undecided", "waived"}
    assert report["weights"][0]["matches_file"] is True
    assert report["arena"][0]["exact"] is True
    for region in report["regions"]:
        rows = [line for line in report["budget"] if line["memory"] == region["name"]]
        total = [line["linked"] for line in rows if line["row"] == "total"]
        assert sum(line["linked"] for line in rows if line["row"] != "total") == region["used"]
        assert total == [region["used"]]


@pytest.mark.parametrize(
    ("elf", "map_", "status", "words"),
    [
        pytest.param("tiny.elf", "tiny.map", 0, "PASS", id="of one link"),
        pytest.param("tiny.elf", "tinyB.map", 2, "bytes in the map and", id="stale map"),
        pytest.param("tinyB.elf", "tiny.map", 2, "bytes in the map and", id="stale ELF"),
        pytest.param("tiny.elf", "tinyfail.map", 1, "4112 over", id="map of a failed link"),
        pytest.param("tinyovf.elf", "tinyovf.map", 1, "4112 over", id="overflow kept"),
    ],
)
def test_pairs_of_map_and_elf(
    elf: str, map_: str, status: int, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check("--elf", PAIRS / elf, "--map", PAIRS / map_) == status
    assert words in capsys.readouterr().out


def test_a_map_alone_never_passes_and_may_fail(capsys: pytest.CaptureFixture[str]) -> None:
    assert check("--map", PAIRS / "tiny.map") == 2
    assert "a map alone cannot prove" in capsys.readouterr().out
    assert check("--map", PAIRS / "tinyfail.map") == 1
    assert "4112 over" in capsys.readouterr().out


def test_exit_zero_disables_the_gate_and_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--elf", PAIRS / "tinyovf.elf", "--map", PAIRS / "tinyovf.map", "--exit-zero")
    assert check(*options) == 0
    out = capsys.readouterr().out
    assert "gate disabled: --exit-zero" in out
    assert out.splitlines()[-1].startswith("FAIL")
    assert check("--elf", "absent.elf", "--exit-zero") == 2


@pytest.mark.parametrize(
    ("content", "words"),
    [
        pytest.param(None, "no such ELF file", id="missing"),
        pytest.param(b"", "the ELF file is empty", id="empty"),
        pytest.param(b"hello, world\n" * 20, "ELF", id="text"),
        pytest.param(b"\x7fELF\x01\x01\x01" + bytes(20), "", id="truncated"),
    ],
)
def test_an_elf_that_cannot_be_used(
    content: bytes | None, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    if content is not None:
        Path("a.elf").write_bytes(content)
    assert check("--elf", "a.elf") == 2
    line = error_line(capsys)
    assert line.startswith("error: a.elf: ")
    assert words in line


def test_a_folder_is_no_file(capsys: pytest.CaptureFixture[str]) -> None:
    Path("build").mkdir()
    assert check("--elf", "build") == 2
    assert error_line(capsys) == "error: build: is a folder; name the ELF file"


def test_swapped_arguments_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert check("--elf", PAIRS / "tiny.map", "--map", PAIRS / "tiny.elf") == 2
    assert "map" in error_line(capsys)
    assert check("--elf", PAIRS / "tiny.elf", "--map", PAIRS / "tiny.elf") == 2
    assert "ELF" in error_line(capsys)


def test_the_table_must_be_about_the_image(capsys: pytest.CaptureFixture[str]) -> None:
    Path("mapinspect.toml").write_text(
        'version = 1\n[[region]]\nname = "ram"\nlimit = "1K"\n', encoding="utf-8"
    )
    options = ("--elf", PAIRS / "tiny.elf", "--map", PAIRS / "tiny.map")
    assert check(*options) == 2
    line = error_line(capsys)
    assert line.startswith("error: mapinspect.toml:4: region ram is not in the image")
    assert line.endswith("did you mean RAM?")


def test_json_is_written_for_an_unreadable_input_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert check("--elf", "absent.elf", "--format", "json") == 2
    captured = capsys.readouterr()
    report = json.loads(captured.out)
    assert report["verdict"] == "unknown"
    assert report["findings"][0]["message"] == "no such ELF file"


def test_no_input_at_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert check() == 2
    assert "no ELF and no map is given" in error_line(capsys)


def test_further_reports_and_the_output_file(capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--elf", PAIRS / "tiny.elf", "--map", PAIRS / "tiny.map")
    assert check(*options, "--output", "out.txt", "--report", "json=out.json") == 0
    assert capsys.readouterr().out == ""
    assert Path("out.txt").read_text(encoding="utf-8").startswith("PASS")
    assert json.loads(Path("out.json").read_text(encoding="utf-8"))["verdict"] == "pass"
    assert check(*options, "--report", "pdf=x") == 2
    assert check(*options, "--output", "no/such/folder/out.txt") == 2


def test_inputs_are_never_overwritten(capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copy(PAIRS / "tiny.elf", "a.elf")
    before = Path("a.elf").read_bytes()
    assert check("--elf", "a.elf", "--map", PAIRS / "tiny.map", "--output", "a.elf") == 2
    assert "is the elf that was read" in error_line(capsys)
    assert Path("a.elf").read_bytes() == before


def test_the_table_is_found_from_a_folder_below(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copy(PAIRS / "tiny.elf", "a.elf")
    shutil.copy(PAIRS / "tiny.map", "a.map")
    Path("mapinspect.toml").write_text(
        "version = 1\n[inputs]\nelf = 'a.elf'\nmap = 'a.map'\n", encoding="utf-8"
    )
    (tmp_path / "src").mkdir()
    monkeypatch.chdir(tmp_path / "src")
    assert check() == 0
    assert "../a.elf" in capsys.readouterr().out


def test_a_bug_is_exit_status_3(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr("mapinspect.cli.check_command.check", fail)
    assert check("--elf", PAIRS / "tiny.elf") == 3
    assert "error: bug in mapinspect at test_check.py" in capsys.readouterr().err


def test_an_object_file_is_no_firmware(capsys: pytest.CaptureFixture[str]) -> None:
    content = bytearray((PAIRS / "tiny.elf").read_bytes())
    content[16] = 1  # e_type = ET_REL
    Path("a.o").write_bytes(content)
    assert check("--elf", "a.o") == 2
    assert error_line(capsys)


def test_another_files_bytes_in_the_model(capsys: pytest.CaptureFixture[str]) -> None:
    Path("net.tflite").write_bytes(b"not a model at all" * 10)
    assert check("--config", GOOD / "mapinspect.toml", "--model", "net.tflite") == 2
    assert error_line(capsys).startswith("error: net.tflite: ")


def test_an_elf_without_a_map_is_judged_by_its_linker_script(
    capsys: pytest.CaptureFixture[str],
) -> None:
    script = ROOT / "linker_scripts" / "STM32L476RE.ld"
    assert check("--elf", GOOD / "app.elf", "--linker-script", script) == 0
    assert "FLASH 58.3/512.0 KiB" in capsys.readouterr().out
    Path("small.ld").write_text("MEMORY { FLASH (rx) : ORIGIN = 0x08000000, LENGTH = 16K }")
    assert check("--elf", GOOD / "app.elf", "--linker-script", "small.ld") == 1
    Path("bad.ld").write_text("SECTIONS { }")
    assert check("--elf", GOOD / "app.elf", "--linker-script", "bad.ld") == 2


def test_an_elf_without_a_map_is_judged_by_its_part(capsys: pytest.CaptureFixture[str]) -> None:
    table = 'version = 1\nproject = {{ mcu = "{}" }}\n'
    for part, status in (("STM32L476RE", 0), ("STM32F030F4", 2)):
        Path("mapinspect.toml").write_text(table.format(part))
        assert check("--elf", GOOD / "app.elf") == status
    assert "STM32F030F4" in capsys.readouterr().err
