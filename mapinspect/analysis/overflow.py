"""A map alone → the regions its sections overflow, and what is largest in each."""

from collections.abc import Iterator

from mapinspect.analysis.placement import account
from mapinspect.analysis.regions import map_regions
from mapinspect.analysis.sections import sections_of_map
from mapinspect.analysis.usage import usages
from mapinspect.model.diagnosis import Contributor, Overflow
from mapinspect.model.image import Evidence
from mapinspect.model.inspection import Placement, Usage
from mapinspect.model.link_map import LinkMap, ObjectFile

MAP_BITS = 32  # a map without its ELF is taken for a 32-bit target's
_SHOWN = 5  # contributors; the causes of an overflow are among the largest


def map_usages(link_map: LinkMap, bits: int = MAP_BITS) -> tuple[Usage, ...]:
    """Return what each region of a map's memory table holds, by the map alone.

    A region that overflows does so by as many bytes as ld says ("overflowed by").
    """
    regions = map_regions(link_map, bits)
    return usages(account(sections_of_map(link_map, regions), regions), regions)


def overflows(link_map: LinkMap, bits: int = MAP_BITS) -> tuple[Overflow, ...]:
    """Return the regions that the map's own sections overflow, in the map's order."""
    return tuple(
        Overflow(usage.region, usage.used, _largest(link_map, usage))
        for usage in map_usages(link_map, bits)
        if usage.free < 0
    )


def shown_owner(owner: ObjectFile) -> str:
    """Return an object's name as ld writes it: ``libm.a(sin.o)`` for an archive's member."""
    return owner.path if owner.archive is None else f"{owner.archive}({owner.path})"


def _largest(link_map: LinkMap, usage: Usage) -> tuple[Contributor, ...]:
    found = [item for placement in usage.placements for item in _contributors(link_map, placement)]
    found.sort(key=lambda item: (-item.bytes, item.name, item.owner or ""))
    return tuple(found[:_SHOWN])


def _contributors(link_map: LinkMap, placement: Placement) -> Iterator[Contributor]:
    """Yield the input sections of a placement, and as one what no input section explains."""
    section = placement.section
    rest = placement.span.size
    for row in link_map.inputs.of_section(section.ordinal):
        if row.occupied:
            rest -= row.occupied
            owner = shown_owner(row.owner)
            text = f"{row.name} {row.occupied} bytes of {owner}"
            evidence = Evidence(link_map.path, row.line, text)
            yield Contributor(row.name, owner, row.occupied, placement.role, evidence)
    if rest > 0:
        yield Contributor(section.name, None, rest, placement.role, section.evidence)
