"""growth-over-limit: a region or row grew more since the baseline than the table allows.

`growth = { bytes = "+4K", percent = 2 }` in a `[[region]]` or `[[budget]]` row compares its bytes
with those of an earlier JSON report, given with `--baseline` or as `baseline` in `[inputs]`; the
least of both limits counts. The claim is undecided where the baseline proves nothing: it is
missing or no report of mapinspect, another version of mapinspect wrote it, it is of another target,
part or memory layout or of a map in doubt, or the row is not in it or counted something else. So it
is where the bytes of now are not known for certain, and where what is given as a baseline is none,
even if no row compares with it.

    error[growth-over-limit]: FLASH grew by 5120 bytes to 64512, 1024 more than allowed

Mend it by taking back what grew, or by a new baseline when the growth is meant.
"""

from collections.abc import Iterator

from mapinspect import __version__
from mapinspect.checks.check import check
from mapinspect.checks.rows import SHARED, in_doubt
from mapinspect.model.baseline import Baseline
from mapinspect.model.budget import BudgetRow, Growth, RegionRow
from mapinspect.model.finding import (
    Finding,
    Outcome,
    Severity,
    broken,
    holds,
    not_claimed,
    undecided,
)
from mapinspect.model.inspection import Inspection

_REMEDY = "give the JSON report of an earlier build: --baseline FILE"


@check("growth-over-limit", "nothing grew more than the table allows", __doc__)
def growth_over_limit(inspection: Inspection) -> Iterator[Outcome]:
    """Compare bytes now with those of the baseline, for every row with a growth limit."""
    table = inspection.table
    regions = [row for row in table.regions if row.growth is not None]
    budgets = [row for row in table.budgets if row.growth is not None]
    if not regions and not budgets:
        yield _without_rows(inspection.baseline)
    for region in regions:
        yield _region(inspection, region)
    for budget in budgets:
        yield _budget(inspection, budget)


def _without_rows(baseline: Baseline | None) -> Outcome:
    """Judge a baseline that no row compares with: it was given for something."""
    if baseline is None:
        return not_claimed("growth", "no row has a growth limit")
    if baseline.fault is not None:
        message = f"the baseline {baseline.fault}"
        return undecided("growth", message, (baseline.evidence("given"),), _REMEDY)
    message = "no row has a growth limit: nothing is compared with the baseline"
    remedy = "write growth = { percent = 2 } into the rows that must not grow"
    finding = Finding(
        Severity.INFORMATION, "growth", message, (baseline.evidence("given"),), remedy
    )
    return not_claimed("growth", "no row has a growth limit", finding)


def _region(inspection: Inspection, row: RegionRow) -> Outcome:
    usage = inspection.usage(row.name)
    assert row.growth is not None
    if usage is None:
        return not_claimed(row.name, "the image does not have it")
    before: int | str
    baseline = inspection.baseline
    old = baseline.regions.get(row.name) if baseline else None
    if old is None:
        before = f"the baseline has no region {row.name}"
    elif old.span != usage.region.span:
        before = f"{row.name} had another origin or length in the baseline"
    elif usage.otherwise is not None:
        before = SHARED
    else:
        before = old.occupied if row.count == "occupied" else old.used
    now = inspection.limit(row.name).measured(usage)
    return _judge(baseline, row.growth, row.name, now, _fault(inspection) or before)


def _budget(inspection: Inspection, row: BudgetRow) -> Outcome:
    assert row.growth is not None
    baseline = inspection.baseline
    line = inspection.line(row.id)
    before: int | str | None = baseline.rows.get(row.id) if baseline else None
    if baseline is None or before is None:
        before = f"the baseline has no row {row.id}"
    elif (doubt := in_doubt(line)) is not None:
        before = doubt[0]
    elif line.otherwise is not None:
        before = SHARED
    elif baseline.counts.get(row.id) != line.counts:
        then = baseline.counts.get(row.id, "something unknown")
        before = f"{row.id} counted {then} in the baseline, and counts {line.counts} now"
    return _judge(baseline, row.growth, row.id, line.linked, _fault(inspection) or before)


def _fault(inspection: Inspection) -> str | None:
    """Return why nothing can be compared with the baseline, or None."""
    baseline, elf, part = inspection.baseline, inspection.elf, inspection.part
    if baseline is None:
        return "no baseline is given"
    if baseline.fault is not None:
        return f"the baseline {baseline.fault}"
    if baseline.tool != __version__:
        return f"the baseline is of mapinspect {baseline.tool or 'unknown'}, not {__version__}"
    if elf is not None and baseline.target != elf.target:
        return f"the baseline is of target {baseline.target or 'unknown'}, not {elf.target}"
    if part is not None and baseline.part not in (None, part.name):
        return f"the baseline is of part {baseline.part}, not {part.name}"
    return None


def _judge(
    baseline: Baseline | None, growth: Growth, name: str, now: int, before: int | str
) -> Outcome:
    """Compare the bytes of now and before; text instead of bytes says why they are unknown."""
    if baseline is None or isinstance(before, str):
        then = () if baseline is None else (baseline.evidence(str(before)),)
        message = f"how much {name} grew is unknown: {before}"
        return undecided(name, message, (growth.declared, *then), _REMEDY)
    allowed = growth.at_most(before)
    if now <= allowed:
        return holds(name)
    message = f"{name} grew by {now - before} bytes to {now}, {now - allowed} more than allowed"
    old = baseline.evidence(f"{name} had {before} bytes, so {allowed} are allowed")
    return broken(name, message, (growth.declared, old), "take it back, or make a new baseline")
