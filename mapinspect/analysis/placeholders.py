"""Sections that hold nothing and only skip addresses, where another section lies at them."""

from collections.abc import Iterable

from mapinspect.model.elf_file import ElfFile, ElfSection
from mapinspect.model.link_map import LinkMap


def placeholder_ordinals(elf: ElfFile, link_map: LinkMap | None) -> frozenset[int]:
    """Return the ordinals of NOBITS sections that share addresses and hold nothing.

    Where two regions are views of one memory (ESP32: instructions and constants in Flash), the
    script lets a section of one skip what lies in the other. It has no input sections, by the
    map, and no symbol with a size, by the ELF.
    """
    shared = [section for section in _sharing(elf) if not section.has_contents and section.size]
    if not shared:
        return frozenset()
    holding = {
        symbol.section for symbol in elf.symbols if symbol.size and symbol.section is not None
    }
    if link_map is not None:
        holding |= _with_inputs(elf, shared, link_map)
    return frozenset(section.ordinal for section in shared if section.ordinal not in holding)


def _sharing(elf: ElfFile) -> list[ElfSection]:
    """Return the allocated sections that share addresses with another one."""
    sections = sorted(
        (item for item in elf.sections if item.allocated and item.size),
        key=lambda item: (item.vma, item.ordinal),
    )
    found: list[ElfSection] = []
    furthest: ElfSection | None = None
    for section in sections:
        end = 0 if furthest is None else furthest.vma + furthest.size
        if furthest is not None and section.vma < end:
            found += [furthest, section]
        if section.vma + section.size > end:
            furthest = section
    return found


def _with_inputs(elf: ElfFile, sections: Iterable[ElfSection], link_map: LinkMap) -> frozenset[int]:
    mask = (1 << elf.bits) - 1
    wanted = {(section.name, section.vma): section.ordinal for section in sections}
    return frozenset(
        wanted[section.name, section.vma & mask]
        for section in link_map.sections
        if section.vma is not None and (section.name, section.vma & mask) in wanted
        if any(row.size for row in link_map.inputs.of_section(section.ordinal))
    )
