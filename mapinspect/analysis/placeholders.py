"""Sections that hold nothing: they skip addresses, or keep them for a stack."""

from collections.abc import Iterable

from mapinspect.model.elf_file import ElfFile, ElfSection
from mapinspect.model.link_map import LinkMap


def placeholder_ordinals(elf: ElfFile, link_map: LinkMap | None) -> frozenset[int]:
    """Return the ordinals of NOBITS sections that hold nothing and only skip addresses.

    Where two regions are views of one memory (ESP32: instructions and data in one SRAM), the
    script lets a section of one skip what lies in the other. The map shows that it has no input
    section; without a map, only sections that share addresses are looked at, and the ELF shows
    that they have no symbol with a size.
    """
    if link_map is not None:
        zeroed = [item for item in elf.sections if item.allocated and not item.has_contents]
        zeroed = [item for item in zeroed if item.size]
        holding = _with_inputs(elf, zeroed, link_map) if zeroed else frozenset()
        return frozenset(item.ordinal for item in zeroed) - holding
    shared = [section for section in _sharing(elf) if not section.has_contents and section.size]
    if not shared:
        return frozenset()
    named = {symbol.section for symbol in elf.symbols if symbol.size}
    return frozenset(section.ordinal for section in shared if section.ordinal not in named)


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
