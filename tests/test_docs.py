"""Documents in step with the code."""

import re

import pytest

from tests import docs


@pytest.mark.parametrize("name", docs.PAGES)
def test_a_page_shows_what_commands_print_and_files_hold(name: str) -> None:
    assert (docs.ROOT / name).read_text(encoding="utf-8") == docs.page(name)


@pytest.mark.parametrize("name", docs.PAGES)
def test_every_block_of_a_page_is_made_anew(name: str) -> None:
    text = (docs.ROOT / name).read_text(encoding="utf-8")
    begun = re.findall(r"^<!-- (?!end).*", text, re.MULTILINE)
    assert len(docs.BLOCK.findall(text)) == len(begun) >= 2


def test_check_list_is_fresh() -> None:
    assert (docs.ROOT / "CHECKS.md").read_text(encoding="utf-8") == docs.checks()


def test_every_file_that_architecture_names_exists() -> None:
    text = (docs.ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`?\b((?:[a-z_0-9]+/)*[a-z_0-9]+\.(?:py|toml|lark))\b", text))
    homes = ("", "mapinspect", "mapinspect/analysis", "mapinspect/reports")
    known = {name for name in named for home in homes if (docs.ROOT / home / name).exists()}
    assert named - known <= {"mapinspect.toml"}
