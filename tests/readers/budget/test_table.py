"""The budget table: what it accepts, and the line and remedy of everything it refuses.

The defects are those that have made other gates pass by mistake: nan limits, ambiguous units,
booleans that count as 1, rows nobody reads.
"""

import contextlib
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mapinspect.errors import InputError
from mapinspect.readers.budget.reader import read_budget
from mapinspect.readers.budget.values import size

GOOD = """\
version = 1
[project]
name = "kws-node"   # a comment
margin = "15%"
of = "sum"
[inputs]
elf = "fw.elf"
models = [
  { name = "kws", file = "kws.tflite", symbol = "g_model", runtime = "plan-only" },
]
[[region]]
name = "FLASH"
limit = "85%"
[[region]]
name = "RAM"
kind = "sram"
origin = 0x2000_0000
length = "96K"
[[budget]]
id = "stack"
kind = "stack"
min = "2 KiB"
[[placement]]
id = "model"
match = { symbol = "g_*" }
region = "FLASH"
align = 16
"""


def test_a_good_table() -> None:
    table = read_budget("b.toml", GOOD.encode())
    assert table.margin is not None
    assert table.margin.share == Fraction(15, 100)
    assert table.margin_of == "sum"
    flash, ram = table.regions
    assert flash.limit is not None
    assert flash.limit.at_most(1000) == 850
    assert (ram.origin, ram.length) == (0x2000_0000, 96 * 1024)
    assert table.budgets[0].minimum is not None
    assert table.budgets[0].minimum.at_least(0) == 2048
    assert table.placements[0].regions == ("FLASH",)
    assert table.inputs.models[0].symbol == "g_model"


def test_every_row_knows_its_line() -> None:
    table = read_budget("b.toml", GOOD.encode())
    assert [row.declared.line for row in table.regions] == [13, 15]
    assert table.budgets[0].declared.line == 22
    assert table.placements[0].declared.line == 26
    assert table.inputs.models[0].declared.line == 9


def test_windows_line_ends_and_a_byte_order_mark_change_nothing() -> None:
    windows = b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode()
    assert read_budget("b.toml", windows) == read_budget("b.toml", GOOD.encode())


def test_the_margin_knows_its_line_and_its_digits() -> None:
    table = read_budget("b.toml", GOOD.replace('"15%"', '"49.951171876%"').encode())
    assert table.margin is not None
    assert table.margin_declared is not None
    assert (table.margin.text, table.margin_declared.line) == ("49.951171876%", 4)


def test_pyproject_holds_the_same_table() -> None:
    text = "[project]\nname = 'x'\n[tool.mapinspect]\nversion = 1\n[[tool.mapinspect.region]]\n"
    table = read_budget("pyproject.toml", (text + "name = 'RAM'\nlimit = '1K'\n").encode())
    assert (table.regions[0].name, table.regions[0].declared.line) == ("RAM", 7)


def test_a_fault_in_pyproject_has_its_line_however_the_table_is_spelt() -> None:
    text = "[tool]\nmapinspect = { version = 1, region = [{ name = 'R', limt = 1 }] }\n"
    with pytest.raises(InputError, match=r"pyproject\.toml:2: unknown key 'limt'"):
        read_budget("pyproject.toml", text.encode())


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        pytest.param("", None, "has no version", id="empty"),
        pytest.param("version = 2", 1, "reads version = 1", id="another version"),
        pytest.param("version = true", 1, "reads version = 1", id="a boolean is no version"),
        pytest.param(
            "version = 1\n[[region]]\nname = 'R'\nlimt = 1", 4, "did you mean limit?", id="typo"
        ),
        pytest.param("[project]\nname = 'x'", 1, "the table has no version", id="no version"),
        pytest.param(
            "version = 1\n[[region]]\nname = 'R'\nLIMIT = 1",
            4,
            "unknown key 'LIMIT' in region; did you mean limit?",
            id="a key in capitals",
        ),
        pytest.param(
            "version = 1\nregion = [\n  { name = 'R' },\n  { name = 'S', limt = 1 },\n]",
            4,
            "did you mean limit?",
            id="a typo in a list over several lines",
        ),
        pytest.param("version = 1\n[budget.x]\n", 2, "not a list of tables", id="no row"),
        pytest.param("version = 1\nregion = 1", 2, "not a list of tables", id="wrong type"),
        pytest.param(
            "version = 1\n[[region]]\nname = 'R'\nlimit = 0.5", 4, "is a float", id="a float"
        ),
        pytest.param("version = 1\n[[region]]\nname = 'R'\nlimit = nan", 4, "a float", id="nan"),
        pytest.param("version = 1\n[[region]]\nname = 'R'\nlimit = 1e400", 4, "a float", id="inf"),
        pytest.param(
            "version = 1\n[[region]]\nname = 'R'\nlimit = true", 4, "a boolean", id="boolean"
        ),
        pytest.param(
            "version = 1\n[[region]]\nname = 'R'\nlimit = -1", 4, "is negative", id="negative"
        ),
        pytest.param(
            "version = 1\n[[region]]\nname = 'R'\nlimit = '16kB'",
            4,
            'ambiguous unit kB (1000 or 1024?); write "16KiB"',
            id="kB",
        ),
        pytest.param("version = 1\n[[region]]\nname = 'R'\nlimit = '16 MB'", 4, '"16MiB"', id="MB"),
        pytest.param(
            "version = 1\n[[region]]\nname = 'R'\nlimit = '1G'",
            4,
            "limit is '1G', not a size",
            id="a unit that no part needs",
        ),
        pytest.param(
            f"version = 1\n[[region]]\nname = 'R'\nlimit = '99.{31 * '9'}%'",
            4,
            "has too many digits",
            id="more digits than anybody means",
        ),
        pytest.param(
            "version = 1\n[[region]]\nname = 'R'\nlimit = '101%'",
            4,
            "at most 100%",
            id="over 100 %",
        ),
        pytest.param(
            "version = 1\n[[region]]\nname = 'R'\nlimit = 'lots'", 4, "not a size", id="words"
        ),
        pytest.param(
            "version = 1\n[[region]]\nname = 'R'\nlength = 1",
            3,
            "has length and no origin",
            id="half a region",
        ),
        pytest.param(
            "version = 1\n[[region]]\nname = 'R'\n[[region]]\nname = 'R'", 5, "twice", id="twice"
        ),
        pytest.param("version = 1\n[a]\nb = 1\n[a]", 4, "not valid TOML", id="a table twice"),
        pytest.param(
            "version = 1\n[[budget]]\nid = 'x'\nlimit = 1",
            3,
            "has none of kind, match",
            id="a row about nothing",
        ),
        pytest.param(
            "version = 1\n[[budget]]\nid = 'x'\nkind = 'stack'\nmatch = { symbol = 'a' }",
            3,
            "budget 'x' has kind and match; keep one",
            id="a row about two things",
        ),
        pytest.param(
            "version = 1\n[project]\nof = 'sum'", 2, "has of and no margin", id="a base of nothing"
        ),
        pytest.param(
            "version = 1\n[[budget]]\nid = 'x'\nkind = 'stack'",
            3,
            "has none of limit, min, growth",
            id="a row without a limit",
        ),
        pytest.param(
            "version = 1\n[[budget]]\nid = 'x'\nkind = 'stack'\nmin = 'estimate'",
            5,
            "is an estimate",
            id="an estimate of a stack",
        ),
        pytest.param(
            "version = 1\n[[placement]]\nid = 'x'\nmatch = {}\nalign = 4",
            4,
            "match has none of symbol",
            id="an empty match",
        ),
        pytest.param(
            "version = 1\n[project]\nmargin = '100%'",
            3,
            "leaves nothing",
            id="a margin of everything",
        ),
        pytest.param("a = " + "[" * 5000, None, "", id="nested beyond reason"),
        pytest.param("version = " + "9" * 9999, None, "", id="a number beyond reason"),
    ],
)
def test_refusals_name_line_and_remedy(text: str, line: int | None, words: str) -> None:
    with pytest.raises(InputError) as caught:
        read_budget("b.toml", text.encode())
    assert words in str(caught.value)
    if line is not None:
        assert caught.value.line == line
        assert str(caught.value).startswith(f"b.toml:{line}: ")


def test_bytes_that_are_not_utf8_are_refused_with_their_line() -> None:
    with pytest.raises(InputError, match=r"b\.toml:2: is not UTF-8"):
        read_budget("b.toml", b"version = 1\n# \xff")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("512K", 524288),
        ("1.5KiB", 1536),
        ("2M", 2097152),
        ("1 MiB", 1048576),
        ("100", 100),
        ("64 B", 64),
        ("0x20", 32),
    ],
)
def test_sizes(text: str, expected: int) -> None:
    assert size(text) == expected


@given(st.text(max_size=200))
def test_any_text_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(InputError):
        read_budget("b.toml", text.encode("utf-8", "surrogatepass"))
