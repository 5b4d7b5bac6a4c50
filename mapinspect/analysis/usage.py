"""Placements → what each region holds."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from mapinspect.analysis.placement import Accounts
from mapinspect.model.image import Region, Role, Span
from mapinspect.model.inspection import Explained, Placement, Usage


def usages(accounts: Accounts, regions: tuple[Region, ...]) -> tuple[Usage, ...]:
    """Return the usage of every region, in the order of ``regions``; used or not."""
    found = _usages(accounts, regions)
    if accounts.otherwise is None:
        return found
    others = _usages(accounts.otherwise, regions)
    return tuple(
        usage if usage.placements == other.placements else replace(usage, otherwise=other)
        for usage, other in zip(found, others, strict=True)
    )


def _usages(accounts: Accounts, regions: tuple[Region, ...]) -> tuple[Usage, ...]:
    everything = union(item.span for item in accounts.placements)
    return tuple(_usage(region, accounts, everything) for region in regions)


def _usage(region: Region, accounts: Accounts, everything: Sequence[Span]) -> Usage:
    own = tuple(item for item in accounts.placements if item.region is region)
    end = max((item.span.end for item in own), default=region.span.start)
    padding, gaps = _holes(region, own)
    return Usage(
        region=region,
        used=end - region.span.start,
        occupied=size_of(union(item.span for item in own)),
        padding=padding,
        gaps=gaps,
        largest_free=_largest_free(region.span, everything),
        explained=tuple(_explained(region, own, accounts)),
        placements=own,
    )


def _holes(region: Region, placements: Iterable[Placement]) -> tuple[int, int]:
    """Return the unoccupied bytes between sections: those that alignment explains, and others."""
    padding = gaps = 0
    end = region.span.start
    for item in placements:  # by address
        hole = item.span.start - end
        if 0 < hole < item.section.alignment:
            padding += hole
        elif hole > 0:
            gaps += hole
        end = max(end, item.span.end)
    return padding, gaps


def _largest_free(region: Span, occupied: Sequence[Span]) -> int:
    largest, start = 0, region.start
    for span in occupied:
        if span.end <= region.start or span.start >= region.end:
            continue
        largest = max(largest, span.start - start)
        start = span.end
    return max(largest, region.end - start)


def _explained(
    region: Region, placements: Sequence[Placement], accounts: Accounts
) -> Iterable[Explained]:
    """Yield why ``used`` differs from ld's figure: rows that add up to the difference.

    Positive rows are bytes that ld does not count, negative ones bytes that only ld counts.
    """
    counted = accounts.reached.get(region.name, region.span.start)
    ends = sorted(placements, key=lambda item: item.span.end)
    while ends and ends[-1].span.end > counted:
        item = ends.pop()
        below = max(ends[-1].span.end if ends else counted, counted)
        if item.span.end > below:
            yield Explained(_beyond_count(item), item.span.end - below)
    end = max((item.span.end for item in placements), default=region.span.start)
    for item in sorted(accounts.unallocated, key=lambda item: item.span.end):
        if item.region is region and item.counted and end < item.span.end <= counted:
            what = f"{item.section.name}, not allocated (COPY or INFO)"
            yield Explained(what, end - item.span.end)
            end = item.span.end
    if end < counted:
        yield Explained("alignment of an empty section", end - counted)


def _beyond_count(item: Placement) -> str:
    name = item.section.name
    if item.counted:
        return f"{name}, placed before a section at a lower address"
    if item.section.overlay:
        return f"{name}, overlay image at an explicit address"
    image = "load image" if item.role is Role.LOAD else "section"
    return f"{name}, {image} at an explicit address"


def size_of(spans: Iterable[Span]) -> int:
    """Return the sum of the sizes of spans, in bytes; what two of them share counts twice."""
    return sum(span.size for span in spans)


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
