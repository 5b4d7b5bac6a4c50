"""row-over-budget: a part of the image is larger than its row in the table allows.

A `[[budget]]` row counts one kind of use (static memory, heap, stack, weights, arena), whatever
its `match` selects, or the rest that no other row counts, in the memory it names or in all of
them, and compares the bytes with its limit. In a named memory load images count too.

Not every row's bytes are certain. Where link-time optimisation read its objects, it may hold any of
the bytes that were mixed; where one of its symbols is a label without a size (`.incbin` without
`.size`), any up to the next symbol; where it means a thin archive, any object that the map names
without an archive. Sections at addresses that regions share may lie in the row's region or not, and
a heap that takes what is left may become as large. Where that makes the difference, the limit is
undecided.

    error[row-over-budget]: tflm takes up 94208 of 92160 bytes, 2048 over

Mend it by making that part smaller, or by raising the row's limit on purpose.
"""

from collections.abc import Iterator

from mapinspect.checks.check import check
from mapinspect.checks.rows import APART, SHARED, in_doubt
from mapinspect.model.budget import BudgetRow
from mapinspect.model.budget_rows import RowNumbers
from mapinspect.model.finding import (
    Finding,
    Outcome,
    Severity,
    broken,
    holds,
    not_claimed,
    undecided,
)
from mapinspect.model.image import Evidence
from mapinspect.model.inspection import Inspection


@check("row-over-budget", "every row of the table stays within its limit", __doc__)
def row_over_budget(inspection: Inspection) -> Iterator[Outcome]:
    """Compare each row's linked bytes with its limit; warn above its warning."""
    rows = [row for row in inspection.table.budgets if row.limit is not None]
    if not rows:
        yield not_claimed("budget", "no [[budget]] row has a limit")
    for row in rows:
        yield _judge(inspection, row)


def _judge(inspection: Inspection, row: BudgetRow) -> Outcome:
    line = inspection.line(row.id)
    evidence = (row.declared, Evidence(line.image, None, f"{row.id} takes up {line.linked} bytes"))
    remedy = "make it smaller, or raise the row's limit on purpose"
    if line.limit is None:
        message = f"{row.id} may take up a share of {line.memory}, whose size is not known"
        return undecided(row.id, message, (row.declared,), "give the map, or write bytes")
    doubt = _doubt(inspection, row, line, line.limit)
    if doubt is not None:
        return undecided(row.id, doubt[0], evidence, doubt[1])
    if line.linked > line.limit:
        over = line.linked - line.limit
        message = f"{row.id} takes up {line.linked} of {line.limit} bytes, {over} over"
        return broken(row.id, message, evidence, remedy)
    if line.warn is not None and line.linked > line.warn:
        message = f"{row.id} takes up {line.linked} bytes, above its warning at {line.warn}"
        evidence = (row.warn_declared or row.declared, evidence[1])
        return holds(row.id, Finding(Severity.WARNING, row.id, message, evidence, remedy))
    return holds(row.id)


def _doubt(
    inspection: Inspection, row: BudgetRow, line: RowNumbers, limit: int
) -> tuple[str, str] | None:
    """Return why it is open whether a row stays within its limit, and what would tell."""
    other = line.linked if line.otherwise is None else line.otherwise
    if (line.linked > limit) != (other > limit):
        return f"{row.id} takes up {line.linked} or {other} of {limit} bytes: {SHARED}", APART
    if line.linked > limit:
        return None
    why = in_doubt(line)
    if why is not None and line.most > limit:
        return f"{row.id} takes up {line.linked} to {line.most} of {limit} bytes: {why[0]}", why[1]
    grows = row.kind == "heap" and line.measured is None and inspection.habits.allocators
    if grows and line.available > limit:
        remedy = "limit the heap in the linker script, or give a log of the device: --measured"
        return f"nothing keeps {row.id} within {limit} of the {line.available} left", remedy
    return None
