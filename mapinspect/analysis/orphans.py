"""Output sections that no statement of the linker script places: ld put them where it liked."""

from collections.abc import Iterator
from itertools import islice

from mapinspect.analysis.locate import Surroundings
from mapinspect.model.image import Evidence, Span
from mapinspect.model.inspection import Located
from mapinspect.model.link_map import InputSection, LinkMap, MapSection

_WRAPPED = 15  # bytes of a name from which ld prints its numbers on the next line, ld/ldlang.c


def orphans(around: Surroundings) -> tuple[Located, ...]:
    """Return the allocated orphans that hold bytes, in the map's order.

    Below the name of a section that the script places, ld prints the script's own lines
    (`` *(.text)``) before the first input section; below an orphan's there is none.
    """
    link_map = around.link_map
    if link_map is None:
        return ()
    sections = {(item.name, item.vma): item for item in around.sections if item.size}
    found = []
    for printed, first in _unscripted(link_map):
        section = sections.get((printed.name, around.address(printed.vma or 0)))
        if section is not None:
            owner = first.owner.path
            text = f"{printed.name} begins with {first.name} of {owner}, {section.size} bytes"
            place = Evidence(link_map.path, printed.line, text)
            span = Span(section.vma, section.size)
            found.append(around.inside(section, section.name, span, place))
    return tuple(found)


def _unscripted(link_map: LinkMap) -> Iterator[tuple[MapSection, InputSection]]:
    """Yield the sections whose first line is an input section, with that."""
    for printed in link_map.sections:
        if not printed.size:
            continue
        first = next(islice(link_map.inputs.of_section(printed.ordinal), 1), None)
        name = printed.name.encode("utf-8", "surrogateescape")
        head = 2 if len(name) >= _WRAPPED else 1
        if first is not None and first.line == printed.line + head:
            yield printed, first
