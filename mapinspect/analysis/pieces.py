"""A map alone → the pieces that are a variable, where the map gives it away.

Maps list global symbols only, and no sizes. A variable still shows where the compiler gave it an
input section of its own (``-fdata-sections``: ``.bss.tensor_arena``) or in the table of common
symbols; a global one that is the last of its section reaches at most to the section's end.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from mapinspect.analysis.overflow import shown_owner
from mapinspect.analysis.placement import region_at
from mapinspect.model.diagnosis import Piece
from mapinspect.model.image import Evidence, Region, Span
from mapinspect.model.inspection import PlacedSection
from mapinspect.model.link_map import InputSection, LinkMap, MapSymbol
from mapinspect.model.symbol_names import base_name, is_selected

_CANDIDATES = 20  # symbols looked at; a glob that selects more names no variable


@dataclass(frozen=True, slots=True)
class MapImage:
    """A map, and what it alone says about its sections and regions."""

    link_map: LinkMap
    sections: tuple[PlacedSection, ...]
    regions: tuple[Region, ...]


def pieces(image: MapImage, glob: str) -> tuple[Piece, ...]:
    """Return the pieces of allocated sections that are a variable the glob selects, by address.

    The glob is compared as with an ELF's symbols: with the name, and with the name without the
    suffixes that compilers add.
    """
    found = {piece.span.start: piece for piece in _of_symbols(image, glob)}
    for section in image.sections:
        for row in image.link_map.inputs.of_section(section.ordinal):
            name = _named_after(row, glob)
            if name is not None:
                span = Span(row.address, row.occupied)
                found[span.start] = _piece(image, section, row, name, span, exact=True)
    return tuple(found[address] for address in sorted(found))


def _named_after(row: InputSection, glob: str) -> str | None:
    """Return the symbol that a section is named after, where the glob selects it.

    That is what follows the first dot inside the name, or a later one: sections have prefixes of
    one word (``.bss.``) or more (``.ext_ram.bss.``).
    """
    position = row.name.find(".", 1) if row.occupied and not _is_code(row) else -1
    while position > 0:
        name = row.name[position + 1 :]
        if is_selected(name, glob):
            return base_name(name)
        position = row.name.find(".", position + 1)
    return None


def _of_symbols(image: MapImage, glob: str) -> Iterator[Piece]:
    """Yield the symbols that the glob selects whose size follows from their input section."""
    chosen = [item for item in image.link_map.symbols if is_selected(item.name, glob)]
    sections = {section.ordinal: section for section in image.sections}
    for symbol in chosen[:_CANDIDATES]:
        section = sections.get(symbol.section)
        if section is not None:
            yield from _of_symbol(image, section, symbol)


def _of_symbol(image: MapImage, section: PlacedSection, symbol: MapSymbol) -> Iterator[Piece]:
    for row in image.link_map.inputs.of_section(section.ordinal):
        if not _is_code(row) and row.address <= symbol.address < row.address + row.occupied:
            known = _size(image.link_map, row, symbol)
            if known is not None:
                span = Span(symbol.address, known[0])
                yield _piece(image, section, row, symbol.name, span, exact=known[1])


def _size(link_map: LinkMap, row: InputSection, symbol: MapSymbol) -> tuple[int, bool] | None:
    """Return a symbol's size and whether it is exact, or None where other symbols follow it."""
    for common in link_map.commons:
        if (common.name, common.owner) == (symbol.name, row.owner):
            return common.size, True
    end = row.address + row.occupied
    later = any(symbol.address < item.address < end for item in link_map.symbols)
    return None if later else (end - symbol.address, False)


def _is_code(row: InputSection) -> bool:
    return row.name.startswith(".text")


def _piece(
    image: MapImage,
    section: PlacedSection,
    row: InputSection,
    name: str,
    span: Span,
    *,
    exact: bool,
) -> Piece:
    run, load = region_at(section.vma, image.regions), region_at(section.lma, image.regions)
    copied = section.has_contents and section.lma != section.vma
    owner = shown_owner(row.owner)
    text = f"{name} {span.start:#010x} {span.size} bytes of {owner}"
    return Piece(
        name,
        owner,
        span,
        run.name if run else None,
        load.name if load and copied else None,
        exact,
        Evidence(image.link_map.path, row.line, text),
    )
