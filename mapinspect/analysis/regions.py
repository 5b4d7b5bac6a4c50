"""Which memory regions the image is judged by: the table's, else the map's."""

from mapinspect.model.budget import BudgetTable
from mapinspect.model.image import Evidence, Region, Span
from mapinspect.model.link_map import LinkMap, MapRegion

DEFAULT_REGION = "*default*"
_NO_LIMIT = (2**32 - 1, 2**64 - 1)  # ld/ldlang.c: the length of a region nobody declared, ~0


def regions_of(table: BudgetTable, link_map: LinkMap | None, bits: int) -> tuple[Region, ...]:
    """Return the regions in the map's order, then those only the table declares.

    A region with an origin in the table overrides the map's of the same name. ``bits`` is the
    target's address width, to which addresses printed by a 64-bit ld are reduced.
    """
    declared = {
        row.name: Region(row.name, Span(row.origin, row.length), "", row.declared)
        for row in table.regions
        if row.origin is not None and row.length is not None
    }
    regions: list[Region] = []
    for region in map_regions(link_map, bits) if link_map else ():
        regions.append(declared.pop(region.name, region))
    return (*regions, *declared.values())


def map_regions(link_map: LinkMap, bits: int) -> tuple[Region, ...]:
    """Return the regions of a map's memory table that were declared.

    ``*default*`` is no region: it is ld's word for "no limit". A region that a script uses and
    nowhere declares is printed with the same limits, so it is none either.
    """
    mask = (1 << bits) - 1
    return tuple(
        Region(
            row.name,
            Span(row.origin & mask, row.length),
            row.attributes,
            Evidence(
                link_map.path,
                row.line,
                f"{row.name} {row.origin & mask:#010x} {row.length} bytes",
            ),
        )
        for row in link_map.regions
        if row.name != DEFAULT_REGION and not _is_undeclared(row)
    )


def _is_undeclared(row: MapRegion) -> bool:
    return row.origin == 0 and row.length in _NO_LIMIT
