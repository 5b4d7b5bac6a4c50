"""How rows of the table are judged; several checks share it."""

from fnmatch import fnmatchcase

from mapinspect.model.budget import PlacementRow
from mapinspect.model.finding import Outcome, broken, holds
from mapinspect.model.inspection import Inspection, Located, Matched


def about_arena(inspection: Inspection, row: PlacementRow) -> bool:
    """Return whether a placement row is about an arena: arena-misplaced judges it then."""
    arenas = {arena.place.span for arena in inspection.arenas if arena.place is not None}
    return any(place.span in arenas for place in inspection.placement_matches[row.id].places)


def judge_placement(row: PlacementRow, matched: Matched) -> Outcome:
    """Judge one placement row: every place it matches must satisfy all that it claims."""
    for place in matched.places:
        fault = _fault(row, place)
        if fault is not None:
            message = f"{place.name} ({place.span.size} bytes) {fault}"
            evidence = (row.declared, place.evidence)
            remedy = "move it in the linker script, or mend the row"
            return broken(place.name, message, evidence, remedy)
    return holds(row.id)


def _fault(row: PlacementRow, place: Located) -> str | None:
    if row.regions and not _any(row.regions, place.region):
        return f"lies in {place.region or 'no region'}, not in {' or '.join(row.regions)}"
    if row.banks and not _any(row.banks, place.bank):
        return f"lies in {place.bank or 'no one bank'}, not in {' or '.join(row.banks)}"
    if row.section is not None and not fnmatchcase(place.section.name, row.section):
        return f"lies in section {place.section.name}, not in {row.section}"
    if row.align is not None and place.span.start % row.align:
        return f"lies at {place.span.start:#010x}, not on a boundary of {row.align} bytes"
    if row.read_only is not None and place.section.writable == row.read_only:
        state = "writable" if place.section.writable else "read-only"
        return f"lies in {place.section.name}, which is {state}"
    return None


def _any(globs: tuple[str, ...], name: str | None) -> bool:
    return name is not None and any(fnmatchcase(name, glob) for glob in globs)
