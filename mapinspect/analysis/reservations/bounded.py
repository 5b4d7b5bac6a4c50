"""How far a heap of no fixed size can grow: up to the first section above its start."""

from dataclasses import replace

from mapinspect.analysis.reservations.layout import Block, Layout
from mapinspect.analysis.reservations.names import HEAP
from mapinspect.model.image import Span
from mapinspect.model.reservation import Reservation


def bounded(layout: Layout, item: Reservation) -> Reservation:
    """Return a heap that takes what is left with the bytes up to the first section in it.

    Its own limit may lie higher, at the end of RAM or at the stack's: then it grows over that
    section, ``grows_over``. Of a least size only what it may become is cut.
    """
    place = item.place
    if item.kind != HEAP or place is None:
        return item
    end = place.end if item.grows_to is None else place.start + item.grows_to
    block = _first_inside(layout, Span(place.start, end - place.start))
    if block is None:
        return item
    room = block.span.start - place.start
    if item.elastic:
        kept = Span(place.start, room)
        return replace(item, bytes=room, span=kept, runs_at=None, grows_over=block.name)
    if item.grows_to is None or room < place.size:
        return item  # what lies in a fixed size is another fault
    return replace(item, grows_to=room, grows_over=block.name)


def _first_inside(layout: Layout, place: Span) -> Block | None:
    """Return the first section that begins inside a place and holds something."""
    inside = [
        item
        for item in layout.sections
        if item.counted and place.start < item.span.start < place.end and _holds(layout, item)
    ]
    return min(inside, key=lambda item: item.span.start, default=None)


def _holds(layout: Layout, block: Block) -> bool:
    """Return whether a variable lies in a section; an empty one only shows where a heap ends."""
    last = layout.objects.below(block.span.end, ())
    return last is not None and last.span.end > block.span.start
