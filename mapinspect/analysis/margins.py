"""What lies around stacks and heaps: collisions, the room below the stack, the largest free run."""

from collections.abc import Iterable, Iterator, Sequence

from mapinspect.analysis.placement import region_at
from mapinspect.analysis.reservations.layout import Block, Layout
from mapinspect.analysis.reservations.names import (
    HEAP,
    PICO_SDK,
    STACK,
    STACK_CHECKS,
    is_reserve_section,
)
from mapinspect.analysis.reservations.strays import strays
from mapinspect.analysis.reservations.variables import names_one
from mapinspect.analysis.stack_start import stack_start
from mapinspect.model.elf_file import ElfFile
from mapinspect.model.habits import Collision, Margins, StackStart
from mapinspect.model.image import Region, Role, Span
from mapinspect.model.inspection import Placement
from mapinspect.model.part import Part
from mapinspect.model.reservation import RamLeft, Reservation
from mapinspect.model.symbol_names import base_name

_PADDING = 8  # bytes; what aligns the end of a stack or heap (AAPCS)


def margins(
    layout: Layout | None,
    items: Sequence[Reservation],
    left: Iterable[RamLeft],
    placements: Sequence[Placement],
    *,
    elf: ElfFile | None = None,
    part: Part | None = None,
) -> Margins:
    """Return what is known of the room around stacks and heaps; nothing without symbols.

    A ``part`` whose memories are seen at several addresses shows what shares their bytes.
    """
    if layout is None:
        return Margins()
    runs = [item.span for item in left]
    start = stack_start(elf, layout, part)
    return Margins(
        collisions=tuple(_collisions(layout, items, placements, part)),
        strays=tuple(strays(layout)),
        room=_room(layout, items, placements, start),
        start=start,
        largest_free=max(runs, key=lambda span: span.size, default=None),
    )


def _room(
    layout: Layout,
    items: Iterable[Reservation],
    placements: Sequence[Placement],
    start: StackStart | None,
) -> int | None:
    """Return the free bytes directly below the stack's start, which grows down from there.

    What a heap of a fixed size takes is not free. None where the start is not known. An array
    that is the stack is one by its name, else it is in the way.
    """
    region = region_at(start.address - 1, layout.regions) if start else None
    if start is None or region is None:
        return None
    top = start.address
    spans = [item.span for item in placements if item.region == region and item.span.size]
    around = next((span for span in spans if span.start < top <= span.end), None)
    if around is not None:
        return _room_within(layout, around, top)
    spans += _fixed_heaps(items, region)
    if any(span.start < top <= span.end for span in spans):
        return 0
    return top - max((span.end for span in spans if span.end < top), default=region.span.start)


def _fixed_heaps(items: Iterable[Reservation], region: Region) -> Iterator[Span]:
    for item in items:
        place = item.place if item.kind == HEAP and not item.elastic else None
        if place is not None and region.span.contains(Span(place.start, 1)):
            yield place


def _room_within(layout: Layout, section: Span, top: int) -> int | None:
    """Return the bytes below a stack's start that no variable of its section has."""
    if any(layout.objects.holding(top - 1)):
        return 0
    last = layout.objects.below(top, ())
    return None if last is None or last.span.end <= section.start else top - last.span.end


def _collisions(
    layout: Layout,
    items: Sequence[Reservation],
    placements: Iterable[Placement],
    part: Part | None,
) -> Iterator[Collision]:
    """Yield what shares bytes with a stack or heap of a fixed size, where that lies at run time.

    Of an elastic heap only the first byte is taken for sure.
    """
    sections = [item for item in placements if item.role is Role.RUN and item.span.size]
    for item in items:
        place = item.place
        if place is None or (item.elastic and item.kind == STACK):
            continue
        if item.elastic:
            place = Span(place.start, min(place.size, 1))
        yield from _in_sections(layout, item, place, sections)
        if part is not None and not item.elastic:
            yield from _in_views(item, part.elsewhere(place), sections, items)
        if item.kind == STACK:
            yield from _in_reserves(item, place, items)


def _in_sections(
    layout: Layout, reserve: Reservation, place: Span, sections: Iterable[Placement]
) -> Iterator[Collision]:
    for item in sections:
        if place.overlap(item.span) and not _is_own(layout, reserve, item):
            evidence = item.section.evidence
            yield Collision(reserve, item.section.name, _shared(place, item.span), evidence)


def _in_views(
    reserve: Reservation,
    views: Iterable[Span],
    sections: Iterable[Placement],
    items: Iterable[Reservation],
) -> Iterator[Collision]:
    """Yield what lies at another address of a reserve's bytes, so in the same memory."""
    for view in views:
        for item in sections:
            if view.overlap(item.span):
                evidence = item.section.evidence
                yield Collision(reserve, item.section.name, _shared(view, item.span), evidence)
        for other in items if reserve.kind == STACK else ():
            if other.place and not other.elastic and view.overlap(other.place):
                name = f"{other.kind} {other.name}"
                yield Collision(reserve, name, _shared(view, other.place), other.evidence)


def _in_reserves(
    stack: Reservation, place: Span, items: Iterable[Reservation]
) -> Iterator[Collision]:
    for other in items:
        if other is not stack and other.place and not other.elastic:
            shared = place.overlap(other.place)
            if shared and (other.kind != STACK or other.place.start < place.start):
                name = f"{other.kind} {other.name}"
                yield Collision(stack, name, _shared(place, other.place), other.evidence)


def _is_own(layout: Layout, reserve: Reservation, item: Placement) -> bool:
    """Return whether a section holds the stack or heap itself, or nothing where that is.

    A variable that is the stack, or the section that keeps its bytes, is no stranger in it. Such
    a section may be stored: lld writes zeros where a script only moves the location counter.
    """
    place = reserve.place
    assert place is not None
    if item.section.has_contents and not item.span.contains(place):
        return False
    end = min(place.end, item.span.end)
    across = (block.span for block in layout.objects.holding(end - 1))
    if any(span.end > end and not span.contains(place) for span in across):
        return False
    last = layout.objects.below(end, ())
    if last is None or last.span.end <= max(place.start, item.span.start):
        return not item.section.has_contents or is_reserve_section(item.section.name)
    if reserve.convention == PICO_SDK and item.section.name in STACK_CHECKS:
        # core1_stack only keeps bytes free: it lies where the variables end, the stack at the top.
        return last.span.start <= place.start
    if not place.contains(last.span):
        return False
    return last.name in reserve.rests_on or (
        is_reserve_section(item.section.name) and _keeps(reserve, place, last)
    )


def _keeps(reserve: Reservation, place: Span, variable: Block) -> bool:
    """Return whether a variable of a stack's own section keeps its bytes: by name, or all of them.

    Renesas FSP puts ``g_main_stack`` and the stacks of threads between the labels of one stack.
    """
    fills = variable.span.size + _PADDING > place.size
    return fills or names_one(base_name(variable.name), reserve.kind)


def _shared(one: Span, other: Span) -> Span:
    start = max(one.start, other.start)
    return Span(start, min(one.end, other.end) - start)
