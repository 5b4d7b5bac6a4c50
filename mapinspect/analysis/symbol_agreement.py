"""Symbols of the map against those of the ELF: one layout of sections may hold two images."""

from collections.abc import Iterator

from mapinspect.model.elf_file import ElfFile, ElfSymbol
from mapinspect.model.image import Evidence
from mapinspect.model.inspection import Disagreement
from mapinspect.model.link_map import LinkMap, MapSymbol


def symbol_disagreements(link_map: LinkMap, elf: ElfFile) -> tuple[Disagreement, ...]:
    """Return one disagreement, about the first symbol that lies elsewhere, or none.

    Two builds whose output sections have the same sizes differ in what lies inside: then rows
    about objects would count another build's bytes. Compared are the names that the ELF gives to
    exactly one address; a map prints global symbols only, and C++ names in a readable form.
    """
    moved = list(_moved(link_map, elf))
    if not moved:
        return ()
    printed, symbol = moved[0]
    more = f", and {len(moved) - 1} more symbols differ" if len(moved) > 1 else ""
    message = (
        f"{symbol.name} is at {printed.address:#010x} in the map "
        f"and at {symbol.address:#010x} in the ELF{more}"
    )
    in_map = Evidence(link_map.path, printed.line, f"{printed.name} at {printed.address:#010x}")
    in_elf = Evidence(elf.path, None, f"{symbol.name} at {symbol.address:#010x}")
    return (Disagreement(symbol.name, message, in_map, in_elf),)


def _moved(link_map: LinkMap, elf: ElfFile) -> Iterator[tuple[MapSymbol, ElfSymbol]]:
    if not len(elf.symbols):
        return
    mask = (1 << elf.bits) - 1
    for printed in link_map.symbols:
        named = elf.symbols.named(printed.name)
        if len(named) == 1 and named[0].has_address and named[0].address != printed.address & mask:
            yield printed, named[0]
