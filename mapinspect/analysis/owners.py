"""Map rows + placements → who owns each byte of each region."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from re import compile as pattern

from mapinspect.model.elf_file import ElfFile
from mapinspect.model.image import Role, Span
from mapinspect.model.inspection import PlacedSection, Placement, Usage
from mapinspect.model.link_map import (
    DataStatement,
    Fill,
    InputSection,
    LinkMap,
    MapSection,
    ObjectFile,
)
from mapinspect.model.owner import OwnerKind, OwnerRow
from mapinspect.model.reservation import Reservation

# What gcc and clang call sections of contents that ld may merge: ".rodata.str1.4", ".rodata.cst8".
MERGED = pattern(r"\.(?:str|cst)\d")
_NOWHERE = Span(0, 0)
STUBS = "linker stubs"  # the pseudo file of veneers
# Sections that ld writes itself; the map gives them to the first object of the link (binutils
# bfd/elflink.c, _bfd_elf_link_create_dynamic_sections and elf_link_input_bfd's dynobj).
_LINKER_CREATED = pattern(
    r"\.(?:i?got(?:\..*)?|i?plt(?:\..*)?|rela?\.(?:dyn|plt|iplt|got|bss|data\.rel\.ro)|dyn(?:amic|sym|str|bss)"
    r"|interp|(?:gnu\.)?hash|gnu\.version(?:_[dr])?|eh_frame_hdr|note\.gnu\.(?:build-id|property)"
    r"|glue_7t?|v4_bx|vfp11_veneer|stm32l4xx_veneer|trampolines)$"
)


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of bytes inside one output section; ``start`` is its run-time address."""

    kind: OwnerKind
    start: int
    size: int
    name: str
    owner: ObjectFile | None
    line: int | None

    @property
    def end(self) -> int:
        """Return the first address past the piece."""
        return self.start + self.size


class Pieces:
    """What lies inside the sections of an image, by its map; without a map, nothing is known.

    ``kept`` are the stacks and heaps that the script keeps room for, which a map shows as fills.
    """

    def __init__(
        self, link_map: LinkMap | None, bits: int = 32, kept: Iterable[Reservation] = ()
    ) -> None:
        self._map = link_map
        self._kept = [(f"{item.kind} {item.name}", item.span) for item in kept if item.span]
        self._mask = (1 << bits) - 1
        self._printed: dict[tuple[str, int], list[MapSection]] = defaultdict(list)
        self._loose: dict[int, list[Fill | DataStatement]] = defaultdict(list)
        self._known: dict[int, tuple[Piece, ...]] = {}
        self._starts: dict[int, list[int]] = {}
        for section in link_map.sections if link_map is not None else ():
            if section.vma is not None and section.size:
                self._printed[section.name, section.vma & self._mask].append(section)
        loose: list[Fill | DataStatement] = []
        if link_map is not None:
            loose = [*link_map.fills, *link_map.data]
        for row in loose:
            self._loose[row.section].append(row)

    def printed(self, section: PlacedSection) -> MapSection | None:
        """Return the section as the map prints it: same name, address and size."""
        candidates = self._printed.get((section.name, section.vma & self._mask), ())
        return next((item for item in candidates if item.size == section.size), None)

    def of(self, section: PlacedSection) -> tuple[Piece, ...]:
        """Return the pieces of a section in address order; together they are the section."""
        if section.ordinal not in self._known:
            pieces = (part for piece in self._read(section) for part in self._reserved(piece))
            self._known[section.ordinal] = tuple(pieces)
        return self._known[section.ordinal]

    def at(self, section: PlacedSection, address: int) -> Piece | None:
        """Return the piece of a section that holds the byte at ``address``."""
        pieces = self.of(section)
        if section.ordinal not in self._starts:
            self._starts[section.ordinal] = [piece.start for piece in pieces]
        found = bisect_right(self._starts[section.ordinal], address) - 1
        return pieces[found] if found >= 0 and address < pieces[found].end else None

    def _read(self, section: PlacedSection) -> Iterator[Piece]:
        printed = self.printed(section)
        if printed is None or self._map is None:
            yield Piece(OwnerKind.SECTION, section.vma, section.size, section.name, None, None)
            return
        position, end = section.vma, section.vma + section.size
        unprinted = self._map.inputs.totals(printed.ordinal).unprinted
        for piece in self._rows(printed):
            start = max(piece.start, position)
            size = min(piece.end, end) - start
            if size <= 0:
                continue
            hole = start - position
            if hole:
                yield _hole(position, hole, printed, unprinted)
                unprinted -= hole
            whole = start == piece.start and size == piece.size
            yield piece if whole else replace(piece, start=start, size=size)
            position = start + size
        if position < end:
            yield _hole(position, end - position, printed, unprinted)

    def _reserved(self, piece: Piece) -> Iterator[Piece]:
        """Yield the parts of a piece: of a fill, what is kept for a stack or heap is apart."""
        if piece.kind is not OwnerKind.FILL:
            yield piece
            return
        position = piece.start
        for name, span in self._kept:
            start, end = max(span.start, position), min(span.end, piece.end)
            if start < end:
                if position < start:
                    yield replace(piece, start=position, size=start - position)
                reserved = replace(piece, start=start, size=end - start, name=name)
                yield replace(reserved, kind=OwnerKind.RESERVED)
                position = end
        if position < piece.end:
            yield replace(piece, start=position, size=piece.end - position)

    def _rows(self, printed: MapSection) -> list[Piece]:
        assert self._map is not None
        rows = [
            self._input(row) for row in self._map.inputs.of_section(printed.ordinal) if row.occupied
        ]
        rows += [self._statement(row) for row in self._loose.get(printed.ordinal, ()) if row.size]
        rows.sort(key=lambda piece: piece.start)
        return rows

    def _input(self, row: InputSection) -> Piece:
        start = row.address & self._mask
        return Piece(_kind(row), start, row.occupied, row.name, row.owner, row.line)

    def _statement(self, row: Fill | DataStatement) -> Piece:
        if isinstance(row, Fill):
            kind, name = OwnerKind.FILL, "*fill*"
        else:
            kind, name = OwnerKind.DATA, row.keyword
        return Piece(kind, row.address & self._mask, row.size, name, None, row.line)


def _kind(row: InputSection) -> OwnerKind:
    if row.owner.path == STUBS:
        return OwnerKind.STUB
    generated = row.owner.path.endswith((" generated", " generated)"))
    if generated or _LINKER_CREATED.match(row.name):
        return OwnerKind.LINKER
    return OwnerKind.MERGED if MERGED.search(row.name) else OwnerKind.INPUT


def _hole(start: int, size: int, printed: MapSection, unprinted: int) -> Piece:
    """Return the owner of bytes without a line: ld, where it puts some by rule."""
    by_rule = size <= unprinted or _LINKER_CREATED.match(printed.name)
    kind = OwnerKind.LINKER if by_rule else OwnerKind.UNEXPLAINED
    return Piece(kind, start, size, "", None, printed.line)


def pieces_of(
    elf: ElfFile | None, link_map: LinkMap | None, kept: Iterable[Reservation] = ()
) -> Pieces:
    """Return what the map says lies inside the image's sections."""
    by_start = sorted((item for item in kept if item.span), key=lambda item: item.span or _NOWHERE)
    return Pieces(link_map, elf.bits if elf is not None else 32, by_start)


def owner_rows(usages: Iterable[Usage], pieces: Pieces) -> Iterator[OwnerRow]:
    """Yield every byte of every region once, by region and address; rows add up to ``used``.

    Where sections share addresses, as overlays do, the first one owns the bytes they share.
    """
    for usage in usages:
        yield from _region_rows(usage, pieces)


def _region_rows(usage: Usage, pieces: Pieces) -> Iterator[OwnerRow]:
    region = usage.region.name
    position = usage.region.span.start
    for placement in usage.placements:
        hole = placement.span.start - position
        if hole > 0:
            padding = hole < placement.section.alignment
            kind = OwnerKind.PADDING if padding else OwnerKind.GAP
            span = Span(position, hole)
            yield OwnerRow(kind, region, Role.RUN, span, "", "", None, None)
            position = placement.span.start
        if placement.span.end > position:
            yield from _placement_rows(region, placement, pieces, position)
            position = placement.span.end


def _placement_rows(
    region: str, placement: Placement, pieces: Pieces, position: int
) -> Iterator[OwnerRow]:
    """Yield the rows of a placement from ``position`` on."""
    section, role = placement.section, placement.role
    shift = placement.span.start - section.vma
    for piece in pieces.of(section):
        start = max(piece.start + shift, position)
        size = piece.end + shift - start
        if size > 0:
            span = Span(start, size)
            yield OwnerRow(
                piece.kind, region, role, span, section.name, piece.name, piece.owner, piece.line
            )
