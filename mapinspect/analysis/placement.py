"""Sections → placements: which bytes lie in which region, in which role."""

from collections.abc import Iterable, Iterator

from mapinspect.model.image import Region, Role, Span
from mapinspect.model.inspection import PlacedSection, Placement


def place(sections: Iterable[PlacedSection], regions: tuple[Region, ...]) -> tuple[Placement, ...]:
    """Return every placement of the sections, by address within each role.

    A section lies in the smallest region that holds its first byte. One that starts past every
    region but right behind an overflowing section belongs to that section's region: ld keeps
    placing sections after the end when a region overflows.
    """
    placements: list[Placement] = []
    for role, spans in _by_role(sections).items():
        previous: Placement | None = None
        for section, span in spans:
            placement = _place_one(section, role, span, regions, previous)
            placements.append(placement)
            previous = placement
    return tuple(placements)


def _by_role(
    sections: Iterable[PlacedSection],
) -> dict[Role, list[tuple[PlacedSection, Span]]]:
    roles: dict[Role, list[tuple[PlacedSection, Span]]] = {Role.RUN: [], Role.LOAD: []}
    for section in sections:
        for role, span in spans(section):
            roles[role].append((section, span))
    for found in roles.values():
        found.sort(key=lambda pair: (pair[1].start, pair[1].end, pair[0].ordinal))
    return roles


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
