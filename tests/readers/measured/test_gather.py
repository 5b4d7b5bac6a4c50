"""Which files of measurements are read: the table's globs and rows, and those that were given."""

from dataclasses import replace
from pathlib import Path

import pytest

from mapinspect.errors import InputError
from mapinspect.model.budget import BudgetTable, Inputs
from mapinspect.readers.measured import gather as gathering
from mapinspect.readers.measured.gather import gather, wanted
from mapinspect.readers.source import SourceFile
from tests.readers.measured.test_rows import ROW

LOG = b"stack_peak = 488\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("logs/b.log", "logs/a.log", "logs/deep/c.log", "logs/ram.bin"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(LOG)
    return tmp_path


def table(*measured: str, rows: tuple = ()) -> BudgetTable:
    return BudgetTable("mapinspect.toml", inputs=Inputs(measured=measured), measured=rows)


def names(table_: BudgetTable, folder: Path, *given: str) -> list[str]:
    paths = wanted(table_, str(folder), given).paths
    return [str(Path(path).relative_to(folder)) for path in paths]


def test_globs_are_relative_to_the_table_and_sorted(folder: Path) -> None:
    assert names(table("logs/*.log"), folder) == ["logs/a.log", "logs/b.log"]
    every = ["logs/a.log", "logs/b.log", "logs/deep/c.log"]
    assert names(table("logs/**/*.log", "logs/a.log"), folder) == every


@pytest.mark.parametrize("pattern", ["none/*.log", "logs/deep", "run.log"])
def test_a_glob_that_matches_no_file_is_refused(folder: Path, pattern: str) -> None:
    with pytest.raises(InputError, match="matches no file"):
        names(table(pattern), folder)


def test_a_glob_that_matches_too_much_is_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gathering, "_MOST_FILES", 1)
    with pytest.raises(InputError, match="more than 1 files"):
        names(table("logs/**"), folder)


def test_a_given_file_takes_the_place_of_the_rows_about_its_name(folder: Path) -> None:
    rows = (replace(ROW, file="logs/ram.bin", symbol="a"), replace(ROW, file="logs/ram.bin"))
    given = str(folder / "logs/deep/ram.bin")
    found = wanted(table("logs/*.bin", rows=rows), str(folder), [given])
    assert found.files == ((given, rows),)


def test_files_that_share_a_name_are_all_read(folder: Path) -> None:
    given = [str(folder / "logs/a.log"), str(folder / "logs/deep/a.log")]
    assert wanted(table(), str(folder), given).paths == tuple(given)


def test_each_file_is_opened_once_and_read_for_every_row(folder: Path) -> None:
    opened = []

    def read(path: str) -> SourceFile:
        opened.append(path)
        return SourceFile(path, Path(path).read_bytes())

    rows = (replace(ROW, file="logs/a.log"), replace(ROW, file="logs/a.log"))
    items = gather(wanted(table("logs/*.log", rows=rows), str(folder), []), read, None)
    assert [Path(path).name for path in opened] == ["a.log", "b.log"]
    assert [item.bytes for item in items] == [488, 488, 488]


def test_a_dump_without_a_row_says_what_is_missing() -> None:
    with pytest.raises(InputError, match="add a \\[\\[measured\\]\\] row"):
        gather(wanted(table(), ".", ["x.bin"]), lambda path: SourceFile(path, b"\xa5"), None)
