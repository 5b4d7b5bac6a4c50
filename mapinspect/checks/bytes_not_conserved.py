"""bytes-not-conserved: the map's rows do not add up to its sections.

In every allocated output section the inputs, fills and data statements must add up to the
section's size (merged strings by ld's own rule). Where they do not, the map is damaged or holds
something that was not understood, and nothing may be concluded from its rows.

    undecided[bytes-not-conserved]: .text has 14808 bytes in the map, but its rows add up to
      14800

Mend it by linking again; when a fresh map still fails, please report it with the map.
"""

from collections.abc import Iterator

from mapinspect.checks.check import check
from mapinspect.model.finding import Outcome, holds, not_claimed, undecided
from mapinspect.model.inspection import Inspection


@check("bytes-not-conserved", "the map's rows add up to its sections", __doc__, least="error")
def bytes_not_conserved(inspection: Inspection) -> Iterator[Outcome]:
    """Name every section whose rows do not add up."""
    if inspection.map is None:
        yield not_claimed("map", "no map is given")
        return
    for fault in inspection.map.unconserved:
        message = (
            f"{fault.section} has {fault.expected} bytes in the map, "
            f"but its rows add up to {fault.found}"
        )
        yield undecided(fault.section, message, (fault.evidence,), "link again for a fresh map")
    if not inspection.map.unconserved:
        yield holds("map")
