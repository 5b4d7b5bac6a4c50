"""`mapinspect config`: a table checked, shown in bytes, and its schema."""

import json
from pathlib import Path

import jsonschema
import pytest

from mapinspect.cli.run import run
from mapinspect.readers.budget.find import find_config

GOOD = Path(__file__).parents[2] / "fixtures" / "built" / "good" / "mapinspect.toml"
TABLE = "version = 1\n[[region]]\nname = 'RAM'\nlimit = '1K'\n"


def ran(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = run(["config", *words])
    said = capsys.readouterr()
    return status, said.out, said.err


def test_one_row_is_counted_as_one(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "mapinspect.toml"
    path.write_text(TABLE, encoding="utf-8")
    _, out, _ = ran(capsys, "check", str(path))
    assert out.endswith("sound (1 region, 0 budget rows, 0 placements, 0 waivers)\n")


def test_a_sound_table(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, errors = ran(capsys, "check", str(GOOD))
    assert (status, errors) == (0, "")
    assert out.endswith("sound (3 regions, 3 budget rows, 3 placements, 0 waivers)\n")


def test_every_faulty_table_is_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    one, two = tmp_path / "one.toml", tmp_path / "two.toml"
    one.write_text(TABLE.replace("limit", "limt"), encoding="utf-8")
    two.write_text(TABLE + "[checks]\nno-such-check = 'warn'\n", encoding="utf-8")
    status, out, errors = ran(capsys, "check", str(one), str(GOOD), str(two))
    assert status == 2
    assert out.count("sound") == 1
    assert f"error: {one}:4: unknown key 'limt' in region; did you mean limit?" in errors
    assert f"error: {two}:6: no check is called 'no-such-check'" in errors


def test_a_missing_table_and_profile(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ran(capsys, "check", str(tmp_path / "none.toml"))[0] == 2
    assert "has no profile 'debug'" in ran(capsys, "check", str(GOOD), "--profile", "debug")[2]
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    status, _, errors = ran(capsys, "check")
    assert (status, "no mapinspect.toml from here upward" in errors) == (2, True)


def test_the_nearest_table_is_found_upward(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / ".git").mkdir()
    (tmp_path / "pyproject.toml").write_text(
        "[project]\nname = 'x'\n[tool.mapinspect]\nversion = 1\n", encoding="utf-8"
    )
    (tmp_path / "a" / "pyproject.toml").write_text("[project]\nname = 'y'\n", encoding="utf-8")
    monkeypatch.chdir(inner)
    assert find_config(inner) == Path("../../pyproject.toml")
    assert ran(capsys, "check")[0] == 0
    (tmp_path / "mapinspect.toml").write_text(TABLE, encoding="utf-8")
    assert find_config(inner) == Path("../../mapinspect.toml")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        pytest.param("[tool.mapinspect]\nversion = 1\n", True, id="as usual"),
        pytest.param("[ tool . 'mapinspect' ]\nversion = 1\n", True, id="spaces and quotes"),
        pytest.param("[tool]\nmapinspect = { version = 1 }\n", True, id="an inline table"),
        pytest.param("tool.mapinspect.version = 1\n", True, id="dotted keys"),
        pytest.param("[[tool.mapinspect.region]]\nname = 'FLASH'\n", True, id="only its rows"),
        pytest.param("[tool.mapinspect]\nversion = \n", True, id="no TOML, but it speaks of it"),
        pytest.param("# [tool.mapinspect] is elsewhere\n", False, id="a comment"),
        pytest.param("[tool.mapinspector]\nversion = 1\n", False, id="another tool"),
        pytest.param("[project]\ndependencies = ['mapinspect']\n", False, id="a dependency"),
    ],
)
def test_a_project_file_is_known_by_its_table_however_it_is_spelt(
    text: str, found: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text(text, encoding="utf-8")
    assert find_config() == (Path("pyproject.toml") if found else None)


def test_of_two_tables_in_one_folder_the_report_names_the_one_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mapinspect.toml").write_text("version = 1\n", encoding="utf-8")
    project = tmp_path / "pyproject.toml"
    project.write_text("[tool.mapinspect]\nversion = 1\n", encoding="utf-8")
    note = "pyproject.toml has a table too, which mapinspect.toml beside it replaces"
    built = GOOD.parent
    arguments = ["check", f"--elf={built / 'app.elf'}", f"--map={built / 'app.map'}"]
    assert run(arguments) == 0
    assert note in capsys.readouterr().out
    assert note in ran(capsys, "check")[1]
    for more in (["--config=mapinspect.toml"], []):
        if not more:
            project.write_text("[project]\nname = 'x'\n", encoding="utf-8")
        run([*arguments, *more])
        assert note not in capsys.readouterr().out


def test_profiles_are_checked_with_what_they_accept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "mapinspect.toml"
    path.write_text("version = 1\n[profile.debug.checks]\nno-such = 'warn'\n", encoding="utf-8")
    status, _, errors = ran(capsys, "check", str(path))
    assert (status, "no check is called 'no-such'" in errors) == (2, True)


def test_limits_are_shown_in_bytes(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = ran(capsys, "show", "--config", str(GOOD))
    assert status == 0
    words = [line.split() for line in out.splitlines()]
    # 96K and 80K; SRAM2's 24K... the margin of 10 % leaves floor(32768 x 0.9) = 29491
    assert ["FLASH", "524,288", "98,304", "-", "extent", "mapinspect.toml:18"] in words
    assert ["SRAM1", "98,304", "81,920", "-", "extent", "mapinspect.toml:22"] in words
    assert ["SRAM2", "32,768", "29,491", "-", "extent", "mapinspect.toml:6"] in words
    assert "margin 10% of the region" in out
    assert ["arena", "SRAM1", "98,304", "16,384", "-", "12,000", "mapinspect.toml:38"] in words
    assert max(len(line) for line in out.splitlines()) <= 80


def test_what_the_table_softens_is_shown(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "mapinspect.toml"
    path.write_text(
        "version = 1\n[[region]]\nname = 'FLASH'\n[[region]]\nname = 'SRAM1'\n"
        "limit = '29K'  # 30 today\n"
        "[[region]]\nname = 'SRAM2'\n[[budget]]\nid = 'gone'\nmatch = { symbol = 'nope' }\n"
        "limit = 1\noptional = true\n[[waiver]]\ncheck = 'region-over-budget'\nmatch = 'SRAM1'\n"
        "reason = 'see #142'\nexpires = 9999-12-31\n[checks]\nheap-reachable = 'warn'\n"
        "[profile.debug.project]\nmargin = '5%'\n",
        encoding="utf-8",
    )
    files = [f"--elf={GOOD.parent / 'app.elf'}", f"--map={GOOD.parent / 'app.map'}"]
    status, out, _ = ran(capsys, "show", f"--config={path}", "--profile=debug", *files)
    assert status == 0
    assert "today" not in out
    for words in (
        "limit = '29K'",
        "profile debug",
        f"heap-reachable only warns ({path}:20)",
        "region-over-budget of SRAM1 is waived until 9999-12-31: see #142",
        "optional and not in the image, 1: row gone matches nothing",
        "margin 5% of the region",
    ):
        assert words in out


def test_limits_need_an_image(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "mapinspect.toml"
    path.write_text(TABLE, encoding="utf-8")
    status, _, errors = ran(capsys, "show", "--config", str(path))
    assert (status, errors.startswith(f"error: {path}: ")) == (2, True)


def test_the_schema_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = ran(capsys, "schema")
    assert status == 0
    schema = json.loads(out)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert "arena-too-small" in schema["properties"]["checks"]["propertyNames"]["enum"]
