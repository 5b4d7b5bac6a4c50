"""Which sections are members of an OVERLAY: legally, they share run-time addresses."""

from collections import Counter
from collections.abc import Iterable

from mapinspect.model.elf_file import ElfFile, ElfSection
from mapinspect.model.link_map import LinkMap

_START, _STOP = "__load_start_", "__load_stop_"


def overlay_names(link_map: LinkMap) -> frozenset[str]:
    """Return the names of the sections that the map shows to be overlays.

    ld does not print the word OVERLAY, but the two symbols that it provides for every member
    (binutils ld/ldlang.c, ``lang_leave_overlay_section``): where its load image starts and stops.
    """
    if not _shares_addresses((item.vma, item.size) for item in link_map.sections):
        return frozenset()
    provided = {
        (assignment.symbol, assignment.expression)
        for assignment in link_map.assignments
        if assignment.symbol.startswith((_START, _STOP))
    }
    return frozenset(
        section.name
        for section in link_map.sections
        if {symbol for symbol, text in provided if f"LOADADDR ({section.name})" in text}
        >= _symbols(section.name)
    )


def overlay_ordinals(elf: ElfFile, link_map: LinkMap | None) -> frozenset[int]:
    """Return the ordinals of the ELF's overlay sections, by the map or by the ELF's symbols."""
    stored = [item for item in elf.sections if item.allocated and item.has_contents]
    if not _shares_addresses((item.vma, item.size) for item in stored):
        return frozenset()
    named = overlay_names(link_map) if link_map is not None else frozenset()
    return frozenset(
        section.ordinal for section in stored if section.name in named or _has_symbols(elf, section)
    )


def _has_symbols(elf: ElfFile, section: ElfSection) -> bool:
    """Return whether both symbols of an overlay are in the ELF and give its load image."""
    bounds = ((_START, section.lma), (_STOP, section.lma + section.size))
    return all(
        any(
            symbol.address == address for symbol in elf.symbols.named(prefix + _clean(section.name))
        )
        for prefix, address in bounds
    )


def _symbols(name: str) -> frozenset[str]:
    return frozenset({_START + _clean(name), _STOP + _clean(name)})


def _clean(name: str) -> str:
    """Return the name as ld makes it part of a symbol: without what C does not allow."""
    return "".join(
        letter for letter in name if (letter.isascii() and letter.isalnum()) or letter == "_"
    )


def _shares_addresses(sections: Iterable[tuple[int | None, int | None]]) -> bool:
    starts = Counter(vma for vma, size in sections if vma is not None and size)
    return any(count > 1 for count in starts.values())
