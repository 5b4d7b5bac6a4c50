"""Profiles: what `--profile NAME` overrides, and from which line each value then comes."""

from fractions import Fraction

import pytest

from mapinspect.errors import InputError
from mapinspect.model.budget import BudgetTable
from mapinspect.readers.budget.reader import read_budget

TABLE = """\
version = 1
[project]
name = "node"
margin = "10%"
[inputs]
elf = "fw.elf"
models = [{ name = "kws", file = "kws.tflite", symbol = "g_model" }]
[[region]]
name = "FLASH"
limit = "100K"
warn = "90K"
[[region]]
name = "RAM"
limit = "20K"
[[budget]]
id = "log"
match = { archive = "liblog.a", section = ".text*" }
limit = "1K"
[checks]
arena-misplaced = "warn"
[profile.release]
[profile.debug.project]
margin = "5%"
[profile.debug.inputs]
elf = "debug/fw.elf"
models = [{ name = "kws", symbol = "g_debug_model" }]
[[profile.debug.region]]
name = "FLASH"
limit = "200K"
[[profile.debug.budget]]
id = "log"
match = { object = "log.o" }
[profile.debug.checks]
sections-overlap = "error"
"""


def read(profile: str | None, text: str = TABLE) -> BudgetTable:
    return read_budget("b.toml", text.encode(), profile)


def test_without_a_profile_the_table_stands() -> None:
    table = read(None)
    assert (table.profile, table.profiles) == (None, ("release", "debug"))
    assert table.regions[0].limit is not None
    assert table.regions[0].limit.bytes == 100 * 1024
    assert read("release").regions == table.regions


def test_a_profile_overrides_keys_and_leaves_the_others() -> None:
    table = read("debug")
    flash, ram = table.regions
    assert flash.limit is not None
    assert flash.warn is not None
    assert (flash.limit.bytes, flash.warn.bytes) == (200 * 1024, 90 * 1024)
    assert ram == read(None).regions[1]
    assert table.margin is not None
    assert table.margin.share == Fraction(5, 100)
    assert (table.name, table.inputs.elf) == ("node", "debug/fw.elf")
    (model,) = table.inputs.models
    assert (model.file, model.symbol) == ("kws.tflite", "g_debug_model")
    assert [(rule.check, rule.severity) for rule in table.rules] == [
        ("arena-misplaced", "warn"),
        ("sections-overlap", "error"),
    ]


def test_a_match_is_replaced_whole() -> None:
    match = read("debug").budgets[0].match
    assert match is not None
    assert (match.object, match.archive, match.section) == ("log.o", None, None)


def test_evidence_is_the_line_that_counts() -> None:
    table = read("debug")
    assert [row.declared.line for row in table.regions] == [29, 14]
    assert table.regions[0].declared.text == 'limit = "200K"'
    assert [rule.declared.line for rule in table.rules] == [20, 34]
    assert read(None).regions[0].declared.line == 10


@pytest.mark.parametrize(
    ("addition", "line", "words"),
    [
        pytest.param(
            "[[profile.debug.region]]\nname = 'FLSH'\nlimit = 1\n",
            36,
            "overrides region 'FLSH', which the table does not have; did you mean 'FLASH'?",
            id="a row that is not there",
        ),
        pytest.param(
            "[[profile.debug.region]]\nname = 'FLASH'\nlimit = 1\n",
            36,
            "overrides region 'FLASH' twice",
            id="a row overridden twice",
        ),
        pytest.param(
            "[[profile.debug.placement]]\nalign = 4\n", 35, "has no id", id="a row without a name"
        ),
        pytest.param(
            "[[profile.debug.region]]\nname = 'RAM'\nwarn = '30K'\n",
            37,
            "warn is above the limit, in profile debug",
            id="what only the whole row shows",
        ),
        pytest.param("[profile.' '.project]\n", 35, "profile has an empty key", id="no name"),
        pytest.param("[profile.x]\nwaiver = []\n", 36, "unknown key 'waiver'", id="no waivers"),
        pytest.param("[profile.x.chekcs]\n", 35, "did you mean checks?", id="a typo"),
    ],
)
def test_a_bad_profile_is_refused_also_when_nobody_asks_for_it(
    addition: str, line: int, words: str
) -> None:
    with pytest.raises(InputError) as caught:
        read(None, TABLE + addition)
    assert words in str(caught.value)
    assert caught.value.line == line


def test_what_a_profile_lacks_is_missed_on_its_own_line() -> None:
    with pytest.raises(InputError) as caught:
        read(None, "version = 1\n[[region]]\nname = 'R'\n[profile.x.project]\nof = 'sum'\n")
    assert (caught.value.line, "has of and no margin, in profile x" in caught.value.what) == (
        4,
        True,
    )


def test_an_unknown_profile_is_refused_with_the_nearest() -> None:
    with pytest.raises(InputError, match="has no profile 'relase'; did you mean release"):
        read("relase")
    with pytest.raises(InputError, match="it has none"):
        read("release", "version = 1\n")


def test_profiles_in_pyproject() -> None:
    text = (
        "[tool.mapinspect]\nversion = 1\n[[tool.mapinspect.region]]\nname = 'RAM'\nlimit = 1\n"
        "[[tool.mapinspect.profile.debug.region]]\nname = 'RAM'\nlimit = 2\n"
    )
    (row,) = read_budget("pyproject.toml", text.encode(), "debug").regions
    assert row.limit is not None
    assert (row.limit.bytes, row.declared.line) == (2, 8)
