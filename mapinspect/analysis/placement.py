"""Sections → placements: which bytes lie in which region, in which role."""

from collections.abc import Iterable, Iterator

from mapinspect.model.image import Region, Role, Span
from mapinspect.model.inspection import PlacedSection, Placement


def place(sections: Iterable[PlacedSection], regions: tuple[Region, ...]) -> tuple[Placement, ...]:
    """Return every placement of the sections, by address.

    A section lies in the smallest region that holds its first byte. One that starts past every
    region but right behind an overflowing section belongs to that section's region: ld keeps
    placing sections after the end when a region overflows.
    """
    placements: list[Placement] = []
    for section, role, span in _by_address(sections):
        previous = placements[-1] if placements else None
        placements.append(_place_one(section, role, span, regions, previous))
    return tuple(placements)


def _by_address(
    sections: Iterable[PlacedSection],
) -> list[tuple[PlacedSection, Role, Span]]:
    """Return all bytes of all sections by address: load images follow code in one Flash."""
    found = [(section, role, span) for section in sections for role, span in spans(section)]
    found.sort(key=lambda item: (item[2].start, item[2].end, item[0].ordinal))
    return found


def spans(section: PlacedSection) -> Iterator[tuple[Role, Span]]:
    """Yield the bytes a section occupies, by role; none for an empty section."""
    if section.size == 0:
        return
    yield Role.RUN, Span(section.vma, section.size)
    if section.has_contents and section.lma != section.vma:
        yield Role.LOAD, Span(section.lma, section.size)


def region_at(address: int, regions: tuple[Region, ...]) -> Region | None:
    """Return the smallest region that holds the byte at ``address``, or None."""
    holding = [region for region in regions if region.span.start <= address < region.span.end]
    return min(holding, key=lambda region: region.span.size, default=None)


def _place_one(
    section: PlacedSection,
    role: Role,
    span: Span,
    regions: tuple[Region, ...],
    previous: Placement | None,
) -> Placement:
    region = region_at(span.start, regions)
    if region is not None or previous is None or previous.region is None:
        return Placement(section, role, span, region)
    end = previous.span.end
    aligned = end + (-end % max(section.alignment, 1))
    if end >= previous.region.span.end - section.alignment and span.start <= aligned:
        return Placement(section, role, span, previous.region, overflows=True)
    return Placement(section, role, span, None)
