"""What the conventions look at: labels, sections and variables, from an ELF, a map or both."""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from mapinspect.analysis.reservations.names import speaks
from mapinspect.analysis.usage import union
from mapinspect.model.elf_file import ElfFile, ElfSymbol, SymbolKind
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

    ``writable`` is None where that is not known. ``counted`` says whether they take up memory:
    a section that is only measured (``(COPY)``, ``(INFO)``) does not.
    """

    name: str
    span: Span
    evidence: Evidence
    writable: bool | None = None
    counted: bool = True


class Variables:
    """Named bytes in memory that can be written, as columns: an image has many, few matter.

    ``code`` are the ordinals that are functions or constants; ``lines`` where the file has lines.
    """

    def __init__(
        self,
        file: str,
        names: Sequence[str],
        starts: Sequence[int],
        sizes: Sequence[int],
        *,
        lines: Sequence[int] = (),
        code: frozenset[int] = frozenset(),
    ) -> None:
        self._file = file
        self._names, self._starts, self._sizes = names, starts, sizes
        self._lines, self._code = lines, code

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._names)

    def __getitem__(self, ordinal: int) -> Block:
        """Return one of them."""
        name, span = self._names[ordinal], Span(self._starts[ordinal], self._sizes[ordinal])
        line = self._lines[ordinal] if self._lines else None
        text = f"{name} at {span.start:#x}, {span.size} bytes"
        return Block(name, span, Evidence(self._file, line, text), ordinal not in self._code)

    @cached_property
    def speaking(self) -> list[Block]:
        """The variables, no code, whose names can speak of a stack or heap, by address."""
        chosen = [
            at for at, name in enumerate(self._names) if at not in self._code and speaks(name)
        ]
        return sorted((self[at] for at in chosen), key=lambda block: block.span)

    def below(self, address: int, without: Sequence[Span]) -> Block | None:
        """Return the one that ends nearest below ``address``, in none of the spans ``without``.

        Of several that end together, the smallest.
        """
        at = bisect_right(self._ends, address)
        while at:
            at -= 1
            block = self[self._order[at]]
            if not any(span.contains(block.span) for span in without):
                return block
        return None

    def holding(self, address: int) -> Iterator[Block]:
        """Yield the variables that hold the byte at ``address``; looks at every one."""
        for at, start in enumerate(self._starts):
            if start <= address < start + self._sizes[at] and at not in self._code:
                yield self[at]

    @cached_property
    def _order(self) -> list[int]:
        # One number sorts faster than a pair: the end, then the size downwards.
        keys = [
            (start + size << 64) - size
            for start, size in zip(self._starts, self._sizes, strict=True)
        ]
        return sorted(range(len(keys)), key=keys.__getitem__)

    @cached_property
    def _ends(self) -> list[int]:
        return [self._starts[at] + self._sizes[at] for at in self._order]


@dataclass(frozen=True, slots=True)
class Layout:
    """One image as the conventions see it; any part may be empty.

    ``labels`` are the names that can speak of a stack or heap, ``values`` the values of all
    labels, ``objects`` the variables. ``regions`` may be empty: then no figure is checked
    against them.
    """

    labels: Mapping[str, Label]
    values: Sequence[int]
    sections: tuple[Block, ...]
    objects: Variables
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

    def is_ram(self, region: Region) -> bool:
        """Return whether a region can be written: by its attributes, else by what lies there."""
        if region.attributes:
            return "w" in region.attributes.split("!")[0]
        return any(
            item.writable and region.span.contains(item.span)
            for item in self.sections
            if item.counted
        )

    def section(self, name: str) -> Block | None:
        """Return the first section of this name that has bytes."""
        return next((item for item in self.sections if item.name == name and item.span.size), None)


def joined(first: Layout, second: Layout) -> Layout:
    """Return both layouts of one image; where both know something, ``first`` is believed."""
    known = {section.name for section in first.sections}
    return Layout(
        {**second.labels, **first.labels},
        [*first.values, *second.values],
        first.sections + tuple(item for item in second.sections if item.name not in known),
        first.objects if len(first.objects) else second.objects,
        first.regions or second.regions,
    )


def layout_of_elf(elf: ElfFile, regions: tuple[Region, ...] = ()) -> Layout:
    """Return the layout that symbols and sections of an ELF give."""
    labels: dict[str, Label] = {}
    for ordinal, name in enumerate(elf.symbols.names()):
        if not speaks(name):
            continue
        symbol = elf.symbols[ordinal]
        if symbol.is_global or name not in labels:
            value = _pointed_to(elf, symbol)
            place = Evidence(elf.path, None, f"{name} = {value:#x}")
            labels[name] = Label(name, value, place, symbol.absolute)
    sections = tuple(_sections(elf))
    return Layout(labels, elf.symbols.addresses(), sections, _variables(elf, sections), regions)


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
        yield Block(section.name, span, place, section.writable, counted)


def _variables(elf: ElfFile, sections: tuple[Block, ...]) -> Variables:
    """Return the symbols with a size in sections that can be written."""
    spans = union(item.span for item in sections if item.counted and item.writable)
    names, starts, sizes = elf.symbols.names(), elf.symbols.addresses(), elf.symbols.sizes()
    chosen = [
        ordinal
        for span in spans
        for ordinal, start in enumerate(starts)
        if span.start <= start < span.end and sizes[ordinal]
    ]
    return Variables(
        elf.path,
        [names[at] for at in chosen],
        [starts[at] for at in chosen],
        [sizes[at] for at in chosen],
        code=frozenset(
            position
            for position, at in enumerate(chosen)
            if speaks(names[at]) and not _is_variable(elf.symbols[at])
        ),
    )


def _is_variable(symbol: ElfSymbol) -> bool:
    return symbol.kind in (SymbolKind.OBJECT, SymbolKind.NOTYPE) and symbol.has_address


def _pointed_to(elf: ElfFile, symbol: ElfSymbol) -> int:
    """Return a symbol's value, or for NuttX's constant the label that it holds."""
    if symbol.name != _POINTER_TO_LABEL or symbol.size not in (4, 8) or symbol.section is None:
        return symbol.address
    section = elf.sections[symbol.section]
    if not section.has_contents:
        return symbol.address
    start = symbol.address - section.vma
    stored = elf.contents(section)[start : start + symbol.size]
    return int.from_bytes(stored, "little" if elf.little_endian else "big")
