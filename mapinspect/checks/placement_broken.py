"""placement-broken: something does not lie where the table wants it.

Each `[[placement]]` row names what it is about and where that must lie: the region or memory bank
of its first and last byte, its section, its alignment, whether it may be written, whether all of it
forms one run (`contiguous`), whether DMA reaches it without sharing a cache line (`dma`), how it is
used (`strategy`: in place, copied to RAM, loaded on demand from external Flash, in PSRAM; a copy
takes up both memories), and the update slot that holds it and nothing else (`slot`).

    error[placement-broken]: g_model (41456 bytes) lies in RAM, not in FLASH or QSPI

Mend it in the linker script or by a section attribute in the source.
"""

from collections.abc import Iterator

from mapinspect.checks.check import check
from mapinspect.checks.rows import about_arena, judge_placement
from mapinspect.model.finding import Outcome, not_claimed
from mapinspect.model.inspection import Inspection


@check("placement-broken", "everything lies where the table wants it", __doc__)
def placement_broken(inspection: Inspection) -> Iterator[Outcome]:
    """Judge every placement row that matches something."""
    if not inspection.table.placements:
        yield not_claimed("placement", "the table has no [[placement]]")
    for row in inspection.table.placements:
        matched = inspection.placement_matches[row.id]
        if about_arena(inspection, row):
            yield not_claimed(row.id, "arena-misplaced judges it")
        elif matched.places:
            yield judge_placement(inspection, row)
        else:
            yield not_claimed(row.id, "it matches nothing")
