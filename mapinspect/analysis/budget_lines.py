"""The budget table of a report: for every region its rows, which add up to its total."""

from collections.abc import Iterator
from dataclasses import replace

from mapinspect.analysis.estimates import estimated
from mapinspect.analysis.totals import bank_lines, only_ram, sum_lines
from mapinspect.analysis.weighing import Peaks, rooms
from mapinspect.model.budget_rows import RowNumbers, Use
from mapinspect.model.inspection import Inspection, RegionLimit, Usage
from mapinspect.model.report import BudgetLine


def budget_lines(inspection: Inspection) -> tuple[BudgetLine, ...]:
    """Return the lines: each used or budgeted region's rows and total, then the other rows."""
    limited = {row.name for row in inspection.table.regions}
    facts = inspection
    room = rooms(facts.regions, facts.reservations, facts.arenas, facts.recognised)
    peaks = Peaks(inspection.measured, room)
    lines: list[BudgetLine] = []
    shown: set[str] = set()
    for usage in inspection.usages:
        if usage.used or usage.region.name in limited:
            lines += _region(inspection, usage, peaks, shown)
    lines += bank_lines(inspection)
    lines += sum_lines(inspection, peaks)
    lines += _others(inspection, shown)
    if _is_doubtful(inspection):
        lines = [replace(line, status=_doubted(line.status)) for line in lines]
    return tuple(lines)


def _is_doubtful(inspection: Inspection) -> bool:
    """Return whether the numbers may be another image's, so that none of them is proven."""
    facts = inspection.map
    return inspection.elf is None or (facts is not None and bool(facts.disagreements))


def _doubted(status: str) -> str:
    return status if status in ("-", "over") else "unknown"


def _region(
    inspection: Inspection, usage: Usage, peaks: Peaks, shown: set[str]
) -> Iterator[BudgetLine]:
    """Yield the region's lines, and add the rows of the table that they show to ``shown``.

    The only RAM of an image shows all six rows, also those that hold nothing.
    """
    name = usage.region.name
    whole = only_ram(inspection) == name
    limit = inspection.limit(name)
    for use in (_counted(use, usage, limit) for use in inspection.uses):
        if use.region == name:
            numbers = _numbers(inspection, use)
            shown |= {numbers.id} if numbers else set()
            need = estimated(inspection, use.row, (name,))
            measured = peaks.total(use.row, usage.region.span.contains)
            known = numbers or need is not None or measured is not None
            if use.linked or known or whole:
                yield _line(use, numbers, need, measured, _status(inspection, numbers))
    linked = limit.measured(usage)
    status = "over" if linked > limit.limit or usage.free < 0 else "ok"
    free = limit.limit - linked
    parts = (("bare reserve", usage.reserved),) if usage.reserved else ()
    yield BudgetLine("total", name, None, linked, None, limit.limit, free, status, parts)
    if usage.elastic:
        yield BudgetLine("spare", name, None, usage.elastic, None, None, None, "-")


def _counted(use: Use, usage: Usage, limit: RegionLimit) -> Use:
    """Return a row as its region counts: where only occupied bytes do, static without its gaps."""
    gaps = usage.charged - limit.measured(usage)
    if use.region != usage.region.name or use.row != "static" or not gaps:
        return use
    parts = tuple((name, size) for name, size in use.parts if name != "gaps")
    return replace(use, linked=use.linked - gaps, parts=parts)


def _numbers(inspection: Inspection, use: Use) -> RowNumbers | None:
    """Return the first row of the table that limits just this kind of use in this region."""
    for row in inspection.table.budgets:
        if (row.kind, row.region, row.bank) == (use.row, use.region, None):
            return inspection.line(row.id)
    return None


def _line(
    use: Use, numbers: RowNumbers | None, need: int | None, measured: int | None, status: str
) -> BudgetLine:
    limit = numbers.limit if numbers else None
    return BudgetLine(
        row=use.row,
        memory=use.region,
        estimated=need,
        linked=use.linked,
        measured=measured,
        limit=limit,
        free=None if limit is None else limit - use.linked,
        status=status,
        parts=use.parts,
    )


def _others(inspection: Inspection, shown: set[str]) -> Iterator[BudgetLine]:
    """Yield the rows that no region's line shows: matches, and kinds counted elsewhere."""
    for numbers in inspection.rows:
        if numbers.id in shown:
            continue
        free = None if numbers.limit is None else numbers.limit - numbers.linked
        yield BudgetLine(
            numbers.id,
            numbers.memory,
            numbers.estimated,
            numbers.linked,
            numbers.measured,
            numbers.limit,
            free,
            _status(inspection, numbers),
            scope="row",
        )


def _status(inspection: Inspection, numbers: RowNumbers | None) -> str:
    if numbers is None:
        return "-"
    if numbers.limit is not None and numbers.linked > numbers.limit:
        return "over"
    row = next(row for row in inspection.table.budgets if row.id == numbers.id)
    left = inspection.unreserved_stack(row)
    available = numbers.available if left is None else left
    if numbers.minimum is not None and available < numbers.minimum:
        return "under"
    return "ok"
