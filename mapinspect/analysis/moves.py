"""What could be taken off a memory region, and into which others it would fit."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from mapinspect.model.arena_room import lost
from mapinspect.model.image import Evidence, Span
from mapinspect.model.inspection import (
    ArenaFacts,
    Inspection,
    Located,
    ModelCopy,
    ModelFacts,
    Usage,
)
from mapinspect.model.measurement import Build, Weighed
from mapinspect.model.region_kind import FLASH_KINDS, RAM_KINDS

_ALIGNMENT: Final = 16  # bytes that a moved array may need before it
_KEPT_ABOVE_PEAK: Final = 2  # times the measured peak: what a reserve may shrink to
_WORTH: Final = 256  # bytes; smaller changes are not worth a line
_PADDED: Final = 64  # bytes, a cache line; a script's larger alignment is taken for an address


@dataclass(frozen=True, slots=True)
class Candidate:
    """A change that takes ``bytes`` off a region.

    ``homes`` are kinds of region that could take them, in order of preference; none where the
    bytes go for good.
    """

    subject: str
    action: str
    bytes: int
    span: Span
    evidence: Evidence
    homes: tuple[str, ...] = ()


def candidates(
    inspection: Inspection, region: str, over: int, variables: Iterable[Located]
) -> tuple[Candidate, ...]:
    """Return every change known for a region that is ``over`` its limit by so many bytes.

    For one place the first counts, which costs least. ``bytes`` are those that go for sure: what
    follows moves down by its own alignment, and what the script keeps at an address not at all.
    """
    in_ram = inspection.kind(region) in RAM_KINDS
    found = [*(_ram(inspection, region, over) if in_ram else _flash(inspection, region))]
    kinds = RAM_KINDS if in_ram else FLASH_KINDS
    found += [_moved(place, kinds) for place in variables]
    taken: list[Span] = []
    kept = []
    usage = next(usage for usage in inspection.usages if usage.region.name == region)
    for item in (_certain(inspection, item, usage) for item in found):
        if item.bytes >= _WORTH and not any(span.overlap(item.span) for span in taken):
            taken.append(item.span)
            kept.append(item)
    return tuple(kept)


def _certain(inspection: Inspection, item: Candidate, usage: Usage) -> Candidate:
    """Return the candidate with the bytes by which the region surely gets smaller."""
    region = usage.region.span
    inside = any(held.span.overlap(item.span) for held in usage.placements)
    start, end = (item.span.start, item.span.end) if inside else (region.start, region.start)
    behind = [held for held in usage.placements if held.span.end > start]
    if usage.free < 0 or inspection.limit(usage.region.name).measure == "extent":
        for held in behind:  # by address
            if _is_fixed(held.span.start, end):
                return replace(item, bytes=0)
            end = max(end, held.span.end)
    coarsest = max((held.section.alignment for held in behind), default=1)
    return replace(item, bytes=item.bytes - item.bytes % max(coarsest, 1))


def _is_fixed(start: int, end: int) -> bool:
    """Return whether what begins at ``start`` leaves a hole that no usual alignment explains."""
    return start - end >= min(start & -start or _PADDED, _PADDED)


def _moved(place: Located, kinds: tuple[str, ...]) -> Candidate:
    return Candidate(place.name, "move it", place.span.size, place.span, place.evidence, kinds)


def _ram(inspection: Inspection, region: str, over: int) -> Iterator[Candidate]:
    for model in inspection.models:
        yield from _copies(model, region, _constant(inspection))
    for place in inspection.habits.constants:
        if place.region == region and place.load_region and not _is_arena(inspection, place):
            action = _constant(inspection)
            yield Candidate(place.name, action, place.span.size, place.span, place.evidence)
    for arena in inspection.arenas:
        if arena.place is not None and arena.place.region == region and not arena.is_pointer:
            yield from _arena(arena, arena.place, over)
    for item in _highest(inspection):
        if item.region == region:
            yield from _reserve(item)


def _constant(inspection: Inspection) -> str:
    """Return what keeps an array in Flash: on AVR, whose Flash has other addresses, not const."""
    is_avr = inspection.elf is not None and inspection.elf.machine == "AVR"
    return "declare it const PROGMEM" if is_avr else "declare it const"


def _copies(model: ModelFacts, region: str, action: str) -> Iterator[Candidate]:
    """Yield what to do with weights in RAM: they are stored in Flash already, if anywhere."""
    inside = [copy for copy in model.copies if copy.place.region == region]
    for copy in inside:
        if copy.place.section.writable and copy.place.load_region:
            yield _of_copy(model, copy, action)


def _of_copy(
    model: ModelFacts, copy: ModelCopy, action: str, homes: tuple[str, ...] = ()
) -> Candidate:
    place = copy.place
    size = place.span.size or model.size
    return Candidate(place.name, action, size, place.span, place.evidence, homes)


def _is_arena(inspection: Inspection, place: Located) -> bool:
    return any(
        item.place is not None and item.place.span.overlap(place.span) for item in inspection.arenas
    )


def _arena(arena: ArenaFacts, place: Located, over: int) -> Iterator[Candidate]:
    """Yield the arena's slack where that is enough, else the arena as a whole, to be moved."""
    more = None if arena.sufficient is None else place.span.size - lost(arena) - arena.sufficient
    if more is not None and more >= max(over, _WORTH):
        action = f"shrink it to the {arena.sufficient} bytes it needs"
        yield Candidate(place.name, action, more, place.span, place.evidence)
    else:
        yield _moved(place, RAM_KINDS)


def _highest(inspection: Inspection) -> Iterator[Weighed]:
    """Yield the highest peak of each stack and heap whose size is fixed: others take what is left.

    A measurement that may be of this build counts, also where it is too doubtful to shrink by.
    """
    fixed = {
        (item.kind, item.name)
        for item in inspection.reservations
        if not item.elastic and item.grows_to is None
    }
    found: dict[tuple[str, str | None, Span | None], Weighed] = {}
    for item in inspection.measured:
        key = (item.item.kind, item.reserved, item.span)
        known = found.get(key)
        if item.counts and (known is None or item.item.bytes > known.item.bytes):
            found[key] = item
    yield from (item for key, item in found.items() if key[:2] in fixed)


def _reserve(item: Weighed) -> Iterator[Candidate]:
    """Yield what a stack or heap keeps beyond twice its measured peak."""
    counts = item.build is Build.SAME and not item.doubts() and item.item.kind in ("stack", "heap")
    if not counts or item.room is None or item.span is None or item.place is None:
        return
    kept = _KEPT_ABOVE_PEAK * item.item.bytes
    action = f"shrink it to {kept} bytes, twice its measured peak"
    yield Candidate(item.reserved or "", action, item.room - kept, item.span, item.place)


def _flash(inspection: Inspection, region: str) -> Iterator[Candidate]:
    for model in inspection.models:
        inside = [copy for copy in model.copies if copy.place.region == region]
        for copy in inside[1:]:
            yield _of_copy(model, copy, "link it once")
    for arena in inspection.arenas:
        place = arena.place
        if place is not None and place.load_region == region and place.section.has_contents:
            action = "leave it uninitialised"
            stored = Span(place.lma, place.span.size)
            yield Candidate(place.name, action, place.span.size, stored, place.evidence)
    if _is_only_flash(inspection, region):
        yield from _kernels(inspection)
    for model in inspection.models:
        for copy in model.copies:
            if copy.place.region == region:
                yield _of_copy(model, copy, "move it", ("external-flash", "flash"))


def _is_only_flash(inspection: Inspection, region: str) -> bool:
    used = {usage.region.name for usage in inspection.usages if usage.charged}
    return {name for name in used if inspection.kind(name) in FLASH_KINDS} == {region}


def _kernels(inspection: Inspection) -> Iterator[Candidate]:
    """Yield the kernels that no model uses; what only they pull in goes as well, uncounted."""
    kernels = inspection.kernels
    for unused in kernels.unused if kernels and not kernels.doubt else ():
        if unused.size:
            action = f"do not register {', '.join(unused.operators)}, which no model uses"
            span = Span(-unused.size, 0)  # scattered over sections: it shares no bytes with others
            yield Candidate(unused.object, action, unused.size, span, unused.evidence)


def homes_for(
    inspection: Inspection, item: Candidate, region: str, taken: Sequence[tuple[str, int]]
) -> str | None:
    """Return a region with room for a candidate in one piece, beside what is ``taken`` already."""
    for kind in item.homes:
        for usage in inspection.usages:
            name = usage.region.name
            if name == region or inspection.kind(name) != kind:
                continue
            limit = inspection.limit(name)
            spent = sum(size for home, size in taken if home == name)
            free = limit.limit - limit.measured(usage) - spent
            block = usage.largest_free - usage.reserved - spent
            if item.bytes + _ALIGNMENT <= min(free, block):
                return name
    return None
