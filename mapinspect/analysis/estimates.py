"""What the models are known to need, by the memories where it was linked."""

from collections.abc import Container

from mapinspect.model.inspection import Inspection


def estimated(inspection: Inspection, row: str, regions: Container[str | None]) -> int | None:
    """Return the bytes that models need in some regions for a row, None where a share is unknown.

    Only weights (of every model with a copy there) and arenas that lie there have an estimate.
    """
    if row == "weights":
        sizes = [
            model.size
            for model in inspection.models
            if any(copy.place.region in regions for copy in model.copies)
        ]
        return sum(sizes) if sizes else None
    if row == "arena":
        needs = [
            arena.needed
            for arena in inspection.arenas
            if arena.place is not None and arena.place.region in regions
        ]
        known = [need for need in needs if need is not None]
        return sum(known) if len(known) == len(needs) > 0 else None
    return None
