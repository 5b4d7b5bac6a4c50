"""Rows of every kind, growth limits, waivers and severities: what is read and what is refused."""

from datetime import date
from fractions import Fraction

import pytest

from mapinspect.errors import InputError
from mapinspect.model.budget import BudgetTable
from mapinspect.readers.budget.reader import read_budget


def read(text: str) -> BudgetTable:
    return read_budget("b.toml", ("version = 1\n" + text).encode())


def test_growth_limits() -> None:
    (row,) = read("[[region]]\nname = 'R'\ngrowth = { bytes = '+4K', percent = '2.5%' }\n").regions
    assert row.growth is not None
    assert (row.growth.bytes, row.growth.share) == (4096, Fraction(25, 1000))
    assert row.growth.declared.line == 4
    # 2.5 % of 1000 is 25, less than 4096; of 1000000 it is 25000, more than 4096
    assert row.growth.at_most(1000) == 1025
    assert row.growth.at_most(1_000_000) == 1_004_096


def test_waivers_and_severities() -> None:
    table = read(
        "[[waiver]]\ncheck = 'weights-duplicated'\nmatch = 'g_*'\nreason = 'see 142'\n"
        "expires = 2027-03-31\n[checks]\narena-misplaced = 'warn'\n"
    )
    (waiver,) = table.waivers
    assert (waiver.check, waiver.subject, waiver.reason) == ("weights-duplicated", "g_*", "see 142")
    assert (waiver.expires, waiver.declared.line) == (date(2027, 3, 31), 4)
    assert [(rule.check, rule.severity) for rule in table.rules] == [("arena-misplaced", "warn")]


ROW = "[[budget]]\nid = 'x'\n"
WAIVER = "[[waiver]]\ncheck = 'a'\nmatch = 'b'\n"


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        pytest.param(
            "[[region]]\nname = 'R'\nlimit = '1K'\nwarn = '2K'\n",
            5,
            "warn is above the limit",
            id="a warning that can never come",
        ),
        pytest.param(
            ROW + "kind = 'stack'\nlimit = '50%'\nmin = '60%'\n",
            6,
            "min is above the limit",
            id="a minimum that can never hold",
        ),
        pytest.param(
            ROW + "kind = 'stack'\ngrowth = {}\n",
            5,
            "growth has none of bytes, percent",
            id="growth of nothing",
        ),
        pytest.param(
            ROW + "kind = 'stack'\ngrowth = { bytes = -1 }\n", 5, "negative", id="negative growth"
        ),
        pytest.param(
            ROW + "kind = 'stack'\ngrowth = { percent = 101 }\n", 5, "0 to 100", id="101 per cent"
        ),
        pytest.param(
            ROW + "kind = 'stack'\ngrowth = { percent = 2.5 }\n", 5, "a float", id="a float"
        ),
        pytest.param(
            ROW + "match = { bank = 'SRAM2' }\nlimit = 1\n",
            4,
            "bank needs the part",
            id="a bank of no part",
        ),
        pytest.param(
            "[[placement]]\nid = 'x'\nbank = 'A'\nmatch = { symbol = 'b' }\n",
            4,
            "bank needs the part",
            id="a bank of no part in a placement",
        ),
        pytest.param(
            "[[placement]]\nid = 'x'\ndma = true\nmatch = { symbol = 'b' }\n",
            4,
            "dma needs the part",
            id="DMA of no part",
        ),
        pytest.param(
            "[[placement]]\nid = 'x'\nmatch = { symbol = 'b' }\n"
            "slot = { origin = 0x800, length = '3K', sector = '2K' }\n",
            5,
            "does not begin and end on sectors of 2048 bytes",
            id="half a sector",
        ),
        pytest.param(
            "[inputs]\nmodels = [{ name = 'a', file = 'a' }, { name = 'a', file = 'b' }]\n",
            3,
            "'a' is given twice",
            id="two models of one name",
        ),
        pytest.param(
            "[[region]]\nname = 'R'\norigin = 0\nlength = 0\n", 5, "length is 0", id="no length"
        ),
        pytest.param(WAIVER + "reason = 'c'\n", 2, "waiver has no expires", id="a waiver for ever"),
        pytest.param(
            WAIVER + "reason = ' '\nexpires = 2027-01-01\n", 5, "is empty", id="without a reason"
        ),
        pytest.param(
            WAIVER + "reason = 'c'\nexpires = '2027-02-30'\n",
            6,
            "no day of a calendar",
            id="no such day",
        ),
        pytest.param(
            WAIVER + "reason = 'c'\nexpires = 2027-01-01T00:00:00\n",
            6,
            "a date with a time",
            id="a time",
        ),
        pytest.param(
            2 * (WAIVER + "reason = 'c'\nexpires = 2027-01-01\n"),
            9,
            "waived twice",
            id="the same waiver twice",
        ),
        pytest.param("[checks]\na = 'off'\n", 3, "ignore, warn, error", id="no such severity"),
        pytest.param("[checks]\na = true\n", 3, "ignore, warn, error", id="a boolean severity"),
    ],
)
def test_refusals_name_line_and_remedy(text: str, line: int, words: str) -> None:
    with pytest.raises(InputError) as caught:
        read(text)
    assert words in str(caught.value)
    assert caught.value.line == line
