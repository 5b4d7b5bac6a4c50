"""Where the main stack starts: what an M-profile core loads at reset, else what a label says.

Source: Armv7-M Architecture Reference Manual, B1.5.3 (the vector table's first word is the stack
pointer, its second the reset handler, whose lowest bit is set), and B3.2.5 (VTOR: where a table
may begin).
"""

import re
from collections.abc import Iterator
from typing import Final

from mapinspect.analysis.reservations.layout import Layout
from mapinspect.analysis.reservations.names import STACK_TOPS
from mapinspect.analysis.reservations.stack_top import behind
from mapinspect.model.elf_file import ElfFile, ElfSection
from mapinspect.model.habits import StackStart
from mapinspect.model.image import Evidence, Span
from mapinspect.model.part import Part

_TABLE_ALIGNMENT = 128  # bytes; bits 6:0 of VTOR are no part of the address
# Names of vector tables, without dots and underscores in lower case.
_TABLE = re.compile(r"(gpfn|isr|interrupt|exception|int|nvic)?(vectors?|vecs?|vectortable)")


def stack_start(elf: ElfFile | None, layout: Layout, part: Part | None) -> StackStart | None:
    """Return where the main stack starts, and what memory has the byte below."""
    loaded = None if elf is None else _loaded_at_reset(elf)
    label = layout.label(STACK_TOPS)
    if loaded is not None:
        address, evidence = loaded
    elif label is not None:
        address, evidence = labelled_start(layout, label.value), label.evidence
    else:
        return None
    first = Span(address - 1, 1)
    regions = tuple(item.name for item in layout.regions if item.span.contains(first))
    bank = part.bank_of(first) if part is not None else None
    return StackStart(address, regions, bank.name if bank else None, evidence, loaded is not None)


def labelled_start(layout: Layout, top: int) -> int:
    """Return the address behind a stack whose top a label names; RAM is where sections are."""
    data = min((item.span.start for item in layout.sections if item.writable), default=0)
    return behind(top, data)


def _loaded_at_reset(elf: ElfFile) -> tuple[int, Evidence] | None:
    """Return the first word of the vector table: of several, the one that starts this image."""
    if not elf.is_m_profile:
        return None
    order: Final = "little" if elf.little_endian else "big"
    found = []
    for name, section, address in _tables(elf):
        if address % _TABLE_ALIGNMENT:
            continue  # a variable that is called so
        start = address - section.vma
        stored = elf.contents(section)[start : start + 8]
        pointer, reset = (int.from_bytes(stored[at : at + 4], order) for at in (0, 4))
        if len(stored) == 8 and _is_code(elf, reset) and 0 < pointer < 0xFFFF_FFFF:
            text = f"the first word of {name} is {pointer:#x}"
            found.append((reset | 1 != elf.entry | 1, address, pointer, text))
    if not found:
        return None
    _, _, pointer, text = min(found)
    return pointer, Evidence(elf.path, None, text)


def _tables(elf: ElfFile) -> Iterator[tuple[str, ElfSection, int]]:
    """Yield what may be a vector table by its name: symbols and whole sections."""
    for section in elf.sections:
        if section.allocated and section.has_contents and _is_named(section.name):
            yield section.name, section, section.vma
    for ordinal, name in enumerate(elf.symbols.names()):
        if "vec" in name.lower() and _is_named(name):
            symbol = elf.symbols[ordinal]
            if symbol.section is not None and elf.sections[symbol.section].has_contents:
                yield name, elf.sections[symbol.section], symbol.address


def _is_named(name: str) -> bool:
    return _TABLE.fullmatch(name.replace("_", "").replace(".", "").lower()) is not None


def _is_code(elf: ElfFile, handler: int) -> bool:
    """Return whether a word can be the reset handler: Thumb code of this image."""
    return handler % 2 == 1 and any(
        section.executable and section.vma <= handler < section.vma + section.size
        for section in elf.sections
    )
