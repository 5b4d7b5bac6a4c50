"""The input sections of a map: columns that hand out records, and their sums."""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from mapinspect.model.link_map import InputSection, MapSection, ObjectFile, SectionTotals
from mapinspect.readers.gnu_map.columns import Columns
from mapinspect.readers.gnu_map.grammar import Grammar
from mapinspect.readers.gnu_map.lines import Lines
from mapinspect.readers.gnu_map.merging import Line, occupied_bytes
from mapinspect.readers.gnu_map.owners import LINKER_STUBS

_ADDRESS_COLUMN = 16


class MapRows:
    """Implements ``InputRows`` over the columns of a map.

    ``first_rows`` holds, per output section, the ordinal of its first row; ``loose`` the bytes of
    fills and of data statements per output section that no row's pattern took along. The map's
    body ends at ``end``.
    """

    def __init__(
        self,
        *,
        text: bytes,
        columns: Columns,
        grammar: Grammar,
        lines: Lines,
        owners: Sequence[ObjectFile],
        sections: Sequence[MapSection],
        section_offsets: "array[int]",
        first_rows: "array[int]",
        end: int,
        loose: Sequence[tuple[int, int]],
    ) -> None:
        self._text = text
        self._grammar = grammar
        self._columns = columns
        self._lines = lines
        self._owners = owners
        self._sections = sections
        self._section_offsets = section_offsets
        self._first_rows = first_rows
        self._end = end
        self._loose = loose
        self._occupied: dict[int, tuple[Sequence[int], SectionTotals]] = {}
        self._chunk = lru_cache(maxsize=2)(self._read_chunk)

    def __len__(self) -> int:
        """Return how many rows there are."""
        return len(self._columns)

    def __getitem__(self, ordinal: int) -> InputSection:
        """Return one row; its name and line are read again from the text."""
        if not 0 <= ordinal < len(self):
            raise IndexError(ordinal)
        section = bisect_right(self._first_rows, ordinal) - 1
        return self._row(ordinal, section)

    def of_section(self, section: int) -> Iterator[InputSection]:
        """Yield the rows of one output section, by its ordinal, in address order."""
        first, last = self._range(section)
        addresses = self._columns.addresses[first:last]
        ordinals: Iterable[int] = range(first, last)
        if any(map(int.__gt__, addresses, addresses[1:])):
            ordinals = sorted(ordinals, key=self._columns.addresses.__getitem__)
        for ordinal in ordinals:
            yield self._row(ordinal, section)

    def extents(self, section: int) -> tuple[Sequence[int], Sequence[int]]:
        """Return the columns of addresses and occupied bytes of one section, in print order."""
        first, last = self._range(section)
        return self._columns.addresses[first:last], self._judged(section)[0]

    def totals(self, section: int) -> SectionTotals:
        """Return the sums of one output section, by its ordinal."""
        return self._judged(section)[1]

    def occupied_by_owner(self, sections: Iterable[int]) -> dict[ObjectFile, int]:
        """Return the bytes that each object occupies in the given output sections."""
        by_number = [0] * len(self._owners)
        seen: set[int] = set()
        for section in sections:
            first, last = self._range(section)
            numbers = self._columns.owners[first:last]
            for number, size in zip(numbers, self._judged(section)[0], strict=True):
                by_number[number] += size
            seen.update(numbers)
        totals: dict[ObjectFile, int] = {}
        for number in sorted(seen):
            owner = self._owners[number]
            totals[owner] = totals.get(owner, 0) + by_number[number]
        return totals

    def _range(self, section: int) -> tuple[int, int]:
        after = section + 1
        last = self._first_rows[after] if after < len(self._first_rows) else len(self)
        return self._first_rows[section], last

    def _row(self, ordinal: int, section: int) -> InputSection:
        columns = self._columns
        chunk = bisect_right(columns.chunk_rows, ordinal) - 1
        name, line = self._chunk(chunk)[ordinal - columns.chunk_rows[chunk]]
        return InputSection(
            ordinal=ordinal,
            name=name,
            address=columns.addresses[ordinal],
            size=columns.sizes[ordinal],
            occupied=self._judged(section)[0][ordinal - self._first_rows[section]],
            owner=self._owners[columns.owners[ordinal]],
            section=section,
            line=line,
        )

    def _read_chunk(self, chunk: int) -> list[tuple[str, int]]:
        """Return name and line of each row of a chunk."""
        columns = self._columns
        last_chunk = chunk + 1 == len(columns.chunk_offsets)
        start = columns.chunk_offsets[chunk]
        end = len(self._text) if last_chunk else columns.chunk_offsets[chunk + 1]
        count = (len(self) if last_chunk else columns.chunk_rows[chunk + 1]) - columns.chunk_rows[
            chunk
        ]
        rows: list[tuple[str, int]] = []
        any_row = self._grammar.pattern("ANY_ROW", at_line_start=True)
        while len(rows) < count:
            match = any_row.search(self._text, start, end)
            if match is None:  # the columns were filled from the same text
                raise AssertionError(f"chunk {chunk} of the map has fewer than {count} rows")
            name = self._text[match.start() + 1 : match.start(1) - 2].rstrip(b" \n")
            rows.append((name.decode("utf-8", "surrogateescape"), self._lines.at(match.start())))
            start = match.end()
        return rows

    def _judged(self, section: int) -> tuple[Sequence[int], SectionTotals]:
        """Return what each row of a section occupies, and the section's sums."""
        if section not in self._occupied:
            self._occupied[section] = self._judge(section)
        return self._occupied[section]

    def _judge(self, section: int) -> tuple[Sequence[int], SectionTotals]:
        first, last = self._range(section)
        columns = self._columns
        sizes = columns.sizes[first:last]
        printed = sum(sizes)
        fills_from = bisect_left(columns.fill_rows, first)
        fills_to = bisect_left(columns.fill_rows, last)
        loose_fills, data = self._loose[section]
        fills = sum(columns.fill_sizes[fills_from:fills_to]) + loose_fills
        plain = SectionTotals(printed, printed, fills, data, unprinted=0)
        header = self._sections[section]
        if header.size is None:  # ld dropped the section: nothing may stand in it
            return sizes, plain
        if plain.found == header.size and self._all_inside(header, first, last):
            return sizes, plain
        occupied, unprinted = occupied_bytes(header, list(self._section_lines(section)))
        return occupied, SectionTotals(printed, sum(occupied), fills, data, unprinted)

    def _all_inside(self, header: MapSection, first: int, last: int) -> bool:
        """Return whether the rows plainly lie within the section that is printed above them."""
        if first == last or header.vma is None or header.size is None:
            return True
        addresses = self._columns.addresses[first:last]
        end = header.vma + header.size
        last_end = addresses[-1] + self._columns.sizes[last - 1]
        return min(addresses) >= header.vma and max(addresses) <= end and last_end <= end

    def _section_lines(self, section: int) -> Iterator[Line]:
        """Yield every line of an output section that takes up bytes, in print order."""
        after = section + 1
        last = after == len(self._section_offsets)
        end = self._end if last else self._section_offsets[after]
        start = self._section_offsets[section]
        sized = self._grammar.line_pattern("ANY_SECTION", "FILL", "DATA_STATEMENT")
        for match in sized.finditer(self._text, start, end):
            text = match[0].rstrip(b"\n")
            if match.lastgroup == "ANY_SECTION":
                name, _, rest = text[1:].partition(b"\n")
                if not rest:
                    name, rest = text[1:_ADDRESS_COLUMN], text[_ADDRESS_COLUMN:]
                address, size, owner = rest.split(None, 2)
                yield Line(
                    address=int(address, 16),
                    size=int(size, 16),
                    name=name.rstrip().decode("utf-8", "surrogateescape"),
                    is_input=True,
                    is_stub=owner == LINKER_STUBS.encode(),
                )
            else:
                address, size = text[_ADDRESS_COLUMN:].split(None, 2)[:2]
                yield Line(int(address, 16), int(size, 16))
