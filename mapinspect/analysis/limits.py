"""The byte limit of every region: its length, the table's limit, the margin; the least wins."""

from fractions import Fraction

from mapinspect.model.budget import BudgetTable, RegionRow
from mapinspect.model.image import Evidence, Region
from mapinspect.model.inspection import RegionLimit


def region_limits(table: BudgetTable, regions: tuple[Region, ...]) -> tuple[RegionLimit, ...]:
    """Return one limit for each region, in the order of ``regions``."""
    rows = {row.name: row for row in table.regions}
    return tuple(_limit(region, rows.get(region.name), table) for region in regions)


def _limit(region: Region, row: RegionRow | None, table: BudgetTable) -> RegionLimit:
    length = region.span.size
    rules = [(length, region.declared)]
    if row is not None and row.limit is not None:
        rules.append((row.limit.at_most(length), row.declared))
    if table.margin is not None:
        limit = margin_limit(table, length)
        text = f"margin {table.margin.text} of the {table.margin_of}: at most {limit} bytes"
        line = table.margin_declared.line if table.margin_declared else None
        rules.append((limit, Evidence(table.path, line, text)))
    rules.sort(key=lambda rule: rule[0])
    warn = row.warn.at_most(length) if row is not None and row.warn is not None else None
    measure = row.count if row is not None else "extent"
    said = row.warn_declared if row is not None else None
    places = tuple(evidence for _, evidence in rules)
    return RegionLimit(region, rules[0][0], warn, measure, places, said)


def margin_limit(table: BudgetTable, length: int) -> int:
    """Return the most bytes that leave the project's margin free.

    Of the region: length x (1 - margin). Of the sum: the largest use with
    use x (1 + margin) <= length.
    """
    assert table.margin is not None
    assert table.margin.share is not None
    share = table.margin.share
    kept = 1 - share if table.margin_of == "region" else Fraction(1) / (1 + share)
    return int(kept * length)
