"""How rows of the table are judged; several checks share it."""

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Final

from mapinspect.checks.placing import (
    Fault,
    contiguity_faults,
    dma_faults,
    slot_faults,
    strategy_faults,
)
from mapinspect.model.budget import PlacementRow
from mapinspect.model.budget_rows import RowNumbers
from mapinspect.model.finding import Outcome, broken, holds, not_claimed, undecided
from mapinspect.model.inspection import Inspection, Located

SHARED: Final = (
    "regions share addresses, and neither map nor ELF says which one the script assigned them to"
)
APART: Final = "give the regions addresses of their own, in the script or in [[region]]"
MIXED: Final = (
    "link-time optimisation mixed its objects with others",
    "match symbols or sections, or compile them without -flto",
)
UNSIZED: Final = (
    "some of its symbols are labels without a size",
    "give them a size (.size in assembler), or match sections or objects",
)
THIN: Final = (
    "the map does not say which objects come from a thin archive",
    "match its objects by their paths, or link a regular archive",
)
_NO_SIZE: Final = "it is a label: give it a size (.size in assembler)"


def in_doubt(line: RowNumbers) -> tuple[str, str] | None:
    """Return why a row may take up more than is known, and the remedy; None where it is known."""
    reasons = ((line.mixed, MIXED), (line.unsized, UNSIZED), (line.thin, THIN))
    return next((reason for size, reason in reasons if size), None)


def about_arena(inspection: Inspection, row: PlacementRow) -> bool:
    """Return whether a placement row is about an arena: arena-misplaced judges it then."""
    arenas = {arena.place.span for arena in inspection.arenas if arena.place is not None}
    return any(place.span in arenas for place in inspection.placement_matches[row.id].places)


def declares_copy(inspection: Inspection, place: Located) -> bool:
    """Return whether a placement row wants this held in RAM or PSRAM; it is judged by that row."""
    return any(
        row.strategy in ("copied", "psram")
        and any(
            other.span.contains(place.span) for other in inspection.placement_matches[row.id].places
        )
        for row in inspection.table.placements
    )


def unknown_memory(inspection: Inspection, row: PlacementRow) -> tuple[str, str] | None:
    """Return a glob of a placement row, where it and its like match no memory; and the remedy."""
    banks = [bank.name for bank in inspection.part.banks] if inspection.part else []
    regions = [region.name for region in inspection.regions]
    for globs, names in ((row.regions, regions), (row.banks, banks)):
        if globs and not any(_any(globs, name) for name in names):
            known = f"known are {', '.join(names)}" if names else "give the map of this link"
            return globs[0], near_name(globs[0], names) or known
    return None


def near_name(name: str, names: Sequence[str]) -> str | None:
    """Return the question whether one of ``names`` was meant, or None where none is near."""
    plain = {other.lower(): other for other in names}
    near = difflib.get_close_matches(name.lower(), plain, n=1, cutoff=0.4)
    return f"did you mean {plain[near[0]]}?" if near else None


def judge_placement(inspection: Inspection, row: PlacementRow) -> Outcome:
    """Judge one placement row: every place it matches must satisfy all that it claims.

    A row whose memories are all unknown says nothing about the image: row-matches-nothing judges
    it, since nothing could ever lie there.
    """
    if unknown_memory(inspection, row) is not None:
        return not_claimed(row.id, "row-matches-nothing judges it")
    unknown: Outcome | None = None
    for place, plain in _faults(inspection, row):
        fault = plain if _is_sure(inspection, row, place) else replace(plain, unknown=_NO_SIZE)
        at_most = "" if place.most is None else "at most "
        message = f"{place.name} ({at_most}{place.span.size} bytes) {fault.what}"
        evidence = (row.declared, place.evidence)
        if not fault.unknown:
            return broken(place.name, message, evidence, fault.remedy)
        unknown = unknown or undecided(place.name, message, evidence, fault.unknown)
    return unknown or holds(row.id)


def _is_sure(inspection: Inspection, row: PlacementRow, place: Located) -> bool:
    """Return whether what is wrong with a place would be so whatever its size is.

    All that a label without a size can mark is looked at; where that lies in one region and bank,
    so does what it marks.
    """
    if row.contiguous or row.dma or row.slot is not None:
        places = inspection.placement_matches[row.id].places
        return all(other.most is None for other in places)
    return place.most is None or not (place.region is None or (row.banks and place.bank is None))


def _faults(inspection: Inspection, row: PlacementRow) -> Iterator[tuple[Located, Fault]]:
    matched = inspection.placement_matches[row.id]
    places = matched.places
    for place in places:
        here = _fault(row, place)
        if here is not None:
            yield place, here
        elif row.strategy is not None:
            yield from ((place, fault) for fault in strategy_faults(inspection, row, place))
        if row.dma:
            yield from ((place, fault) for fault in dma_faults(inspection, place))
    if row.contiguous:
        yield from contiguity_faults(places)
    if row.slot is not None:
        yield from slot_faults(inspection, row.slot, matched)


def _fault(row: PlacementRow, place: Located) -> Fault | None:
    if row.regions and not _any(row.regions, place.region):
        return Fault(f"lies in {place.region or 'no region'}, not in {' or '.join(row.regions)}")
    if row.banks and not _any(row.banks, place.bank):
        return Fault(f"lies in {place.bank or 'no one bank'}, not in {' or '.join(row.banks)}")
    if row.section is not None and not fnmatchcase(place.section.name, row.section):
        return Fault(f"lies in section {place.section.name}, not in {row.section}")
    if row.align is not None and place.span.start % row.align:
        what = f"lies at {place.span.start:#010x}, not on a boundary of {row.align} bytes"
        return Fault(what, remedy=f"declare it alignas({row.align}), or align it in the script")
    if row.read_only is not None and place.section.writable == row.read_only:
        state = "writable" if place.section.writable else "read-only"
        remedy = "declare it const" if row.read_only else "declare it without const"
        return Fault(f"lies in {place.section.name}, which is {state}", remedy=remedy)
    return None


def _any(globs: tuple[str, ...], name: str | None) -> bool:
    return name is not None and any(fnmatchcase(name, glob) for glob in globs)
