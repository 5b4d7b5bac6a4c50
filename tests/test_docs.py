"""Documents in step with the code."""

from tests import docs


def test_readme_shows_what_the_commands_print() -> None:
    assert (docs.ROOT / "README.md").read_text(encoding="utf-8") == docs.readme()


def test_readme_has_real_output() -> None:
    assert len(docs.BLOCK.findall((docs.ROOT / "README.md").read_text(encoding="utf-8"))) >= 2


def test_check_list_is_fresh() -> None:
    assert (docs.ROOT / "CHECKS.md").read_text(encoding="utf-8") == docs.checks()
