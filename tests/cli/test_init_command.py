"""`mapinspect init`: a table that passes a good firmware and fails each broken twin.

What the image does wrong by itself stays wrong under its own table too.
"""

import json
import os
import tomllib
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest

from mapinspect.cli.run import run
from mapinspect.readers.budget.schema import json_schema

FIXTURES = Path(__file__).parents[2] / "fixtures"
BUILT = FIXTURES / "built"
LINK_CASES = sorted(path.name for path in (FIXTURES / "link_cases").iterdir() if path.is_dir())
CASES = tomllib.loads((BUILT / "CASES.toml").read_text(encoding="utf-8"))
LINKED = [name for name, case in CASES.items() if not case.get("link_fails")]
GOOD = [name for name in LINKED if CASES[name]["exit"] == 0]
BROKEN = [name for name in LINKED if CASES[name]["exit"] != 0]
# These images have no fault but that they are not what the good firmware's table says.
FAULTLESS = ("flash-over-budget", "weights-in-orphan-section")
# What is wrong with these only warns, unless a table makes it fail.
WARNED = [name for name in BROKEN if CASES[name].get("budget") == "kws-node-strict"]
# Map and ELF are of two links: nothing can be proposed.
MIXED = ("map-of-another-build", "elf-of-another-core")

Init = Callable[..., tuple[int, str, str]]


@pytest.fixture
def init(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Init:
    """Run `init` on a built case into tmp_path/mapinspect.toml; status, stdout, stderr."""

    def run_init(case: str, *options: str, with_map: bool = True) -> tuple[int, str, str]:
        table = tomllib.loads((BUILT / case / "mapinspect.toml").read_text(encoding="utf-8"))
        models = [BUILT / case / model["file"] for model in table["inputs"]["models"]]
        words = ["init", f"--elf={BUILT / case / 'app.elf'}"]
        words += [f"--map={BUILT / case / 'app.map'}"] if with_map else []
        words += [f"--model={model.resolve()}" for model in models]
        status = run([*words, f"--output={tmp_path / 'mapinspect.toml'}", *options])
        said = capsys.readouterr()
        return status, said.out, said.err

    return run_init


def check(tmp_path: Path, *options: str) -> int:
    return run(["check", f"--config={tmp_path / 'mapinspect.toml'}", *options])


@pytest.mark.parametrize("case", GOOD)
def test_a_good_firmware_passes_its_own_table(init: Init, tmp_path: Path, case: str) -> None:
    status, out, _ = init(case)
    assert (status, out.splitlines()[0].endswith("mapinspect check says PASS")) == (0, True)
    assert "wrong today" not in out
    assert check(tmp_path) == 0


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_twin_fails_under_the_good_ones_table(
    init: Init, tmp_path: Path, case: str, capsys: pytest.CaptureFixture[str]
) -> None:
    init("good")
    files = [f"--elf={BUILT / case / 'app.elf'}", f"--map={BUILT / case / 'app.map'}"]
    expected = 0 if case in WARNED else CASES[case]["exit"]
    if case == "heap-without-limit":
        expected = 2  # the good one's table limits the heap, and nothing in this image does
    assert check(tmp_path, *files, "--format=json") == expected
    findings = json.loads(capsys.readouterr().out)["findings"]
    told = "\n".join(item["message"] for item in findings if item["severity"] != "information")
    if CASES[case]["exit"] == 1:
        assert CASES[case].get("subject", "") in told


@pytest.mark.parametrize("case", [case for case in BROKEN if case not in MIXED])
def test_a_defect_is_never_blessed(init: Init, tmp_path: Path, case: str) -> None:
    status, out, _ = init(case)
    assert status == 0
    if case in FAULTLESS or case in WARNED:
        assert check(tmp_path) == 0
        return
    assert check(tmp_path) == CASES[case]["exit"]
    if CASES[case]["exit"] == 1:
        assert "wrong today: " in out
        written = (tmp_path / "mapinspect.toml").read_text(encoding="utf-8")
        assert "# Wrong today; the table fails on it until it is mended:" in written


@pytest.mark.parametrize("case", MIXED)
def test_a_map_of_another_link_is_refused(init: Init, tmp_path: Path, case: str) -> None:
    status, _, errors = init(case)
    assert (status, "is not of the link that made the ELF" in errors) == (2, True)
    assert not (tmp_path / "mapinspect.toml").exists()


@pytest.mark.parametrize("case", [*GOOD, "weights-without-const", "stripped-elf"])
def test_the_table_is_sound_and_commented(init: Init, tmp_path: Path, case: str) -> None:
    init(case)
    path = tmp_path / "mapinspect.toml"
    assert run(["config", "check", str(path)]) == 0
    text = path.read_text(encoding="utf-8")
    jsonschema.validate(tomllib.loads(text), json_schema())
    assert "# holds " in text


def test_what_is_proposed_for_the_good_firmware(init: Init, tmp_path: Path) -> None:
    init("good", "--mcu=STM32L476RE")
    table = tomllib.loads((tmp_path / "mapinspect.toml").read_text(encoding="utf-8"))
    assert table["project"] == {"name": "app", "mcu": "STM32L476RE", "margin": "10%"}
    (model,) = table["inputs"]["models"]
    assert (tmp_path / model["file"]).resolve() == FIXTURES / "models" / "kws_int8.tflite"
    assert model["symbol"] == "g_kws_model"
    assert model["arena"] == "tensor_arena"
    # 59,656, 29,984 and 16,400 bytes (ld --print-memory-usage), a tenth more, in steps of 1K
    limits = {row["name"]: row["limit"] for row in table["region"]}
    assert limits == {"FLASH": "65K", "SRAM1": "33K", "SRAM2": "18K"}
    rows = {row["id"]: row for row in table["budget"]}
    assert rows["weights"] == {
        "id": "weights",
        "kind": "weights",
        "region": "FLASH",
        "limit": "45K",
    }
    assert rows["arena"] == {"id": "arena", "kind": "arena", "limit": "14K", "min": "estimate"}
    assert rows["stack"]["min"] == rows["heap"]["limit"] == "4K"
    flash, ram = table["placement"]
    assert (flash["region"], flash["align"], flash["read-only"]) == (["FLASH"], 16, True)
    assert (ram["region"], ram["align"]) == (["SRAM1"], 16)


@pytest.mark.parametrize(
    "source",
    [
        pytest.param("--mcu=STM32L476RE", id="the part's banks"),
        pytest.param(
            f"--linker-script={FIXTURES.parent / 'linker_scripts' / 'STM32L476RE.ld'}",
            id="the linker script's regions",
        ),
    ],
)
def test_without_a_map_the_table_declares_the_memories(
    init: Init, tmp_path: Path, source: str
) -> None:
    status, out, _ = init("good", source, with_map=False)
    assert status == 0
    table = tomllib.loads((tmp_path / "mapinspect.toml").read_text(encoding="utf-8"))
    assert {row["name"]: (row["origin"], row["kind"]) for row in table["region"]} == {
        "FLASH": (0x0800_0000, "flash"),
        "SRAM1": (0x2000_0000, "sram"),
        "SRAM2": (0x1000_0000, "sram"),
    }
    assert out.splitlines()[0].endswith("says PASS")


def test_regions_must_come_from_somewhere(init: Init, tmp_path: Path) -> None:
    status, _, errors = init("good", with_map=False)
    assert (status, "add --map, --mcu or --linker-script" in errors) == (2, True)
    assert not (tmp_path / "mapinspect.toml").exists()


def test_a_map_without_memory_is_not_asked_for_again(
    shared: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    image = shared / "link_cases" / "arm_no_memory" / "case"
    status, _, errors = without_models(image, tmp_path, capsys)
    assert (status, "case.map: says nothing about memory regions; add --mcu" in errors) == (2, True)


def without_models(
    image: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> tuple[int, str, str]:
    """Run `init` on an image's ELF and map alone; status, stdout, stderr."""
    files = [f"--elf={image.with_suffix('.elf')}", f"--map={image.with_suffix('.map')}"]
    status = run(["init", *files, f"--output={tmp_path / 'mapinspect.toml'}"])
    said = capsys.readouterr()
    return status, said.out, said.err


def agrees(
    image: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], refusals: tuple[str, ...]
) -> bool:
    """Whether an image fails the table made of it just where the table says so."""
    status, out, errors = without_models(image, tmp_path, capsys)
    if status == 2:
        return any(words in errors for words in refusals)
    text = (tmp_path / "mapinspect.toml").read_text(encoding="utf-8")
    sound = run(["config", "check", str(tmp_path / "mapinspect.toml")]) == 0
    said = "wrong today: " in out
    return sound and said is ("# Wrong today;" in text) and check(tmp_path) == said


@pytest.mark.parametrize("case", [case for case in LINKED if case not in MIXED])
def test_without_models_a_firmware_fails_just_where_its_table_says_so(
    case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert agrees(BUILT / case / "app", tmp_path, capsys, ())


@pytest.mark.parametrize("case", LINK_CASES)
def test_an_image_of_any_layout_fails_just_where_its_table_says_so(
    case: str, shared: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    image = shared / "link_cases" / case / "case"
    if not (image.with_suffix(".elf").exists() and image.with_suffix(".map").exists()):
        pytest.skip("the link failed, or printed its map elsewhere")
    refusals = ("says nothing about memory regions", "is no linked firmware")
    assert agrees(image, tmp_path, capsys, refusals)


def test_reserves_that_no_section_holds_count_as_use(
    shared: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """4 bytes of .data, 0x280 of a heap and 0x600 of a stack that are not loaded (truth.json)."""
    without_models(shared / "link_cases" / "sh_cmsis_old_startup" / "case", tmp_path, capsys)
    table = tomllib.loads((tmp_path / "mapinspect.toml").read_text(encoding="utf-8"))
    limits = {row["name"]: row["limit"] for row in table["region"]}
    assert limits["RAM"] == 2560  # 2,180 bytes and a tenth, 2,398, rounded up to a step of 256


def test_weights_without_a_symbol_get_no_row_that_nothing_can_match(
    init: Init, tmp_path: Path
) -> None:
    init("stripped-elf")
    table = tomllib.loads((tmp_path / "mapinspect.toml").read_text(encoding="utf-8"))
    assert "placement" not in table


def test_a_second_model_of_no_file_counts_as_weights_of_today(tmp_path: Path) -> None:
    """The table of the case names both models; here only one is given."""
    files = [f"--elf={BUILT / 'two-models' / 'app.elf'}", f"--map={BUILT / 'two-models/app.map'}"]
    path = tmp_path / "mapinspect.toml"
    model = FIXTURES / "models" / "kws_int8.tflite"
    assert run(["init", *files, f"--model={model}", f"--output={path}"]) == 0
    rows = {row["id"]: row for row in tomllib.loads(path.read_text(encoding="utf-8"))["budget"]}
    assert rows["weights"]["limit"] == "54K"  # 41,456 + 8,192 bytes and a tenth
    assert check(tmp_path) == 2  # whose the second model is, is open


def test_comments_fit_a_screen(init: Init, tmp_path: Path) -> None:
    for case in ("weights-without-const", "ram-overflow", "weights-linked-twice"):
        init(case, "--force")
        lines = (tmp_path / "mapinspect.toml").read_text(encoding="utf-8").splitlines()
        comments = [line for line in lines if line.startswith("#")]
        assert any("this fails until" in line for line in comments[6:])
        assert max(len(line) for line in comments) <= 100


def test_a_table_is_never_overwritten_without_force(init: Init, tmp_path: Path) -> None:
    path = tmp_path / "mapinspect.toml"
    path.write_text("mine", encoding="utf-8")
    status, _, errors = init("good")
    assert (status, "is there already; use --force" in errors) == (2, True)
    assert path.read_text(encoding="utf-8") == "mine"
    assert init("good", "--force")[0] == 0
    assert path.read_text(encoding="utf-8").startswith("# The memory budget")


def test_a_link_to_nowhere_is_not_followed_without_force(init: Init, tmp_path: Path) -> None:
    (tmp_path / "mapinspect.toml").symlink_to(tmp_path / "gone")
    assert init("good")[0] == 2
    assert not (tmp_path / "gone").exists()


def test_an_input_is_never_overwritten(tmp_path: Path) -> None:
    elf = tmp_path / "app.elf"
    content = (BUILT / "good" / "app.elf").read_bytes()
    elf.write_bytes(content)
    assert run(["init", f"--elf={elf}", "--mcu=STM32L476RE", f"--output={elf}", "--force"]) == 2
    assert elf.read_bytes() == content


def test_a_model_is_given_once(init: Init, tmp_path: Path) -> None:
    status, _, errors = init("good", f"--model={FIXTURES / 'built/../models/kws_int8.tflite'}")
    assert (status, "is given twice" in errors) == (2, True)
    assert not (tmp_path / "mapinspect.toml").exists()


@pytest.mark.skipif(os.name == "nt", reason="needs file names that are bytes")
def test_a_path_that_no_table_can_name_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    elf = tmp_path / os.fsdecode(b"fw\xff.elf")
    elf.write_bytes((BUILT / "good" / "app.elf").read_bytes())
    output = tmp_path / "mapinspect.toml"
    assert run(["init", f"--elf={elf}", "--mcu=STM32L476RE", f"--output={output}"]) == 2
    assert "a path that is not UTF-8" in capsys.readouterr().err
    assert not output.exists()


def test_what_is_undecided_is_said(init: Init) -> None:
    _, out, _ = init("stripped-elf")
    assert out.splitlines()[0].endswith("says UNKNOWN")
    assert "  undecided: no symbol matches *tensor_arena*" in out


def test_a_table_can_be_printed(init: Init, tmp_path: Path) -> None:
    status, out, _ = init("good", "--output=-")
    assert status == 0
    assert tomllib.loads(out)["version"] == 1
    assert not (tmp_path / "mapinspect.toml").exists()


def test_without_models_what_is_recognised_gets_rows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    case = BUILT / "good"
    output = tmp_path / "mapinspect.toml"
    words = [f"--elf={case / 'app.elf'}", f"--map={case / 'app.map'}", f"--output={output}"]
    assert run(["init", *words]) == 0
    out = capsys.readouterr().out
    assert "mapinspect check says PASS" in out
    assert "give its .tflite file with --model" in out
    table = tomllib.loads(output.read_text(encoding="utf-8"))
    matches = [row["match"]["symbol"] for row in table["budget"] if "match" in row]
    assert matches == ["g_kws_model", "tensor_arena"]
    assert "recognised as arena of TensorFlow Lite Micro" in output.read_text(encoding="utf-8")
