"""How things are used and reached: strategies, DMA, contiguity and update slots."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from mapinspect.model.budget import PlacementRow, Slot
from mapinspect.model.image import Role, Span
from mapinspect.model.inspection import Inspection, Located, Matched
from mapinspect.model.region_kind import FLASH_KINDS

_CACHE_LINE: Final = 32  # bytes; Cortex-M7 (ARM DDI 0489) and the ESP32-S3's data cache
_PADDING: Final = 16  # bytes; arrays of one run lie closer than any alignment that models need
# strategy: kinds of region where it runs, kinds where it is stored besides
_WANTED: Final = {
    "xip": (FLASH_KINDS, None),
    "copied": (("sram",), FLASH_KINDS),
    "on-demand": (("external-flash",), None),
    "psram": (("psram",), FLASH_KINDS),
}
_WORDS: Final = {
    "xip": "is not executed in place from Flash",
    "copied": "is not copied from Flash to RAM at start-up",
    "on-demand": "is not kept in external Flash to be loaded on demand",
    "psram": "is not held in PSRAM",
}


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a place; ``unknown`` is the remedy where only evidence is missing."""

    what: str
    unknown: str = ""
    remedy: str = "move it in the linker script, or mend the row"


def strategy_faults(inspection: Inspection, row: PlacementRow, place: Located) -> Iterator[Fault]:
    """Yield why a place does not follow the row's strategy.

    A copy is charged to both memories: it runs in the one and is stored in the other. Memory that
    start-up leaves empty (NOBITS) is no copy; only PSRAM may be filled by the program.
    """
    assert row.strategy is not None
    runs_in, stored_in = _WANTED[row.strategy]
    region = place.region or "no region"
    kind = inspection.kind(place.region) if place.region else None
    if place.region and kind is None:
        yield Fault(f"lies in {region}, whose kind is unknown", "write its kind in [[region]]")
    elif kind not in runs_in:
        yield Fault(f"{_WORDS[row.strategy]}: it lies in {region}")
    elif stored_in is None and (place.lma != place.span.start or not place.section.has_contents):
        source = place.load_region or f"{place.lma:#010x}"
        where = f"copied from {source}" if place.section.has_contents else "not stored at all"
        yield Fault(f"{_WORDS[row.strategy]}: it is {where}")
    elif stored_in is not None and not (row.strategy == "psram" and not place.section.has_contents):
        load = inspection.kind(place.load_region) if place.load_region else None
        if load not in stored_in:
            yield Fault(f"{_WORDS[row.strategy]}: it is stored in {place.load_region or region}")


def dma_faults(inspection: Inspection, place: Located) -> Iterator[Fault]:
    """Yield why DMA does not reach a place, or shares its cache lines with other data."""
    part = inspection.part
    bank = part.bank_of(place.span) if part else None
    if bank is None:
        yield Fault("lies in no one memory bank of the part")
    elif bank.dma is None:
        remedy = "see the part's manual; a table of your own can say dma = true"
        yield Fault(f"lies in {bank.name}; whether DMA reaches it is not known", remedy)
    elif not bank.dma:
        yield Fault(f"lies in {bank.name}, which DMA does not reach")
    elif bank.cacheable is not False and (_cuts_lines(place.span) or place.most is not None):
        what = f"shares cache lines of {_CACHE_LINE} bytes with other data in {bank.name}"
        yield Fault(what, "" if bank.cacheable else "see whether the core caches that bank")


def _cuts_lines(span: Span) -> bool:
    return bool(span.start % _CACHE_LINE or span.size % _CACHE_LINE)


def contiguity_faults(places: Sequence[Located]) -> Iterator[tuple[Located, Fault]]:
    """Yield the places that do not follow the one before them but for padding.

    Behind a label without a size nobody can tell what belongs to it.
    """
    ordered = sorted(places, key=lambda place: (place.span.start, place.span.end))
    end: int | None = None
    for place in ordered:
        gap = 0 if end is None else place.span.start - end
        if len(places) > 1 and place.most is not None:
            yield place, Fault("is not known to reach to the next one")
        if gap >= _PADDING:
            yield place, Fault(f"begins {gap} bytes behind the one before it, not right behind it")
        end = place.span.end if end is None else max(end, place.span.end)


def slot_faults(
    inspection: Inspection, slot: Slot, matched: Matched
) -> Iterator[tuple[Located, Fault]]:
    """Yield the places that leave the slot, then the sections that share it with them.

    Then what shares their own sections: an update would replace it as well.
    """
    places = matched.places
    bounds = f"the slot {slot.span.start:#010x} to {slot.span.end:#010x}"
    for place in places:
        if not slot.span.contains(Span(place.lma, place.span.size)):
            yield place, Fault(f"is stored at {place.lma:#010x}, outside {bounds}")
    own = {place.section.ordinal for place in places}
    for item in inspection.placements:
        stored = item.role is Role.LOAD or (
            item.section.has_contents and item.section.lma == item.section.vma
        )
        shared = slot.span.overlap(item.span)
        if stored and shared and (item.section.ordinal not in own or shared < item.span.size):
            what = f"shares {bounds} with {item.section.name}, {shared} bytes of it"
            yield places[0], Fault(what)
    for other in matched.strangers:
        if shared := slot.span.overlap(Span(other.lma, other.span.size)):
            what = f"shares {bounds} with {other.name}, {shared} bytes of it"
            yield places[0], Fault(what)
