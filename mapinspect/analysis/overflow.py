"""A map alone → the regions its sections overflow, and what is largest in each."""

from collections.abc import Iterator

from mapinspect.analysis.placement import account
from mapinspect.analysis.regions import map_regions
from mapinspect.analysis.sections import sections_of_map
from mapinspect.analysis.usage import usages
from mapinspect.model.diagnosis import Contributor, Overflow
from mapinspect.model.image import Evidence
from mapinspect.model.inspection import Usage
from mapinspect.model.link_map import LinkMap, ObjectFile

_SHOWN = 5  # contributors; the causes of an overflow are among the largest


def overflows(link_map: LinkMap, bits: int = 32) -> tuple[Overflow, ...]:
    """Return the regions that the map's own sections overflow, in the map's order."""
    regions = map_regions(link_map, bits)
    used = usages(account(sections_of_map(link_map, regions), regions), regions)
    return tuple(
        Overflow(usage.region, usage.used, _largest(link_map, usage))
        for usage in used
        if usage.free < 0
    )


def _largest(link_map: LinkMap, usage: Usage) -> tuple[Contributor, ...]:
    found = sorted(_contributors(link_map, usage), key=lambda item: (-item.bytes, item.name))
    return tuple(found[:_SHOWN])


def _contributors(link_map: LinkMap, usage: Usage) -> Iterator[Contributor]:
    for placement in usage.placements:
        for row in link_map.inputs.of_section(placement.section.ordinal):
            owner = _shown(row.owner)
            text = f"{row.name} {row.occupied} bytes of {owner}"
            evidence = Evidence(link_map.path, row.line, text)
            yield Contributor(row.name, owner, row.occupied, evidence)


def _shown(owner: ObjectFile) -> str:
    return owner.path if owner.archive is None else f"{owner.archive}({owner.path})"
