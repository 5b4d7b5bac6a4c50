"""row-under-minimum: a part of the image is smaller than the table demands.

`min` in a `[[budget]]` row demands bytes that must be there: a stack that is large enough, or
with `min = "estimate"` an arena or weights as large as the models need. A stack or heap that takes
the rest of RAM counts with all of it, a stack that nothing reserves with the free bytes below its
start.

    error[row-under-minimum]: stack has 1024 bytes and needs 4096, 3072 too few

Mend it by reserving more in the linker script or in the source.
"""

from collections.abc import Iterator

from mapinspect.checks.check import check
from mapinspect.checks.rows import APART, SHARED
from mapinspect.model.budget import BudgetRow
from mapinspect.model.budget_rows import RowNumbers
from mapinspect.model.finding import Outcome, broken, holds, not_claimed, undecided
from mapinspect.model.image import Evidence
from mapinspect.model.inspection import Inspection


@check("row-under-minimum", "every row of the table reaches its minimum", __doc__)
def row_under_minimum(inspection: Inspection) -> Iterator[Outcome]:
    """Compare each row's linked bytes with its minimum."""
    rows = [row for row in inspection.table.budgets if row.minimum is not None or row.min_estimate]
    if not rows:
        yield not_claimed("budget", "no [[budget]] row has a minimum")
    for row in rows:
        yield _judge(inspection, row)


def _judge(inspection: Inspection, row: BudgetRow) -> Outcome:
    line = inspection.line(row.id)
    left = inspection.unreserved_stack(row)
    if left is not None and line.minimum is not None:
        return _unreserved(row, left, line.minimum)
    if line.available == 0:
        return not_claimed(row.id, "nothing was found that it is about")
    declared = row.min_declared or row.declared
    evidence = (declared, Evidence(line.image, None, f"{row.id} has {line.available} bytes"))
    if line.minimum is None:
        return _unknown(row, line, evidence)
    if line.available < line.minimum:
        missing = line.minimum - line.available
        message = f"{row.id} has {line.available} bytes and needs {line.minimum}, {missing} too few"
        return broken(row.id, message, evidence, "reserve more in linker script or source")
    if line.otherwise is not None and line.otherwise < line.minimum:
        message = f"{row.id} has {line.available} or {line.otherwise} bytes: {SHARED}"
        return undecided(row.id, message, evidence, APART)
    return holds(row.id)


def _unknown(row: BudgetRow, line: RowNumbers, evidence: tuple[Evidence, ...]) -> Outcome:
    """Return that the least bytes are not known: an estimate, or a share of a memory."""
    if row.min_estimate:
        message = f"the estimate that {row.id} must reach is unknown"
        return undecided(row.id, message, evidence, "give the models whose need it is")
    message = f"{row.id} must have a share of {line.memory}, whose size is not known"
    return undecided(row.id, message, evidence, "give the map, or write bytes")


def _unreserved(row: BudgetRow, left: int, minimum: int) -> Outcome:
    """Judge a stack that nothing reserves by the RAM that is left for it."""
    if left >= minimum:
        return holds(row.id)
    message = (
        f"{row.id} has nothing reserved, and the {left} bytes left are fewer than the "
        f"{minimum} it needs"
    )
    declared = row.min_declared or row.declared
    return broken(row.id, message, (declared,), "reserve it in the linker script")
