"""``mapinspect show``: what it lists, in every format, and when it says that it is not whole."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from mapinspect.cli.run import run
from tests.lto_firmware import build

BUILT = Path(__file__).parents[2] / "fixtures" / "built"
GOOD = BUILT / "good"
NOUNS = ("regions", "sections", "objects", "archives", "symbols", "reservations")
Said = tuple[int, str, str]


def show(capsys: pytest.CaptureFixture[str], *arguments: str) -> Said:
    status = run(["show", *arguments])
    out, err = capsys.readouterr()
    return status, out, err


def files(folder: Path) -> tuple[str, ...]:
    return ("--elf", str(folder / "app.elf"), "--map", str(folder / "app.map"))


def rows(capsys: pytest.CaptureFixture[str], noun: str, *arguments: str) -> list[dict[str, Any]]:
    status, out, err = show(capsys, noun, *arguments, "--format", "json")
    assert (status, err) == (0, "")
    document = json.loads(out)
    assert (document["format"], document["version"]) == ("mapinspect-show", 1)
    return document[noun]


def test_regions_have_the_agreed_form(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = show(capsys, "regions", *files(GOOD), "--format", "json")
    document = json.loads(out)
    assert (status, set(document)) == (0, {"format", "version", "regions"})
    facts = json.loads((GOOD / "facts.json").read_text())
    used = {row["name"]: row["used"] for row in document["regions"]}
    assert used == {row["region"]: row["used"] for row in facts["memory_usage"]}
    for row in document["regions"]:
        assert row["used"] == row["occupied"] + row["padding"] + row["gaps"]
        assert row["length"] == row["used"] + row["free"]
        assert row["explained"] == []


def test_sections_are_those_of_readelf(capsys: pytest.CaptureFixture[str]) -> None:
    found = rows(capsys, "sections", *files(GOOD))
    assert set(found[0]) == {"name", "vma", "lma", "size", "region", "load_region", "type"}
    facts = json.loads((GOOD / "facts.json").read_text())
    stated = [item for item in facts["sections"] if "A" in item["flags"]]
    assert [(row["name"], row["vma"], row["size"]) for row in found] == [
        (item["name"], item["address"], item["size"]) for item in stated
    ]
    data = next(row for row in found if row["name"] == ".data")
    assert (data["region"], data["load_region"], data["type"]) == ("SRAM1", "FLASH", "PROGBITS")
    zeroed = next(row for row in found if row["name"] == ".sram2_noinit")
    assert (zeroed["region"], zeroed["load_region"], zeroed["type"]) == ("SRAM2", None, "NOBITS")


@pytest.mark.parametrize("noun", ["objects", "archives"])
@pytest.mark.parametrize("case", ["good", "lto", "cpp", "riscv32", "avr"])
def test_owners_add_up_to_the_regions(
    noun: str, case: str, capsys: pytest.CaptureFixture[str]
) -> None:
    used = {row["name"]: row["used"] for row in rows(capsys, "regions", *files(BUILT / case))}
    _, out, _ = show(capsys, noun, *files(BUILT / case), "--format", "json")
    owned = json.loads(out)[noun]
    assert sum(row["bytes"] for row in owned) == sum(used.values())
    for region, size in used.items():
        assert sum(row["regions"].get(region, 0) for row in owned) == size


def test_link_time_optimisation_is_told_with_its_share(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = show(capsys, "objects", *files(BUILT / "lto"))
    assert "went through link-time optimisation" in out
    assert "symbols, in bytes: g_kws_model 41456, ring 16384, tensor_arena 12288" in out
    mixed = [
        row for row in rows(capsys, "objects", *files(BUILT / "lto")) if "link-time" in row["kind"]
    ]
    assert [row["object"].endswith("ltrans0.ltrans.o") for row in mixed] == [True]


def test_symbols_are_those_of_nm_with_their_objects(capsys: pytest.CaptureFixture[str]) -> None:
    found = {row["name"]: row for row in rows(capsys, "symbols", *files(GOOD))}
    facts = json.loads((GOOD / "facts.json").read_text())
    sized = {name: stated for name, stated in facts["symbols"].items() if stated["size"]}
    assert sized
    for name, stated in sized.items():
        assert (found[name]["address"], found[name]["size"]) == (stated["address"], stated["size"])
    ring = found["ring"]
    assert (ring["object"], ring["archive"], ring["region"]) == (
        "sensor hub/microphone.o",
        None,
        "SRAM2",
    )
    assert (found["dsp_window"]["object"], found["dsp_window"]["archive"]) == (
        "tables.o",
        "libdsp.a",
    )


def test_reservations_have_the_agreed_form(capsys: pytest.CaptureFixture[str]) -> None:
    found = rows(capsys, "reservations", *files(GOOD))
    assert {row["kind"] for row in found} == {"stack", "heap"}
    for row in found:
        assert set(row) == {"kind", "name", "bytes", "convention", "elastic"}
        assert isinstance(row["elastic"], bool)


def test_choosing_rows(capsys: pytest.CaptureFixture[str]) -> None:
    largest = rows(capsys, "symbols", *files(GOOD), "--sort", "size", "--top", "2")
    assert [row["name"] for row in largest] == ["g_kws_model", "ring"]
    by_name = rows(capsys, "sections", *files(GOOD), "--sort", "name")
    assert [row["name"] for row in by_name] == sorted(row["name"] for row in by_name)
    matching = rows(capsys, "objects", *files(GOOD), "--filter", "*microphone*")
    assert [row["object"] for row in matching] == ["sensor hub/microphone.o"]
    stored = rows(capsys, "sections", *files(GOOD), "--region", "FLASH")
    assert ".data" in [row["name"] for row in stored]
    assert ".bss" not in [row["name"] for row in stored]


@pytest.mark.parametrize("noun", NOUNS)
@pytest.mark.parametrize("form", ["text", "json", "csv"])
def test_every_format_lists_every_noun(
    noun: str, form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, err = show(capsys, noun, *files(GOOD), "--format", form)
    assert (status, err) == (0, "")
    assert out.endswith("\n")
    if form == "csv":
        listed = list(csv.DictReader(io.StringIO(out)))
        assert len(listed) == len(rows(capsys, noun, *files(GOOD)))


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        pytest.param(("regions", "--elf", str(GOOD / "app.elf")), "no memory regions", id="no map"),
        pytest.param(("objects", "--elf", str(GOOD / "app.elf")), "--map FILE", id="objects"),
        pytest.param(("regions", *files(GOOD), "--region", "RAM"), "SRAM1", id="no such region"),
        pytest.param(
            ("regions", *files(BUILT / "map-of-another-build")), "not of the same link", id="stale"
        ),
        pytest.param(("symbols", *files(BUILT / "stripped-elf")), "no symbols", id="stripped"),
    ],
)
def test_what_is_not_whole_exits_2(
    arguments: tuple[str, ...], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status, _, err = show(capsys, *arguments)
    assert status == 2
    assert told in err
    assert err.startswith("error: ")


def test_an_unknown_sort_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = show(capsys, "objects", *files(GOOD), "--sort", "address")
    assert (status, "size, name" in err) == (2, True)


def test_sections_need_no_map(capsys: pytest.CaptureFixture[str]) -> None:
    found = rows(capsys, "sections", "--elf", str(GOOD / "app.elf"))
    assert {row["region"] for row in found} == {None}


def test_the_table_s_regions_serve_without_a_map(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "t.toml"
    config.write_text(
        'version = 1\n[[region]]\nname = "FLASH"\norigin = 0x08000000\nlength = "512K"\n'
    )
    found = rows(capsys, "regions", "--elf", str(GOOD / "app.elf"), "--config", str(config))
    assert [row["name"] for row in found] == ["FLASH"]


def test_a_linker_script_or_the_part_serves_without_a_map(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "a.ld"
    script.write_text("MEMORY { ROM (rx) : ORIGIN = 0x08000000, LENGTH = 512K }\n")
    elf = ("--elf", str(GOOD / "app.elf"))
    found = rows(capsys, "regions", *elf, "--linker-script", str(script))
    assert [(row["name"], row["used"]) for row in found] == [("ROM", 59656)]
    found = rows(capsys, "regions", *elf, "--mcu", "STM32L476RE")
    used = {row["name"]: row["used"] for row in found}
    assert used == {"FLASH": 59656, "SRAM1": 29984, "SRAM2": 16400}


def test_output_goes_to_a_file_but_never_over_an_input(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "regions.json"
    status, out, _ = show(
        capsys, "regions", *files(GOOD), "--format", "json", "--output", str(target)
    )
    assert (status, out) == (0, "")
    assert json.loads(target.read_text())["regions"]
    copy = tmp_path / "app.map"
    copy.write_bytes((GOOD / "app.map").read_bytes())
    status, _, err = show(
        capsys,
        "regions",
        "--elf",
        str(GOOD / "app.elf"),
        "--map",
        str(copy),
        "--output",
        str(copy),
    )
    assert (status, "was read" in err) == (2, True)
    assert copy.read_bytes() == (GOOD / "app.map").read_bytes()


@pytest.mark.toolchain
def test_files_that_declare_it_share_out_what_was_optimised_at_link_time(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    build(tmp_path, "arm-none-eabi", "-g")
    whole = {row["object"]: row for row in rows(capsys, "objects", *files(tmp_path))}
    parts = rows(capsys, "objects", *files(tmp_path), "--debug-info")
    symbols = rows(capsys, "symbols", *files(tmp_path), "--debug-info")
    (mixed,) = {row["object"] for row in parts if row["kind"] == "link-time optimised"}
    shares = {row["declared_in"]: row for row in parts if row["object"] == mixed}
    assert set(shares) - {None} == {"a.c", "src/b.c", "c.cc", "shared.h"}
    assert sum(row["bytes"] for row in shares.values()) == whole[mixed]["bytes"]
    for region, size in whole[mixed]["regions"].items():
        assert sum(row["regions"].get(region, 0) for row in shares.values()) == size
    for file in set(shares) - {None}:
        found = [row for row in symbols if row["declared_in"] == file]
        assert {row["name"] for row in found}
        stored = sum(row["size"] for row in found if row["load_region"])
        assert shares[file]["bytes"] == sum(row["size"] for row in found) + stored


@pytest.mark.parametrize("noun", ["objects", "symbols"])
def test_without_debugging_information_symbols_remain_and_it_is_said(
    noun: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, err = show(capsys, noun, *files(BUILT / "lto"), "--debug-info")
    assert (status, err) == (0, "")
    assert "no declaration files: has no debugging information" in out


def test_debug_info_is_refused_where_it_tells_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = show(capsys, "regions", *files(GOOD), "--debug-info")
    assert status == 2
    assert "only for objects and symbols" in err
