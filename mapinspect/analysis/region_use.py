"""A link map → what its regions hold, as far as a map alone tells."""

from mapinspect.analysis.map_summary import seems_allocated
from mapinspect.analysis.placement import account
from mapinspect.analysis.regions import map_regions
from mapinspect.analysis.sections import sections_of_map
from mapinspect.analysis.usage import usages
from mapinspect.model.link_map import LinkMap
from mapinspect.model.map_summary import RegionUse

_WIDE_FORMATS = ("64", "alpha", "mmix")  # in the names that BFD gives to formats


def region_use(link_map: LinkMap) -> RegionUse:
    """Return the usage of every named region, and the sections that seem to lie in none."""
    regions = map_regions(link_map, _address_bits(link_map))
    if not regions:
        return RegionUse((), ())
    used = usages(account(sections_of_map(link_map, regions), regions), regions)
    placed = {item.section.ordinal for usage in used for item in usage.placements}
    outside = (
        section
        for section in link_map.sections
        if section.ordinal not in placed and seems_allocated(link_map, section)
    )
    return RegionUse(used, tuple(outside))


def _address_bits(link_map: LinkMap) -> int:
    """Return the width of the target's addresses, which the name of the output format tells."""
    wide = any(part in (link_map.output_format or "") for part in _WIDE_FORMATS)
    return 64 if wide else 32
