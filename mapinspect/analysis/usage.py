"""Placements → what each region holds."""

from collections.abc import Iterable

from mapinspect.model.image import Region, Span
from mapinspect.model.inspection import Placement, Usage


def usages(placements: Iterable[Placement], regions: tuple[Region, ...]) -> tuple[Usage, ...]:
    """Return the usage of every region, in the order of ``regions``; used or not."""
    return tuple(
        _usage(region, tuple(item for item in placements if item.region is region))
        for region in regions
    )


def _usage(region: Region, placements: tuple[Placement, ...]) -> Usage:
    end = max((item.span.end for item in placements), default=region.span.start)
    occupied = sum(span.size for span in union(item.span for item in placements))
    return Usage(region, end - region.span.start, occupied, placements)


def union(spans: Iterable[Span]) -> list[Span]:
    """Return the spans merged, in address order: bytes that several share count once."""
    merged: list[Span] = []
    for span in sorted(spans):
        if merged and span.start <= merged[-1].end:
            start = merged[-1].start
            merged[-1] = Span(start, max(merged[-1].end, span.end) - start)
        else:
            merged.append(span)
    return merged


def without(spans: Iterable[Span], taken: Iterable[Span]) -> list[Span]:
    """Return the bytes of ``spans`` that no span of ``taken`` covers, merged, in address order."""
    left: list[Span] = []
    holes = union(taken)
    number = 0
    for span in union(spans):
        start = span.start
        while number < len(holes) and holes[number].start < span.end:
            hole = holes[number]
            if hole.start > start:
                left.append(Span(start, hole.start - start))
            start = max(start, hole.end)
            if hole.end > span.end:
                break  # the hole reaches into the next span
            number += 1
        if start < span.end:
            left.append(Span(start, span.end - start))
    return left


def cut(span: Span, within: Span) -> Span:
    """Return the part of ``span`` that lies ``within`` another; its size is 0 where none does."""
    start = max(span.start, within.start)
    return Span(start, max(0, min(span.end, within.end) - start))


def overlaps(placements: Iterable[Placement]) -> list[tuple[Placement, Placement]]:
    """Return the pairs of placements that share addresses, first one first.

    Compares each placement with those before it that reach furthest, so a pair is named for
    every overlapping placement, not every pair of a heap of them: work stays linear.
    """
    pairs: list[tuple[Placement, Placement]] = []
    furthest: Placement | None = None
    for item in sorted(placements, key=lambda item: (item.span.start, item.span.end)):
        if furthest is not None and item.span.start < furthest.span.end:
            pairs.append((furthest, item))
        if furthest is None or item.span.end > furthest.span.end:
            furthest = item
    return pairs
