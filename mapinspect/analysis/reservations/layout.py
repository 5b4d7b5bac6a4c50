"""What the conventions look at: labels, sections and variables, from an ELF, a map or both."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from mapinspect.model.elf_file import ElfFile, ElfSection, ElfSymbol, SymbolKind
from mapinspect.model.image import Evidence, Region, Span

_POINTER_TO_LABEL = "g_idle_topstack"  # NuttX keeps the label's value in a constant


@dataclass(frozen=True, slots=True)
class Label:
    """A name with a value: an address, or the size that a linker script names.

    ``absolute`` is False for what lies in a section, which is no size; None where a map does
    not say.
    """

    name: str
    value: int
    evidence: Evidence
    absolute: bool | None = None


@dataclass(frozen=True, slots=True)
class Block:
    """Named bytes: an output section or a variable.

    ``counted`` says whether they take up memory: a section that is only measured
    (``(COPY)``, ``(INFO)``) does not. ``writable`` is None where that is not known.
    """

    name: str
    span: Span
    evidence: Evidence
    counted: bool = True
    writable: bool | None = None


@dataclass(frozen=True, slots=True)
class Layout:
    """One image as the conventions see it; any part may be empty.

    ``objects`` are the variables, code and constants with a size in memory that can be written.
    ``regions`` may be empty: then no figure is checked against them.
    """

    labels: Mapping[str, Label]
    sections: tuple[Block, ...]
    objects: tuple[Block, ...]
    regions: tuple[Region, ...] = field(default=())

    def constants(self) -> dict[str, Label]:
        """Return the labels that can be sizes, by name without underscores in lower case."""
        return {
            name.replace("_", "").lower(): label
            for name, label in self.labels.items()
            if label.absolute is not False and "size" in name.lower()
        }

    def label(self, names: tuple[str, ...]) -> Label | None:
        """Return the first of these names that has a value."""
        return next((self.labels[name] for name in names if name in self.labels), None)

    def region_of(self, span: Span) -> Region | None:
        """Return the region that holds a span whole."""
        return next((region for region in self.regions if region.span.contains(span)), None)

    def section(self, name: str) -> Block | None:
        """Return the first section of this name that has bytes."""
        return next((item for item in self.sections if item.name == name and item.span.size), None)


def joined(first: Layout, second: Layout) -> Layout:
    """Return both layouts of one image; where both know something, ``first`` is believed."""
    known = {section.name for section in first.sections}
    return Layout(
        {**second.labels, **first.labels},
        first.sections + tuple(item for item in second.sections if item.name not in known),
        first.objects or second.objects,
        first.regions or second.regions,
    )


def layout_of_elf(elf: ElfFile, regions: tuple[Region, ...] = ()) -> Layout:
    """Return the layout that symbols and sections of an ELF give."""
    by_ordinal = {section.ordinal: section for section in elf.sections}
    labels: dict[str, Label] = {}
    objects: list[Block] = []
    for symbol in elf.symbols:
        value = _pointed_to(elf, symbol, by_ordinal)
        text = f"{symbol.name} = {value:#x}"
        if symbol.is_global or symbol.name not in labels:
            place = Evidence(elf.path, None, text)
            labels[symbol.name] = Label(symbol.name, value, place, symbol.absolute)
        if _is_variable(symbol, by_ordinal):
            text = f"{symbol.name} at {symbol.address:#x}, {symbol.size} bytes"
            span = Span(symbol.address, symbol.size)
            place = Evidence(elf.path, None, text)
            objects.append(Block(symbol.name, span, place, writable=True))
    return Layout(labels, tuple(_sections(elf)), tuple(objects), regions)


def _sections(elf: ElfFile) -> Iterator[Block]:
    for section in elf.sections:
        if section.allocated and not section.thread_local:
            counted = True
        elif section.vma and section.size and section.kind in ("PROGBITS", "NOBITS"):
            counted = False  # measured only: ld gives it an address and no memory
        else:
            continue
        text = f"{section.name} at {section.vma:#x}, {section.size} bytes"
        place = Evidence(elf.path, None, text)
        span = Span(section.vma, section.size)
        yield Block(section.name, span, place, counted, section.writable)


def _is_variable(symbol: ElfSymbol, sections: Mapping[int, ElfSection]) -> bool:
    if not symbol.size or symbol.kind not in (SymbolKind.OBJECT, SymbolKind.NOTYPE):
        return False
    section = sections.get(-1 if symbol.section is None else symbol.section)
    return section is not None and section.allocated and section.writable


def _pointed_to(elf: ElfFile, symbol: ElfSymbol, sections: Mapping[int, ElfSection]) -> int:
    """Return a symbol's value, or for NuttX's constant the label that it holds."""
    if symbol.name != _POINTER_TO_LABEL or symbol.size not in (4, 8) or symbol.section is None:
        return symbol.address
    section = sections.get(symbol.section)
    if section is None or not section.has_contents:
        return symbol.address
    start = symbol.address - section.vma
    stored = elf.contents(section)[start : start + symbol.size]
    return int.from_bytes(stored, "little" if elf.little_endian else "big")
