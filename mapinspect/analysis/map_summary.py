"""A link map → its sums: what can be told without the ELF."""

from mapinspect.analysis.conservation import unconserved
from mapinspect.model.link_map import LinkMap, MapSection, ObjectFile
from mapinspect.model.map_summary import MapSummary, ObjectBytes

# Names of sections that are in no memory: debug information, notes to tools, attributes. The map
# itself does not say which sections are allocated; their address is 0.
_NOT_ALLOCATED = (
    ".ARM.attributes",
    ".GCC.command.line",
    ".comment",
    ".debug",
    ".gnu.attributes",
    ".gnu.build.attributes",
    ".gnu.lto_",
    ".gnu.warning",
    ".gptab",
    ".line",
    ".mdebug",
    ".note.GNU-stack",
    ".note.gnu.avr",
    ".note.gnu.gold-version",
    ".pdr",
    ".rel.",
    ".rela.",
    ".riscv.attributes",
    ".stab",
    ".xt.",
    ".xtensa.info",
    ".zdebug",
)


def summarise(link_map: LinkMap) -> MapSummary:
    """Return the sums of a map; objects count in the sections that seem to be allocated."""
    allocated = [section for section in link_map.sections if seems_allocated(link_map, section)]
    owners = link_map.inputs.occupied_by_owner(section.ordinal for section in allocated)
    return MapSummary(
        link_map=link_map,
        objects=_objects(owners),
        archives=_archives(owners),
        discarded_bytes=sum(link_map.discarded_sizes),
        unconserved=unconserved(link_map),
    )


def seems_allocated(link_map: LinkMap, section: MapSection) -> bool:
    """Return whether a section takes up memory, as far as a map tells.

    One at address 0 does, unless its name is that of debug information or the like, or the memory
    table has regions and none of them begins at 0.
    """
    if section.vma is None or not section.size:
        return False
    if section.vma:
        return True
    named = [region for region in link_map.regions if region.name != "*default*"]
    at_zero = not named or any(region.origin == 0 for region in named)
    return at_zero and not section.name.startswith(_NOT_ALLOCATED)


def _objects(owners: dict[ObjectFile, int]) -> tuple[ObjectBytes, ...]:
    rows = [ObjectBytes(owner, size) for owner, size in owners.items()]
    rows.sort(key=lambda row: (-row.bytes, row.owner.archive or "", row.owner.path))
    return tuple(rows)


def _archives(owners: dict[ObjectFile, int]) -> tuple[tuple[str, int], ...]:
    sums: dict[str, int] = {}
    for owner, size in owners.items():
        if owner.archive is not None:
            sums[owner.archive] = sums.get(owner.archive, 0) + size
    return tuple(sorted(sums.items(), key=lambda row: (-row[1], row[0])))
