"""Stacks and heaps whose labels leave the memory: no reservation, since no bytes are there."""

from collections.abc import Iterator

from mapinspect.analysis.placement import region_at
from mapinspect.analysis.reservations.labelled import pairs
from mapinspect.analysis.reservations.layout import Layout
from mapinspect.analysis.reservations.names import ESP_HEAP_END, ESP_HEAP_START, Pair
from mapinspect.analysis.usage import union
from mapinspect.model.habits import Collision
from mapinspect.model.image import Evidence, Region, Span
from mapinspect.model.reservation import Reservation


def strays(layout: Layout) -> Iterator[Collision]:
    """Yield each pair of labels of which one lies in RAM, with the bytes between that do not.

    ``other`` names the RAM that is left. ESP-IDF's heap ends where the chip's RAM does, past the
    region that the linker fills; where it begins has a name, whatever else ``_end`` marks.
    """
    esp = layout.label((ESP_HEAP_START,)) is not None
    for pair in pairs(layout):
        if not (esp and pair.tops == (ESP_HEAP_END,)):
            found = _stray(layout, pair)
            if found is not None:
                yield found


def _stray(layout: Layout, pair: Pair) -> Collision | None:
    bottom, top = layout.label(pair.bottoms), layout.label(pair.tops)
    if bottom is None or top is None or not 0 < bottom.value < top.value:
        return None
    place = Span(bottom.value, top.value - bottom.value)
    home = _ram_at(layout, place.start) or _ram_at(layout, place.end - 1)
    outside = _outside(place, union(region.span for region in layout.regions))
    if home is None or outside is None:
        return None
    text = f"{top.name} {top.value:#x} - {bottom.name} {bottom.value:#x}"
    evidence = Evidence(top.evidence.file, top.evidence.line, text)
    reserve = Reservation(
        pair.kind, pair.name, place.size, pair.convention, pair.elastic, place, evidence
    )
    return Collision(reserve, home.name, outside, home.declared)


def _ram_at(layout: Layout, address: int) -> Region | None:
    region = region_at(address, layout.regions)
    return region if region is not None and layout.is_ram(region) else None


def _outside(place: Span, memory: list[Span]) -> Span | None:
    """Return the first bytes of a place that no memory has; memories are merged, by address."""
    start = place.start
    for span in memory:
        if span.start <= start < span.end:
            start = span.end
    if start >= place.end:
        return None
    ends = [span.start for span in memory if span.start > start]
    return Span(start, min([*ends, place.end]) - start)
