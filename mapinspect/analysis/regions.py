"""Which memory regions the image is judged by: the table's, else the map's."""

from mapinspect.model.budget import BudgetTable, RegionRow
from mapinspect.model.image import Evidence, Region, Span
from mapinspect.model.link_map import LinkMap, MapRegion

DEFAULT_REGION = "*default*"
_NO_LIMIT = (2**32 - 1, 2**64 - 1)  # ld/ldlang.c: the length of a region nobody declared, ~0


def regions_of(
    table: BudgetTable,
    link_map: LinkMap | None,
    bits: int,
    others: tuple[Region, ...] = (),
) -> tuple[Region, ...]:
    """Return the regions in the map's order, then those only the table declares.

    Without a map ``others`` take its place: the regions of a linker script, or the part's banks.
    A region with an origin in the table overrides one of the same name, but keeps its
    attributes. ``bits`` is the target's address width, to which addresses printed by a 64-bit ld
    are reduced.
    """
    declared = {row.name: row for row in table.regions if row.origin is not None}
    found = [
        _overridden(region, declared.pop(region.name, None))
        for region in (map_regions(link_map, bits) if link_map else others)
    ]
    return (*found, *(_declared(row, "") for row in declared.values()))


def _overridden(region: Region, row: RegionRow | None) -> Region:
    return region if row is None else _declared(row, region.attributes)


def _declared(row: RegionRow, attributes: str) -> Region:
    assert row.origin is not None
    assert row.length is not None  # the reader takes both or neither
    return Region(row.name, Span(row.origin, row.length), attributes, row.declared)


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
