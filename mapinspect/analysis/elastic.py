"""Heaps and stacks that take whatever RAM is left: a reserve, and no use of it."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from mapinspect.analysis.reservations.bounded import bounded
from mapinspect.analysis.reservations.layout import Layout
from mapinspect.analysis.reservations.names import HEAP, STACK
from mapinspect.analysis.usage import cut, union, without
from mapinspect.model.image import Role, Span
from mapinspect.model.inspection import Placement
from mapinspect.model.reservation import Reservation

_ROUNDING = 16  # bytes; what a script rounds a stack or heap to


def stretched(layout: Layout, items: Iterable[Reservation]) -> tuple[Reservation, ...]:
    """Return the reservations, with a heap that fills all room up to the stack marked elastic.

    Source: CMSIS' linker scripts, whose ``.heap`` reaches from the variables to ``__StackLimit``
    (CMSIS 6) or has the size that a constant states.
    """
    items = tuple(items)
    tops = [item.place for item in items if item.kind == STACK and item.place and not item.elastic]
    return tuple(
        bounded(layout, replace(item, elastic=True)) if _fills_up(layout, item, tops) else item
        for item in items
    )


def _fills_up(layout: Layout, item: Reservation, stacks: Sequence[Span]) -> bool:
    place = item.place
    region = None if place is None else layout.region_of(place)
    if place is None or region is None or item.kind != HEAP or item.elastic:
        return False
    between_labels = len(item.rests_on) > 1
    stated = any(label.value == place.size for label in layout.constants().values())
    return (
        between_labels
        and not stated
        and any(
            stack.end == region.span.end and 0 <= stack.start - place.end < _ROUNDING
            for stack in stacks
        )
    )


def reserves(
    layout: Layout | None, items: Iterable[Reservation], placements: Iterable[Placement]
) -> tuple[Span, ...]:
    """Return the bytes that only an elastic heap or stack takes, in address order.

    A section that lies in its place is part of it when it holds nothing: no contents and no
    variable. Scripts fill the rest of RAM so, to know at link time where it ends.
    """
    places = union(item.place for item in items if item.elastic and item.place)
    if layout is None or not places:
        return ()
    sections = [
        item.span
        for item in placements
        if item.role is Role.RUN and item.span.size and not _is_hollow(layout, item, places)
    ]
    return tuple(without(places, sections))


def _is_hollow(layout: Layout, item: Placement, places: Sequence[Span]) -> bool:
    section = item.section
    if section.has_contents or not any(place.contains(item.span) for place in places):
        return False
    last = layout.objects.below(item.span.end, ())
    return last is None or last.span.end <= item.span.start


def overlap(spans: Iterable[Span], within: Iterable[Span]) -> int:
    """Return how many bytes of ``spans`` lie in ``within``, each once."""
    merged = union(within)
    return sum(cut(span, other).size for span in union(spans) for other in merged)
