"""What a link map says of labels, sections and variables, for the conventions.

A map names global variables only and gives no sizes: an input section that holds one variable
has its size, and one made by ``-fdata-sections`` its name. Others stay unnamed, never guessed.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import replace

from mapinspect.analysis.reservations.layout import Block, Label, Layout, Variables
from mapinspect.analysis.sections import sections_of_map
from mapinspect.model.image import Evidence, Region, Span
from mapinspect.model.link_map import InputSection, LinkMap

# .bss.ucHeap, .noinit.trace_stack, .ext_ram.bss.pool: what follows is the variable, unless it is
# a file (Zephyr's .noinit."kernel/init.c".3), which only its symbol can name.
_OF_VARIABLE = re.compile(r'\.(?:[\w]+\.)?(?:s?bss|s?data|t?noinit|uninit)\.([^"]+)')


_Piece = tuple[str, Span, InputSection]
# Inputs that hold code or constants: a function is no stack, whatever its name says.
_NOT_VARIABLE = (".text", ".literal", ".rodata", ".iram", ".init", ".fini", ".ctors", ".dtors")


def layout_of_map(link_map: LinkMap, regions: tuple[Region, ...], bits: int = 32) -> Layout:
    """Return the layout that a map gives; ``bits`` is the target's address width.

    A map printed by a 64-bit ld may sign-extend addresses; they are cut to that width.
    """
    mask = (1 << bits) - 1
    sections = [
        Block(item.name, Span(item.vma & mask, item.size), item.evidence)
        for item in sections_of_map(link_map, regions)
    ]
    labels = _labels(link_map, mask)
    values = [label.value for label in labels.values()]
    objects = _variables(link_map, regions, mask)
    return Layout(labels, values, tuple(_counted(sections)), objects, regions)


def _labels(link_map: LinkMap, mask: int) -> dict[str, Label]:
    labels = {
        symbol.name: Label(
            symbol.name,
            symbol.address & mask,
            Evidence(link_map.path, symbol.line, f"{symbol.name} {symbol.address & mask:#x}"),
            absolute=False,
        )
        for symbol in link_map.symbols
    }
    for item in link_map.assignments:  # the script's value is the final one
        if item.value is not None and item.symbol not in ("", "."):
            value = item.value & mask
            text = f"{item.symbol} = {value:#x}"
            place = Evidence(link_map.path, item.line, text)
            labels[item.symbol] = Label(item.symbol, value, place)
    return labels


def _counted(sections: list[Block]) -> Iterator[Block]:
    """Mark the sections that begin inside another one: they are only measured (``(COPY)``)."""
    end = 0
    for block in sorted(sections, key=lambda item: item.span):
        is_measured = block.span.start < end
        end = max(end, block.span.end)
        yield replace(block, counted=not is_measured)


def _variables(link_map: LinkMap, regions: tuple[Region, ...], mask: int) -> Variables:
    """Return the pieces of the sections in memory that can be written, by their names."""
    rows = list(_pieces(link_map, regions, mask))
    code = [at for at, (_, _, row) in enumerate(rows) if row.name.startswith(_NOT_VARIABLE)]
    return Variables(
        link_map.path,
        [name for name, _, _ in rows],
        [span.start for _, span, _ in rows],
        [span.size for _, span, _ in rows],
        lines=[row.line for _, _, row in rows],
        code=frozenset(code),
    )


def _pieces(link_map: LinkMap, regions: tuple[Region, ...], mask: int) -> Iterator[_Piece]:
    ram = [region for region in regions if "w" in region.attributes.split("!")[0]] or regions
    symbols = sorted((item.address & mask, item.name) for item in link_map.symbols)
    addresses = [address for address, _ in symbols]
    sizes = {item.name: item.size for item in link_map.commons}
    for section in link_map.sections:
        start = (section.vma or 0) & mask
        if not section.size or (ram and not any(r.span.overlap(Span(start, 1)) for r in ram)):
            continue
        for row in link_map.inputs.of_section(section.ordinal):
            span = Span(row.address & mask, row.occupied)
            if span.size:
                first, last = bisect_left(addresses, span.start), bisect_left(addresses, span.end)
                yield from _named(row, span, symbols[first:last], sizes)


def _named(
    row: InputSection, span: Span, symbols: list[tuple[int, str]], sizes: dict[str, int]
) -> Iterator[_Piece]:
    """Yield the variables of one input section, or the section itself where they have no sizes."""
    variable = _OF_VARIABLE.fullmatch(row.name)
    if row.name == "COMMON":
        for address, name in symbols:
            if name in sizes:
                yield name, Span(address, sizes[name]), row
    elif len(symbols) == 1 and symbols[0][0] == span.start:
        yield symbols[0][1], span, row
    elif variable is not None:
        yield variable[1], span, row
    else:
        yield f"{row.name} of {row.owner.path}", span, row
