"""What a map says about itself, and where it and the ELF differ."""

from mapinspect.analysis.conservation import unconserved
from mapinspect.analysis.disagreements import disagreements
from mapinspect.analysis.locate import Surroundings
from mapinspect.analysis.overflow import MAP_BITS, map_usages
from mapinspect.analysis.symbol_disagreements import shares_symbols
from mapinspect.model.elf_file import ElfFile
from mapinspect.model.image import Evidence
from mapinspect.model.inspection import MapFacts
from mapinspect.model.link_map import LinkMap


def map_facts(link_map: LinkMap, elf: ElfFile | None, around: Surroundings) -> MapFacts:
    """Return the map's faults, its differences from the ELF, and its regions as it has them."""
    allocated = {(section.name, section.vma) for section in around.sections}
    own = map_usages(link_map, elf.bits if elf else MAP_BITS)
    return MapFacts(
        path=link_map.path,
        line_count=link_map.line_count,
        unknown=tuple(Evidence(link_map.path, line.line, line.text) for line in link_map.unknown),
        unconserved=unconserved(link_map, allocated),
        disagreements=disagreements(link_map, elf) if elf else (),
        overflows=tuple(usage for usage in own if usage.free < 0),
        sections=sum(1 for section in link_map.sections if section.size),
        missing=link_map.missing,
        regions=tuple(usage.region for usage in own),
        output_file=link_map.output_file,
        lacks_regions=link_map.lacks_regions,
        shares_symbols=elf is None or shares_symbols(link_map, elf),
    )
