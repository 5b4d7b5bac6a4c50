"""Every stack and heap of an image, each once, with what an overflow would hit."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from mapinspect.analysis.reservations.bounded import bounded
from mapinspect.analysis.reservations.labelled import (
    between_labels,
    growth,
    plausible,
    rest_of_ram_stack,
)
from mapinspect.analysis.reservations.layout import Block, Layout
from mapinspect.analysis.reservations.names import (
    C_LIBRARY,
    CORE_0,
    ESP_HEAP_START,
    HEAP,
    HEAP_BOTTOMS,
    MAIN,
    MAIN_HEAP_SECTIONS,
    MAIN_STACK_SECTIONS,
    STACK,
    STACK_CHECKS,
    STACK_TOPS,
)
from mapinspect.analysis.reservations.sized import (
    from_constant,
    from_sections,
    kept_for,
    measured_only,
)
from mapinspect.analysis.reservations.stack_top import behind
from mapinspect.analysis.reservations.variables import from_variables
from mapinspect.analysis.usage import union
from mapinspect.model.image import Evidence, Region, Span
from mapinspect.model.reservation import Neighbour, RamLeft, Reservation, Reservations

_PADDING: Final = 16  # bytes; what a script rounds a stack to
_LEAST: Final = ("STM32Cube", "picolibc")  # conventions whose heap size is a least size


def reservations_of(layout: Layout) -> Reservations:
    """Return every stack and heap that a convention names, in address order, stacks first.

    One stack may be named by several conventions; the first in the order of ``names`` counts.
    A heap that takes the rest of RAM is listed only where no other heap is.
    """
    stacks = _stacks(layout)
    heaps = _heaps(layout, stacks)
    items = [_counted(layout, item) for item in (*_ordered(stacks), *_ordered(heaps))]
    items = [_growing(layout, item, stacks) if item.kind == HEAP else item for item in items]
    items = [bounded(layout, item) for item in items]
    beneath = _Beneath(layout, items)
    items = [
        replace(item, below=beneath.of(item)) if item.kind == STACK else item for item in items
    ]
    return Reservations(tuple(items), _left(layout, items))


def _ordered(items: Iterable[Reservation]) -> list[Reservation]:
    return sorted(items, key=lambda item: (item.place or Span(1 << 64, 0), item.name))


def _stacks(layout: Layout) -> list[Reservation]:
    found = _distinct([], between_labels(layout, STACK))
    # Where labels say where the main stack is, its section only checks whether it fits.
    checks = {block.name for block in measured_only(layout)} if _has_main(found) else set()
    named = (item for item in from_sections(layout, STACK) if item.name not in checks)
    sections = (_below_its_top(layout, item) for item in named)
    found = _distinct(found, sections)
    if not _has_main(found):
        main = from_constant(layout, STACK) or rest_of_ram_stack(layout)
        found = _distinct(found, [main] if main else [])
    return _distinct(found, from_variables(layout, STACK))


def _below_its_top(layout: Layout, stack: Reservation) -> Reservation:
    """Return where a stack lies whose section only checks that it fits.

    picolibc's script keeps bytes in ``.stack`` behind the variables, while ``__stack``, from which
    the stack grows down, is the end of RAM.
    """
    own, top = stack.place, layout.label(STACK_TOPS)
    if own is None or top is None or stack.name not in STACK_CHECKS:
        return stack
    if own.start <= top.value <= own.end + _PADDING or top.value < stack.bytes:
        return stack
    place = Span(top.value - stack.bytes, stack.bytes)
    if layout.region_of(own) is None or layout.region_of(place) != layout.region_of(own):
        return stack
    return replace(stack, span=place, rests_on=(*stack.rests_on, top.name))


def _heaps(layout: Layout, stacks: list[Reservation]) -> list[Reservation]:
    found = _distinct([], between_labels(layout, HEAP))
    found = _distinct(found, from_sections(layout, HEAP))
    if not _has_main(found):
        main = growth(layout) or from_constant(layout, HEAP)
        found = _distinct(found, [main] if main else [])
    found = _distinct(found, from_variables(layout, HEAP))
    rest = None if found else _rest_of_ram_heap(layout, stacks)
    return [rest] if rest else found


def _has_main(items: list[Reservation]) -> bool:
    names = (MAIN, CORE_0, C_LIBRARY, *MAIN_STACK_SECTIONS, *MAIN_HEAP_SECTIONS)
    return any(item.name in names for item in items)


def _distinct(known: list[Reservation], more: Iterable[Reservation]) -> list[Reservation]:
    """Add the reservations that share no byte with one that is there."""
    result = list(known)
    for item in more:
        taken = (other.place for other in result if other.place)
        if item.place is None or not any(place.overlap(item.place) for place in taken):
            result.append(item)
    return result


def _growing(layout: Layout, item: Reservation, stacks: list[Reservation]) -> Reservation:
    """Add how large a heap may become whose size is only the least that is kept."""
    place, grown = item.place, growth(layout)
    if item.elastic or place is None or not _has_main([item]):
        return item
    end = place.end
    if grown is not None and grown.place is not None and grown.place.start <= place.start:
        end = grown.place.end
    elif item.convention in _LEAST or any(stack.convention == "pico-sdk" for stack in stacks):
        end = _ceiling(layout, place.start, stacks)
    return replace(item, grows_to=end - place.start) if end > place.end else item


def _ceiling(layout: Layout, start: int, stacks: list[Reservation]) -> int:
    """Return where memory above ``start`` ends: at a stack's lowest byte or top, or its region's.

    ``start`` itself where nothing says so.
    """
    region = layout.region_of(Span(start, 1))
    places = [item.place for item in stacks if item.place and item.place.start >= start]
    limits = [place.start for place in places if region is None or region.span.contains(place)]
    top = layout.label(STACK_TOPS)
    if top is not None:
        limits.append(behind(top.value, start))
    last = 1 << 64 if region is None else region.span.end
    limits = [limit for limit in limits if start < limit <= last]
    if region is not None:
        limits.append(region.span.end)
    return min(limits, default=start)


def _rest_of_ram_heap(layout: Layout, stacks: list[Reservation]) -> Reservation | None:
    """Return the heap of a C library that grows from the variables towards the stack."""
    bottom = layout.label(HEAP_BOTTOMS)
    if bottom is None:
        return None
    end = _ceiling(layout, bottom.value, stacks)
    place = Span(bottom.value, end - bottom.value)
    taken = any(item.elastic for item in stacks)
    if taken or place.size <= 0 or not plausible(layout, place):
        return None
    text = f"from {bottom.name} {bottom.value:#x} to {end:#x}"
    evidence = Evidence(bottom.evidence.file, bottom.evidence.line, text)
    convention = "ESP-IDF: _heap_start" if bottom.name == ESP_HEAP_START else "sbrk"
    names = (bottom.name,)
    return Reservation(
        HEAP, C_LIBRARY, place.size, convention, True, place, evidence, rests_on=names
    )


def _counted(layout: Layout, item: Reservation) -> Reservation:
    if item.elastic:
        return item
    kept = kept_for(layout, item.kind, item.bytes, item.place)
    return replace(item, span=kept, runs_at=None if kept == item.place else item.place)


class _Beneath:
    """What lies below an address: variables first, then sections, heaps and stacks."""

    def __init__(self, layout: Layout, items: list[Reservation]) -> None:
        self._layout = layout
        moved = [item.span for item in items if item.span and item.runs_at]
        # What a check section keeps for a stack that lies elsewhere is free at run time.
        self._unreal = [
            block.span
            for block in measured_only(layout)
            if any(block.span.contains(span) for span in moved)
        ]
        self._blocks = [
            Block(f"{item.kind} {item.name}", item.place, item.evidence)
            for item in items
            if item.place is not None
        ]
        self._blocks += [
            item
            for item in layout.sections
            if item.counted and not any(span.contains(item.span) for span in self._unreal)
        ]

    def of(self, stack: Reservation) -> Neighbour | None:
        """Return the nearest block that ends at or below the stack's lowest byte."""
        place = stack.place
        if place is None:
            return None
        found = [item for item in self._blocks if item.span.size and item.span.end <= place.start]
        variable = self._layout.objects.below(place.start, self._unreal)
        if variable is not None:
            found.append(variable)
        region = self._layout.region_of(place)
        if region is not None:
            found = [item for item in found if region.span.contains(item.span)]
        if not found:
            return None
        # Of those that end together the smallest says most, a variable more than its section.
        block = max(reversed(found), key=lambda item: (item.span.end, -item.span.size))
        return Neighbour(block.name, block.span, place.start - block.span.end)


def _left(layout: Layout, items: list[Reservation]) -> tuple[RamLeft, ...]:
    moved = [item.span for item in items if item.span and item.runs_at]
    taken = [
        item.span
        for item in layout.sections
        if item.counted and item.span.size and not any(item.span.contains(span) for span in moved)
    ]
    elastic = [item.place for item in items if item.place and item.elastic]
    # A section that only says how far an elastic heap reaches takes nothing.
    taken = [span for span in taken if not any(place.contains(span) for place in elastic)]
    taken += [item.place for item in items if item.place and not item.elastic]
    return tuple(
        RamLeft(region, _largest_gap(region, taken))
        for region in layout.regions
        if layout.is_ram(region)
    )


def _largest_gap(region: Region, taken: list[Span]) -> Span:
    best, start = Span(region.span.start, 0), region.span.start
    inside = [span for span in union(taken) if span.overlap(region.span)]
    for span in (*inside, Span(region.span.end, 0)):
        if span.start - start > best.size:
            best = Span(start, span.start - start)
        start = max(start, span.end)
    return best
