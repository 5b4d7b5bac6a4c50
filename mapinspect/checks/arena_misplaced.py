"""arena-misplaced: a tensor arena lies in the wrong memory.

The arena must lie in RAM that nothing initialises from Flash (`.bss` or a NOLOAD section), in the
bank that the table names for it, from its first byte to its last, and on a 16-byte boundary. An
arena in `.data` costs its whole size in Flash; one in the wrong bank may be out of reach of DMA
or slow. TensorFlow Lite Micro moves the start of an arena up to such a boundary itself, so that one
off it is a warning; with `runtime = "plan-only"` nobody knows, and it is undecided.

    error[arena-misplaced]: tensor_arena is stored with contents in .data: 12288 bytes of
      FLASH

Mend it by giving the array a section attribute and that section a place in the linker script.
"""

from collections.abc import Iterator

from mapinspect.checks.check import check
from mapinspect.checks.rows import about_arena, judge_placement
from mapinspect.model.finding import (
    Finding,
    Outcome,
    Severity,
    broken,
    holds,
    not_claimed,
    undecided,
)
from mapinspect.model.image import Evidence
from mapinspect.model.inspection import Inspection, Located
from mapinspect.model.region_kind import RAM_KINDS

_ALIGNMENT = 16  # bytes; what kernels that use vector loads expect


@check("arena-misplaced", "every tensor arena lies in the RAM meant for it", __doc__)
def arena_misplaced(inspection: Inspection) -> Iterator[Outcome]:
    """Judge each arena's section and region, then the table's placement rows about it."""
    if not inspection.arenas:
        yield not_claimed("arena", "no model is given")
    for arena in inspection.arenas:
        if arena.place is None:
            yield not_claimed(arena.wanted, "the arena was not found")
        elif arena.is_pointer:
            message = f"{arena.place.name} is a pointer: where the arena lies is unknown"
            remedy = "name the arena's array, not its pointer"
            yield undecided(arena.place.name, message, (arena.place.evidence,), remedy)
        else:
            yield _judge(inspection, arena.place, aligns=arena.aligns)
    for row in inspection.table.placements:
        if about_arena(inspection, row):
            yield judge_placement(inspection, row)


def _judge(inspection: Inspection, place: Located, *, aligns: bool) -> Outcome:
    evidence = (place.evidence, place.section.evidence)
    size, section = place.span.size, place.section
    if section.has_contents:
        where = place.load_region or place.region or "Flash"
        message = f"{place.name} is stored with contents in {section.name}: {size} bytes of {where}"
        return broken(place.name, message, evidence, "leave the array uninitialised, in .bss")
    if not inspection.regions:
        message = f"no memory regions are known, so {place.name} cannot be placed"
        return undecided(place.name, message, evidence, "give the map, or origin and length")
    kind = inspection.kind(place.region) if place.region else None
    if place.region and kind is None:
        message = f"{place.name} lies in {place.region}, whose kind is unknown"
        remedy = 'write kind = "sram" or "flash" in its [[region]]'
        return undecided(place.name, message, evidence, remedy)
    if place.region is None or kind not in RAM_KINDS:
        message = f"{place.name} ({size} bytes) lies in {place.region or 'no region'}, not in RAM"
        return broken(place.name, message, evidence, "place its section in a RAM region")
    if place.alignment < _ALIGNMENT:
        return _misaligned(place, evidence, aligns=aligns)
    return holds(place.name)


def _misaligned(place: Located, evidence: tuple[Evidence, ...], *, aligns: bool) -> Outcome:
    lost = -place.span.start % _ALIGNMENT
    message = (
        f"{place.name} is aligned to {place.alignment} bytes, not {_ALIGNMENT}: "
        f"{lost} bytes are lost where the runtime aligns it, kernels may fault where not"
    )
    remedy = f"declare it alignas({_ALIGNMENT})"
    if aligns:
        warning = Finding(Severity.WARNING, place.name, message, evidence, remedy)
        return holds(place.name, warning)
    message = f"{message}; of a runtime that is plan-only neither is known"
    return undecided(place.name, message, evidence, remedy)
