"""What lies in the same output sections as something matched, and is none of it."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

from mapinspect.analysis.locate import Surroundings
from mapinspect.analysis.usage import union, without
from mapinspect.model.image import Span
from mapinspect.model.inspection import Located, PlacedSection

_PADDING = 16  # bytes; what compilers leave between the constants of one object


def strangers(around: Surroundings, places: Sequence[Located]) -> tuple[Located, ...]:
    """Return what else the output sections of ``places`` hold, by the symbols and the map's rows.

    Padding that the linker script inserts is nothing: it is in no object.
    """
    sections = {place.section.ordinal: place.section for place in places}
    own = union(place.span for place in places)
    found = {item.span: item for item in _inputs(around, sections.values(), own)}
    found |= {item.span: item for item in _symbols(around, sections, own)}
    return tuple(found[span] for span in sorted(found))


def _symbols(
    around: Surroundings, sections: dict[int, PlacedSection], own: Sequence[Span]
) -> Iterator[Located]:
    for symbol in around.elf.symbols if around.elf is not None else ():
        section = sections.get(-1 if symbol.section is None else symbol.section)
        span = Span(symbol.address, symbol.size)
        if section is not None and symbol.size and not _touches(span, own):
            yield around.symbol(section, symbol)


def _touches(span: Span, own: Sequence[Span]) -> bool:
    number = bisect_right(own, span.start, key=lambda other: other.start)
    return any(span.overlap(other) for other in own[max(number - 1, 0) : number + 1])


def _inputs(
    around: Surroundings, sections: Iterable[PlacedSection], own: Sequence[Span]
) -> Iterator[Located]:
    wanted = {section.ordinal for section in sections}
    for printed, section in around.printed():
        if around.link_map is None or section.ordinal not in wanted:
            continue
        for row in around.link_map.inputs.of_section(printed.ordinal):
            whole = Span(around.address(row.address), row.occupied)
            for span in without([whole], own):
                if span.size >= _PADDING:
                    yield around.input(section, row, span)
