"""Symbols without a size: how many bytes what they mark can have at most.

Labels of assembler code (``.incbin`` without ``.size``) and of linker scripts have no size in the
symbol table. What they mark ends somewhere before the next symbol or the end of the section.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import accumulate

from mapinspect.model.elf_file import ElfFile
from mapinspect.model.inspection import Located


def with_reach(elf: ElfFile, places: Iterable[Located]) -> tuple[Located, ...]:
    """Return the places; those without a size with the most bytes they can have.

    A label behind its section's last byte marks nothing: it is left out.
    """
    found = tuple(places)
    return tuple(_reaching(elf, found)) if not all(place.span.size for place in found) else found


def _reaching(elf: ElfFile, places: Iterable[Located]) -> Iterator[Located]:
    symbols = [symbol for symbol in elf.symbols if symbol.has_address]
    starts = sorted({item.address for item in symbols if item.size or item.is_global})
    sized = sorted((item.address, item.address + item.size) for item in symbols if item.size)
    ends = list(accumulate((end for _, end in sized), max))
    for place in places:
        if place.span.size:
            yield place
            continue
        address, last = place.span.start, place.section.vma + place.section.size
        if not place.section.vma <= address < last:
            continue
        number = bisect_right(starts, address)
        following = min(starts[number], last) if number < len(starts) else last
        number = bisect_right(sized, address, key=lambda pair: pair[0])
        around = ends[number - 1] if number else 0
        most = max(following, min(around, last)) - address
        yield replace(place, most=most, within_other=around > address)
