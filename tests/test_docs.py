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
