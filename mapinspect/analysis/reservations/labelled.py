"""Reservations that lie between two labels."""

from collections.abc import Iterator

from mapinspect.analysis.reservations.layout import Block, Label, Layout
from mapinspect.analysis.reservations.names import (
    GROWTH,
    HEAP,
    MAIN,
    PAIRS,
    PATTERNED_BASE,
    PATTERNED_END,
    RUST_BOTTOMS,
    RUST_TOP,
    STACK,
    Pair,
)
from mapinspect.analysis.usage import union
from mapinspect.model.image import Evidence, Span
from mapinspect.model.reservation import Reservation

_LARGEST = 1 << 31  # bytes; where no region says more, half of a 32-bit address space is none
_PADDING = 16  # bytes; what a script rounds a stack or heap to


def between_labels(layout: Layout, kind: str) -> Iterator[Reservation]:
    """Yield the reservations of every pair of labels that has values, in order of conventions."""
    for pair in pairs(layout):
        if pair.kind == kind:
            found = between(layout, pair)
            if found is not None:
                yield found


def between(layout: Layout, pair: Pair) -> Reservation | None:
    """Return what lies between the labels of a pair, or None where they give nothing."""
    bottom, top = layout.label(pair.bottoms), layout.label(pair.tops)
    if bottom is None or top is None:
        return None
    place = _within_its_section(layout, pair, Span(bottom.value, top.value - bottom.value))
    if place.size <= 0 or not plausible(layout, place):
        return None
    region = layout.region_of(place)
    # A heap to the end of its region takes what is left; a constant of its size fixes it.
    to_the_end = pair.kind == HEAP and region is not None and place.end == region.span.end
    return Reservation(
        pair.kind,
        pair.name,
        place.size,
        pair.convention,
        (pair.elastic or to_the_end) and not _is_a_constant(layout, place.size),
        place,
        _difference(bottom, top),
        rests_on=(bottom.name, top.name),
    )


def growth(layout: Layout) -> Reservation | None:
    """Return the heap that the C library may grow to, whatever least size is kept."""
    return between(layout, GROWTH)


def rest_of_ram_stack(layout: Layout) -> Reservation | None:
    """Return the stack of cortex-m-rt, which takes what variables leave; nothing is reserved."""
    top, bottom = layout.label(RUST_TOP), layout.label(RUST_BOTTOMS)
    if top is None or bottom is None:
        return None
    start, convention = bottom.value, "cortex-m-rt"
    if top.value <= bottom.value:
        # flip-link: the stack is below the variables, so that an overflow leaves the RAM.
        region = layout.region_of(Span(top.value - 1, 1))
        start = top.value if region is None else region.span.start
        convention = "cortex-m-rt with flip-link"
    place = Span(start, top.value - start)
    if place.size <= 0 or not plausible(layout, place):
        return None
    evidence = Evidence(top.evidence.file, top.evidence.line, f"{top.name} {top.value:#x}")
    names = (bottom.name, top.name)
    return Reservation(STACK, MAIN, place.size, convention, True, place, evidence, rests_on=names)


def inside_section(layout: Layout, block: Block) -> Span:
    """Return the part of a stack's or heap's section that its labels bound.

    The section may begin and end with padding; without two labels it counts whole.
    """
    values = sorted({v for v in layout.values if block.span.start <= v <= block.span.end})
    if len(values) < 2:
        return block.span
    start, end = values[0], values[-1]
    if start - block.span.start >= _PADDING or block.span.end - end >= _PADDING:
        return block.span
    return Span(start, end - start)


def plausible(layout: Layout, place: Span) -> bool:
    """Return whether bytes can lie there: within one region, or several of RAM in one run."""
    if not layout.regions:
        return place.size < _LARGEST
    if layout.region_of(place) is not None:
        return True
    runs = union(region.span for region in layout.regions if layout.is_ram(region))
    return any(run.contains(place) for run in runs)


def pairs(layout: Layout) -> Iterator[Pair]:
    """Yield the pairs of labels of every convention, those first that count before others."""
    yield from PAIRS
    yield from _patterned(layout)


def _patterned(layout: Layout) -> Iterator[Pair]:
    for name in layout.labels:
        found = PATTERNED_BASE.fullmatch(name)
        if found is not None:
            end = PATTERNED_END.format(found[1])
            yield Pair("ChibiOS", STACK, found[1].replace("_", " "), (name,), (end,))


def _within_its_section(layout: Layout, pair: Pair, place: Span) -> Span:
    """Cut a stack that starts in its own section at that section's end.

    ``_estack`` is the end of the section to some scripts and the end of RAM to others.
    """
    own = layout.section(".stack")
    if pair.kind == STACK and own is not None and own.span.start <= place.start < own.span.end:
        return Span(place.start, min(place.end, own.span.end) - place.start)
    return place


def _is_a_constant(layout: Layout, size: int) -> bool:
    return any(label.value == size and "heap" in name for name, label in layout.constants().items())


def _difference(bottom: Label, top: Label) -> Evidence:
    text = f"{top.name} {top.value:#x} - {bottom.name} {bottom.value:#x}"
    return Evidence(top.evidence.file, top.evidence.line, text)
