"""Reservations known by a section or by a constant that is a size."""

from collections.abc import Iterator

from mapinspect.analysis.reservations.labelled import inside_section, plausible
from mapinspect.analysis.reservations.layout import Block, Label, Layout
from mapinspect.analysis.reservations.names import (
    C_LIBRARY,
    HEAP,
    HEAP_AND_STACK_CHECKS,
    HEAP_BOTTOMS,
    HEAP_SECTION,
    HEAP_SIZES,
    MAIN,
    STACK,
    STACK_CHECKS,
    STACK_SECTION,
    STACK_SIZES,
    STACK_TOPS,
)
from mapinspect.model.image import Evidence, Span
from mapinspect.model.reservation import Reservation

_ALIGNMENT = 8  # bytes; the check sections round heap and stack to it (AAPCS)
_SLACK = 16  # bytes; what rounding may add to a check section


def from_sections(layout: Layout, kind: str) -> Iterator[Reservation]:
    """Yield the output sections that are one stack or one heap."""
    pattern = STACK_SECTION if kind == STACK else HEAP_SECTION
    for block in layout.sections:
        if not block.span.size or not pattern.fullmatch(block.name):
            continue
        if "heap" in block.name.lower() and "stack" in block.name.lower():
            continue
        place = inside_section(layout, block)
        yield Reservation(
            kind,
            block.name,
            place.size,
            "output section",
            False,
            place,
            block.evidence,
            rests_on=(block.name,),
        )


def from_constant(layout: Layout, kind: str) -> Reservation | None:
    """Return the main stack or the C library's heap whose size a constant states."""
    sizes = STACK_SIZES if kind == STACK else HEAP_SIZES
    constants = layout.constants()
    for plain, convention in sizes.items():
        label = constants.get(plain)
        if label is not None and label.value > 0:
            return _of_size(layout, kind, label, convention)
    return None


def kept_for(layout: Layout, kind: str, size: int, place: Span | None) -> Span | None:
    """Return the bytes of the image that the linker keeps for a stack or heap of this size.

    Those are its own place, where a section covers it; else the section that checks whether it
    fits in the same region; else its place, which no section takes.
    """
    counted = [item for item in layout.sections if item.counted and item.span.size]
    if place is not None and any(item.span.contains(place) for item in counted):
        return place
    homes = [item for item in layout.regions if place is not None and item.span.contains(place)]
    home = min(homes, key=lambda item: item.span.size, default=None)
    for block in counted:
        if home is not None and not home.span.contains(block.span):
            continue  # what checks another region keeps nothing here, whatever its size
        start = block.span.start + -block.span.start % _ALIGNMENT
        spare = block.span.end - start - size
        if kind == STACK and block.name in STACK_CHECKS and 0 <= spare < _SLACK:
            return Span(start, size)
        if block.name in HEAP_AND_STACK_CHECKS and spare >= 0:
            return Span(start if kind == HEAP else start + _heap_before(layout, spare), size)
    return place


def _heap_before(layout: Layout, spare: int) -> int:
    constants = layout.constants()
    label = next((constants[plain] for plain in HEAP_SIZES if plain in constants), None)
    return label.value if label is not None and label.value <= spare else spare


def _of_size(layout: Layout, kind: str, label: Label, convention: str) -> Reservation | None:
    size = label.value
    anchor = layout.label(STACK_TOPS if kind == STACK else HEAP_BOTTOMS)
    place = None
    if anchor is not None:
        place = Span(anchor.value - size if kind == STACK else anchor.value, size)
    if place is not None and (place.start < 0 or not plausible(layout, place)):
        place = None
    if layout.regions and size > max(region.span.size for region in layout.regions):
        return None  # no size: an address that is called so
    names = (label.name,) if anchor is None or place is None else (label.name, anchor.name)
    return Reservation(
        kind,
        MAIN if kind == STACK else C_LIBRARY,
        size,
        convention,
        False,
        place,
        Evidence(label.evidence.file, label.evidence.line, f"{label.name} = {size:#x}"),
        rests_on=names,
    )


def measured_only(layout: Layout) -> list[Block]:
    """Return the sections that exist only to check whether stack and heap fit."""
    names = (*HEAP_AND_STACK_CHECKS, *STACK_CHECKS)
    return [item for item in layout.sections if item.name in names]
