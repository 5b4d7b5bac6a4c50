"""limit-beyond-memory: a limit of the table is larger than the memory it is about.

A limit above the memory's size limits nothing: somebody wrote a zero too many, or the table is of
another part. The same goes for a warning that the limit forestalls, for a minimum that cannot
fit, for a region that the table makes larger than ld had it, and for an update slot that leaves
the part's Flash. The numbers compared are bytes: percentages are taken of the memory first.

    undecided[limit-beyond-memory]: the limit of RAM, 1048576 bytes, is beyond its 98304 bytes

Mend it by writing what the part really has; leave the limit out to allow the whole memory.
"""

from collections.abc import Iterator

from mapinspect.checks.check import check
from mapinspect.model.budget import PlacementRow, RegionRow
from mapinspect.model.budget_rows import RowNumbers
from mapinspect.model.finding import Outcome, holds, not_claimed, undecided
from mapinspect.model.image import Evidence, Span
from mapinspect.model.inspection import Inspection


@check(
    "limit-beyond-memory",
    "every limit of the table lies within its memory",
    __doc__,
    least="error",
    about_table=True,
)
def limit_beyond_memory(inspection: Inspection) -> Iterator[Outcome]:
    """Compare limits, warnings, minimums and slots with the memory they are about."""
    table = inspection.table
    regions = {region.name: region.span.size for region in inspection.regions}
    slots = [row for row in table.placements if row.slot is not None]
    if not table.regions and not table.budgets and not slots:
        yield not_claimed("table", "the table has no limits")
    for region in table.regions:
        fault = _enlarged(inspection, region)
        fault = fault or _fault_of_region(region, regions.get(region.name, 0))
        yield _outcome(region.name, fault, region.declared)
    for row in table.budgets:
        yield _outcome(row.id, _fault_of_row(inspection.line(row.id)), row.declared)
    for placement in slots:
        yield _outcome(placement.id, _fault_of_slot(inspection, placement), placement.declared)


def _outcome(name: str, fault: str | None, declared: Evidence) -> Outcome:
    if fault is None:
        return holds(name)
    return undecided(name, fault, (declared,), "write what the part really has")


def _enlarged(inspection: Inspection, row: RegionRow) -> str | None:
    """Return how a row's own origin and length exceed the region that the map has, or None."""
    printed = inspection.map.regions if inspection.map else ()
    found = next((region.span for region in printed if region.name == row.name), None)
    if found is None or row.origin is None or row.length is None:
        return None
    if found.contains(Span(row.origin, row.length)):
        return None
    here = f"{row.name} is {row.length} bytes from {row.origin:#010x} here"
    return f"{here}, and {found.size} from {found.start:#010x} in the map"


def _fault_of_region(row: RegionRow, length: int) -> str | None:
    limit = row.limit.at_most(length) if row.limit else None
    warn = row.warn.at_most(length) if row.warn else None
    return _fault(row.name, length, {"limit": limit, "warning": warn})


def _fault_of_row(line: RowNumbers) -> str | None:
    least = {"minimum": line.minimum} if line.estimated is None else {}
    return _fault(line.id, line.whole, {"limit": line.limit, "warning": line.warn, **least})


def _fault_of_slot(inspection: Inspection, row: PlacementRow) -> str | None:
    """Return how an update slot leaves the memory of the part that it begins in, or None."""
    assert row.slot is not None
    span = row.slot.span
    bank = inspection.part.bank_of(Span(span.start, 1)) if inspection.part else None
    if bank is None or any(view.contains(span) for view in bank.views()):
        return None
    here = f"the slot of {row.id}, {span.size} bytes from {span.start:#010x}"
    return f"{here}, is beyond {bank.name}, {bank.span.size} bytes from {bank.span.start:#010x}"


def _fault(name: str, whole: int, amounts: dict[str, int | None]) -> str | None:
    """Return what is wrong with one row's bytes; None also where its memory is not known."""
    limit = amounts["limit"]
    for what, size in amounts.items():
        if size is None or not whole:
            continue
        if size > whole:
            return f"the {what} of {name}, {size} bytes, is beyond its {whole} bytes"
        if limit is not None and size > limit:
            return f"the {what} of {name}, {size} bytes, is above its limit, {limit} bytes"
    return None
