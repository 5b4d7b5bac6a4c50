"""region-not-budgeted: the image uses a memory region that the table does not name.

A table with `[[region]]` rows is meant to be complete. A region that is used and has no row was
forgotten, or is new in the linker script; whatever grows there, nobody would notice. A table
without any `[[region]]` row holds every region to its length instead.

    undecided[region-not-budgeted]: SRAM2 holds 16400 bytes and has no [[region]] row

Mend it by adding a row; one with only a name allows the whole region.
"""

from collections.abc import Iterator

from mapinspect.checks.check import check
from mapinspect.model.finding import Outcome, holds, not_claimed, undecided
from mapinspect.model.inspection import Inspection


@check(
    "region-not-budgeted",
    "every region that is used has a row",
    __doc__,
    least="error",
    about_table=True,
)
def region_not_budgeted(inspection: Inspection) -> Iterator[Outcome]:
    """Look for the row of every region that holds bytes, when the table has region rows."""
    rows = inspection.table.regions
    if not rows:
        yield not_claimed("table", "the table has no [[region]]")
        return
    named = {row.name for row in rows}
    for usage in inspection.usages:
        name = usage.region.name
        if name in named:
            yield holds(name)
        elif usage.used:
            message = f"{name} holds {usage.used} bytes and has no [[region]] row"
            evidence = (rows[-1].declared, usage.region.declared)
            yield undecided(name, message, evidence, f'add [[region]] with name = "{name}"')
