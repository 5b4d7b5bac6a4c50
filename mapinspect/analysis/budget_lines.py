"""The budget table of a report: for every region its rows, which add up to its total."""

from collections.abc import Iterator
from dataclasses import replace

from mapinspect.model.inspection import Inspection, RowNumbers, Usage, Use
from mapinspect.model.report import BudgetLine


def budget_lines(inspection: Inspection) -> tuple[BudgetLine, ...]:
    """Return the lines: each used or budgeted region's rows and total, then the other rows."""
    limited = {row.name for row in inspection.table.regions}
    lines: list[BudgetLine] = []
    for usage in inspection.usages:
        if usage.used or usage.region.name in limited:
            lines += _region(inspection, usage)
    lines += _others(inspection)
    if _is_doubtful(inspection):
        lines = [replace(line, status=_doubted(line.status)) for line in lines]
    return tuple(lines)


def _is_doubtful(inspection: Inspection) -> bool:
    """Return whether the numbers may be another image's, so that none of them is proven."""
    facts = inspection.map
    return inspection.elf is None or (facts is not None and bool(facts.disagreements))


def _doubted(status: str) -> str:
    return status if status in ("-", "over") else "unknown"


def _region(inspection: Inspection, usage: Usage) -> Iterator[BudgetLine]:
    name = usage.region.name
    for use in inspection.uses:
        if use.region == name:
            numbers = _numbers(inspection, use)
            estimated = _estimated(inspection, use)
            if use.linked or numbers or estimated is not None:
                yield _line(use, numbers, estimated)
    limit = inspection.limit(name)
    measured = limit.measured(usage)
    status = "over" if measured > limit.limit or usage.free < 0 else "ok"
    free = limit.limit - measured
    yield BudgetLine("total", name, None, measured, None, limit.limit, free, status)


def _numbers(inspection: Inspection, use: Use) -> RowNumbers | None:
    rows = [row for row in inspection.table.budgets if row.kind == use.row]
    return next((inspection.line(row.id) for row in rows if row.region == use.region), None)


def _estimated(inspection: Inspection, use: Use) -> int | None:
    if use.row == "weights":
        sizes = [
            model.size
            for model in inspection.models
            if any(copy.place.region == use.region for copy in model.copies)
        ]
        return sum(sizes) if sizes else None
    if use.row == "arena":
        needs = [
            arena.needed
            for arena in inspection.arenas
            if arena.place is not None and arena.place.region == use.region
        ]
        known = [need for need in needs if need is not None]
        return sum(known) if known else None
    return None


def _line(use: Use, numbers: RowNumbers | None, estimated: int | None) -> BudgetLine:
    limit = numbers.limit if numbers else None
    free = None if limit is None else limit - use.linked
    return BudgetLine(
        use.row, use.region, estimated, use.linked, None, limit, free, _status(numbers), use.parts
    )


def _others(inspection: Inspection) -> Iterator[BudgetLine]:
    """Yield the rows that no region's line shows: matches, and kinds counted everywhere."""
    for row in inspection.table.budgets:
        if row.kind is not None and row.region is not None:
            continue
        numbers = inspection.line(row.id)
        free = None if numbers.limit is None else numbers.limit - numbers.linked
        yield BudgetLine(
            row.id,
            numbers.memory,
            numbers.estimated,
            numbers.linked,
            None,
            numbers.limit,
            free,
            _status(numbers),
        )


def _status(numbers: RowNumbers | None) -> str:
    if numbers is None:
        return "-"
    if numbers.limit is not None and numbers.linked > numbers.limit:
        return "over"
    if numbers.minimum is not None and numbers.linked < numbers.minimum:
        return "under"
    return "ok"
