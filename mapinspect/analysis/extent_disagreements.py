"""The ELF's variables against the map's input sections: none reaches from one into the next.

Where the inputs of two links differ although sections and global symbols do not (a static array
grew as another shrank), a map of the other link shows them cut elsewhere.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from itertools import compress
from typing import Final

from mapinspect.analysis.owners import MERGED
from mapinspect.model.elf_file import ElfFile, ElfSymbol, SymbolKind
from mapinspect.model.image import Evidence
from mapinspect.model.inspection import Disagreement
from mapinspect.model.link_map import LinkMap

_SHOWN: Final = 5  # differences; the first ones lead to the cause
_Row = tuple[int, int, int]  # start and end of an input section, and its output section


def extent_disagreements(link_map: LinkMap, elf: ElfFile) -> tuple[Disagreement, ...]:
    """Return the first variables that leave the input section in which the map has their start.

    Functions are not compared: assemblers' sizes of them are often wrong. Constants in merged
    sections are not either, since their rows say little about where each is.
    """
    rows = sorted(_rows(link_map, elf))
    starts = [row[0] for row in rows]
    found: list[Disagreement] = []
    for ordinal, address, size in _sized(elf):
        number = bisect_right(starts, address) - 1
        if number < 0 or not address < rows[number][1] < address + size:
            continue
        difference = _difference(link_map, elf, elf.symbols[ordinal], rows[number])
        found += [difference] if difference is not None else []
        if len(found) == _SHOWN:
            break
    return tuple(found)


def _sized(elf: ElfFile) -> Iterator[tuple[int, int, int]]:
    sizes = elf.symbols.sizes()
    columns = zip(range(len(sizes)), elf.symbols.addresses(), sizes, strict=True)
    return compress(columns, sizes)


def _rows(link_map: LinkMap, elf: ElfFile) -> Iterator[_Row]:
    mask = (1 << elf.bits) - 1
    own = {(item.name, item.vma) for item in elf.sections if item.allocated and item.size}
    shared = Counter(item.vma for item in elf.sections if item.allocated and item.size)
    for section in link_map.sections:
        vma = (section.vma or 0) & mask
        if (section.name, vma) not in own or shared[vma] > 1:
            continue  # overlays: an address alone does not say which one holds a symbol
        for address, size in zip(*link_map.inputs.extents(section.ordinal), strict=True):
            if size:
                yield address & mask, (address & mask) + size, section.ordinal


def _difference(
    link_map: LinkMap, elf: ElfFile, symbol: ElfSymbol, row: _Row
) -> Disagreement | None:
    if symbol.kind is not SymbolKind.OBJECT or symbol.section is None:
        return None
    start, end, section = row
    printed = next(
        (
            item
            for item in link_map.inputs.of_section(section)
            if item.occupied and item.address & ((1 << elf.bits) - 1) == start
        ),
        None,
    )
    if printed is None or MERGED.search(printed.name):
        return None
    there = f"{symbol.name} at {symbol.address:#010x}, {symbol.size} bytes"
    here = f"{printed.name} of {printed.owner.path} ends at {end:#010x}"
    return Disagreement(
        symbol.name,
        f"{symbol.name} ends at {symbol.address + symbol.size:#010x} in the ELF, and {here} "
        "in the map",
        Evidence(link_map.path, printed.line, here),
        Evidence(elf.path, None, there),
    )
