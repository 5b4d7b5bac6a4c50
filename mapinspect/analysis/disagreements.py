"""Map against ELF: what they state differently, which one link cannot do."""

from mapinspect.analysis.extent_disagreements import extent_disagreements
from mapinspect.analysis.sections import evidence, map_evidence, seems_allocated
from mapinspect.analysis.symbol_disagreements import symbol_disagreements
from mapinspect.analysis.target_formats import target_disagreement
from mapinspect.model.elf_file import ElfFile, ElfSection
from mapinspect.model.image import Evidence
from mapinspect.model.inspection import Disagreement
from mapinspect.model.link_map import LinkMap, MapSection


def disagreements(link_map: LinkMap, elf: ElfFile) -> tuple[Disagreement, ...]:
    """Return what map and ELF state differently; none where they are of one link.

    First the target; else every section by name, VMA, size and load address; else the symbols:
    where global ones are, then whether the map's input sections hold each variable whole.
    Addresses are compared modulo the ELF's address width, since an ld built for 64 bits prints
    16 digits for 32-bit targets too.
    """
    target = target_disagreement(link_map, elf)
    if target is not None:
        return (target,)
    mask = (1 << elf.bits) - 1
    printed: dict[tuple[str, int], list[MapSection]] = {}
    for section in link_map.sections:
        if section.vma is not None and section.size:
            printed.setdefault((section.name, section.vma & mask), []).append(section)
    found = [
        difference
        for section in elf.sections
        if section.size and section.allocated
        for difference in _compare(section, printed, link_map, elf.path, mask)
    ]
    found += _only_in_map(link_map, elf, mask, {item.subject for item in found})
    # Sections that moved take their symbols along: naming those would only hide the cause.
    return (
        tuple(found) or symbol_disagreements(link_map, elf) or extent_disagreements(link_map, elf)
    )


def _compare(
    section: ElfSection,
    printed: dict[tuple[str, int], list[MapSection]],
    link_map: LinkMap,
    path: str,
    mask: int,
) -> list[Disagreement]:
    in_elf = evidence(path, section)
    candidates = printed.get((section.name, section.vma), [])
    if not candidates:
        return [_absent(section, link_map, in_elf)]
    same = [item for item in candidates if item.size == section.size]
    if not same:
        item = candidates[0]
        message = f"{section.name} has {item.size} bytes in the map and {section.size} in the ELF"
        return [Disagreement(section.name, message, map_evidence(link_map.path, item), in_elf)]
    loads = {(item.vma if item.lma is None else item.lma) or 0 for item in same}
    if section.has_contents and section.lma not in {lma & mask for lma in loads}:
        message = (
            f"{section.name} is loaded from {min(loads):#010x} in the map "
            f"and from {section.lma:#010x} in the ELF"
        )
        return [Disagreement(section.name, message, map_evidence(link_map.path, same[0]), in_elf)]
    return []


def _absent(section: ElfSection, link_map: LinkMap, in_elf: Evidence) -> Disagreement:
    namesake = next(
        (item for item in link_map.sections if item.name == section.name and item.vma is not None),
        None,
    )
    if namesake is None:
        in_map = Evidence(link_map.path, None, f"no section {section.name}")
        return Disagreement(section.name, f"{section.name} is not in the map", in_map, in_elf)
    message = (
        f"{section.name} is at {namesake.vma or 0:#010x} in the map "
        f"and at {section.vma:#010x} in the ELF"
    )
    return Disagreement(section.name, message, map_evidence(link_map.path, namesake), in_elf)


def _only_in_map(
    link_map: LinkMap, elf: ElfFile, mask: int, reported: set[str]
) -> list[Disagreement]:
    in_elf = {(section.name, section.vma & mask) for section in elf.sections}
    found = []
    for section in link_map.sections:
        if section.vma is None or not section.size or not seems_allocated(section):
            continue
        if (section.name, section.vma & mask) in in_elf or section.name in reported:
            continue
        message = f"{section.name} is in the map and not in the ELF"
        absent = Evidence(elf.path, None, f"no section {section.name}")
        in_map = map_evidence(link_map.path, section)
        found.append(Disagreement(section.name, message, in_map, absent))
    return found
