"""Documents in step with the code."""

import re

import pytest

from mapinspect.readers.budget.reader import read_budget
from mapinspect.readers.measured.table import read_table
from mapinspect.readers.source import SourceFile
from tests import docs


@pytest.mark.parametrize("name", docs.PAGES)
def test_a_page_shows_what_commands_print_and_files_hold(name: str) -> None:
    assert (docs.ROOT / name).read_text(encoding="utf-8") == docs.page(name)


@pytest.mark.parametrize("name", docs.PAGES)
def test_every_block_of_a_page_is_made_anew(name: str) -> None:
    text = (docs.ROOT / name).read_text(encoding="utf-8")
    begun = re.findall(r"^<!-- (?!end).*", text, re.MULTILINE)
    assert len(docs.BLOCK.findall(text)) == len(begun) >= 2


TABLES = re.findall(
    r"^```toml\n(.*?)^```", (docs.ROOT / "README.md").read_text(encoding="utf-8"), re.M | re.S
)


@pytest.mark.parametrize("text", [text for text in TABLES if text.startswith("version")])
def test_every_table_of_the_readme_is_sound(text: str) -> None:
    if "[run]" in text:
        assert read_table(SourceFile("measured.toml", text.encode())).measurements
    else:
        read_budget("mapinspect.toml", text.encode())


def test_check_list_is_fresh() -> None:
    assert (docs.ROOT / "CHECKS.md").read_text(encoding="utf-8") == docs.checks()


def test_every_file_that_architecture_names_exists() -> None:
    text = (docs.ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`?\b((?:[a-z_0-9]+/)*[a-z_0-9]+\.(?:py|toml|lark))\b", text))
    package = docs.ROOT / "mapinspect"
    lost = {name for name in named if not ((docs.ROOT / name).exists() or any(package.rglob(name)))}
    assert lost <= {"mapinspect.toml"}
