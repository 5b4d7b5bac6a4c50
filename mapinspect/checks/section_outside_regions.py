"""section-outside-regions: a section lies where no memory region is.

Every allocated section must start inside a memory region, at its run-time address and, when it
is copied at start-up, at its load address. ld places a section without complaint at an address
that no region covers; flashing it fails, or it silently overwrites something.

    error[section-outside-regions]: .psram (52 bytes) lies at 0x30000000, outside every memory
      region

Mend it by assigning the section to a region in the linker script (`> FLASH`), or by declaring the
region it belongs to.
"""

from collections.abc import Iterator

from mapinspect.checks.check import check
from mapinspect.model.finding import Outcome, broken, holds, undecided
from mapinspect.model.image import Role
from mapinspect.model.inspection import Inspection, Placement

_WORDS = {Role.RUN: "lies at", Role.LOAD: "is loaded from"}


@check("section-outside-regions", "every allocated section lies in a memory region", __doc__)
def section_outside_regions(inspection: Inspection) -> Iterator[Outcome]:
    """Name every placement whose first byte no region holds."""
    if not inspection.regions:
        message = "no memory regions are known, so no section can be placed"
        yield undecided("regions", message, (), "give the map, or [[region]] origin and length")
        return
    outside = [item for item in inspection.placements if item.region is None]
    for placement in outside:
        yield _outside(placement)
    if not outside:
        yield holds("sections")


def _outside(placement: Placement) -> Outcome:
    name, span = placement.section.name, placement.span
    message = (
        f"{name} ({span.size} bytes) {_WORDS[placement.role]} {span.start:#010x}, "
        "outside every memory region"
    )
    remedy = "assign the section to a region in the linker script, or declare its region"
    return broken(name, message, (placement.section.evidence,), remedy)
