"""The strictest of length, limit and margin, in whole bytes; expected values by hand.

RAM of the builders is 4096 bytes.
"""

from dataclasses import replace
from fractions import Fraction

import pytest

from mapinspect.analysis.limits import region_limits
from mapinspect.model.budget import Amount, BudgetTable, RegionRow
from mapinspect.model.image import Evidence
from mapinspect.model.inspection import RegionLimit
from tests.builders import FLASH, RAM, region_row, table

MARGIN = Evidence("mapinspect.toml", 2, "margin = 20%")


def limit(budget: BudgetTable) -> RegionLimit:
    """The limit of RAM, where FLASH comes first."""
    flash, ram = region_limits(budget, (FLASH, RAM))
    assert (flash.region, ram.region) == (FLASH, RAM)
    return ram


def share(per_cent: int) -> Amount:
    return Amount(None, Fraction(per_cent, 100), f"{per_cent}%")


@pytest.mark.parametrize(
    ("budget", "most"),
    [
        pytest.param(table(), 4096, id="its length"),
        pytest.param(table(region_row("FLASH", 100)), 4096, id="another region's limit is not its"),
        pytest.param(table(region_row("RAM")), 4096, id="a row without a limit"),
        pytest.param(table(region_row("RAM", 4095)), 4095, id="a limit below its length"),
        pytest.param(table(region_row("RAM", 5000)), 4096, id="a limit above its length"),
        pytest.param(
            table(replace(region_row("RAM"), limit=share(99))), 4055, id="a share, floor(4055.04)"
        ),
        pytest.param(table(margin=20), 3276, id="a margin of the region, floor(4096 x 0.8)"),
        pytest.param(table(margin=20, of="sum"), 3413, id="of the sum, floor(4096 / 1.2)"),
        pytest.param(
            table(region_row("RAM", 3275), margin=20), 3275, id="a limit below the margin"
        ),
        pytest.param(
            table(region_row("RAM", 3277), margin=20), 3276, id="a limit above the margin"
        ),
    ],
)
def test_the_strictest_counts_and_stands_first(budget: BudgetTable, most: int) -> None:
    found = limit(budget)
    assert found.limit == most
    amounts = {RAM.declared: 4096, MARGIN: 0}
    rules = found.rules[0]
    if most == 4096:
        assert amounts[rules] == 4096
    else:
        assert rules.file == "mapinspect.toml"


def test_every_rule_is_evidence_the_strictest_first() -> None:
    budget = replace(table(region_row("RAM", 3277), margin=20), margin_declared=MARGIN)
    margin, row, length = limit(budget).rules
    assert (margin.line, margin.text) == (2, "margin 20% of the region: at most 3276 bytes")
    assert (row.line, length) == (3, RAM.declared)
    bare, *_ = limit(replace(budget, margin_declared=None)).rules
    assert bare.line is None


def warned(row: RegionRow) -> tuple[int | None, str, Evidence | None]:
    found = limit(table(row))
    return found.warn, found.measure, found.warn_declared


def test_what_a_row_says_of_its_warning_and_its_measure() -> None:
    where = Evidence("mapinspect.toml", 5, "warn = 50%")
    row = replace(region_row("RAM"), warn=share(50), warn_declared=where, count="occupied")
    assert warned(row) == (2048, "occupied", where)
    assert warned(region_row("RAM", warn=900)) == (900, "extent", None)
    assert warned(region_row("FLASH", warn=900)) == (None, "extent", None)
