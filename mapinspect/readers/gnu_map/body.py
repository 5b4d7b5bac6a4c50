"""Fills, data statements, symbols and assignments of the memory map, read when asked for."""

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator

from mapinspect.model.link_map import Assignment, DataStatement, Fill, MapSymbol
from mapinspect.readers.gnu_map.grammar import Grammar
from mapinspect.readers.gnu_map.lines import Lines

_COLUMN = 16  # of an address, in bytes
_SYMBOL_GAP = 16  # blanks between the address and a symbol
_LOCAL = b"(local) "


class Body:
    """The text from the map's heading to its end, and where each output section begins in it."""

    def __init__(
        self,
        text: bytes,
        bounds: tuple[int, int],
        section_offsets: "array[int]",
        lines: Lines,
        grammar: Grammar,
    ) -> None:
        self.text = text
        self.start, self.end = bounds
        self.section_offsets = section_offsets
        self.lines = lines
        self.grammar = grammar

    def fills(self) -> Iterator[Fill]:
        """Yield the padding that ld inserted, in print order."""
        for offset, line in self._matches("FILL"):
            _, address, size, *pattern = line.split()
            yield Fill(
                address=int(address, 16),
                size=int(size, 16),
                pattern=pattern[0].decode("ascii") if pattern else "",
                section=self._section(offset),
                line=self.lines.at(offset),
            )

    def data(self) -> Iterator[DataStatement]:
        """Yield what the linker script wrote byte by byte, in print order."""
        for offset, line in self._matches("DATA_STATEMENT"):
            address, size, keyword, text = line.split(None, 3)
            yield DataStatement(
                address=int(address, 16),
                size=int(size, 16),
                keyword=keyword.decode("ascii"),
                text=_decoded(text.rstrip(b"\n")),
                section=self._section(offset),
                line=self.lines.at(offset),
            )

    def symbols(self) -> Iterator[MapSymbol]:
        """Yield the symbols printed below input sections, in print order."""
        assignment = self.grammar.pattern("ASSIGNMENT_LIKE_SYMBOL")
        own_column = self._has_own_column(self._matches("ASSIGNMENT"))
        for offset, line in self._matches("ANY_SYMBOL"):
            if not own_column and assignment.match(line):
                continue
            address, text = line[_COLUMN:].rstrip(b"\n").split(None, 1)
            is_local = line[-len(text) - _SYMBOL_GAP - 1 : -len(text) - 1].strip() != b""
            yield MapSymbol(
                name=_decoded(text.removeprefix(_LOCAL) if is_local else text),
                address=int(address, 16),
                is_local=is_local,
                section=self._section(offset),
                line=self.lines.at(offset),
            )

    def assignments(self) -> Iterator[Assignment]:
        """Yield the assignments of the linker script, in print order."""
        found = list(self._matches("ASSIGNMENT"))
        if not self._has_own_column(found):
            found = sorted([*found, *self._matches("ASSIGNMENT_LIKE_SYMBOL")])
        for offset, line in found:
            value, text = _value_and_text(line)
            yield _assignment(value, text, self.lines.at(offset))

    def _has_own_column(self, assignments: Iterable[tuple[int, bytes]]) -> bool:
        """Return whether this map prints assignments further right than symbols."""
        return any(line[_COLUMN : _COLUMN + 2] == b"0x" for _, line in assignments)

    def _matches(self, terminal: str) -> Iterator[tuple[int, bytes]]:
        pattern = self.grammar.pattern(terminal, at_line_start=True)
        for match in pattern.finditer(self.text, self.start, self.end):
            yield match.start(), match[0]

    def _section(self, offset: int) -> int:
        return bisect_right(self.section_offsets, offset) - 1


def _value_and_text(line: bytes) -> tuple[int | None, str]:
    value, text = line[_COLUMN:].rstrip(b"\n").split(None, 1)
    digits = value.strip(b"[]")
    number = int(digits, 16) if digits.startswith(b"0x") else None
    return number, _decoded(text)


def _assignment(value: int | None, text: str, line: int) -> Assignment:
    if text.startswith("ASSERT ("):
        return Assignment("", value, text[len("ASSERT (") : -1], provided=False, line=line)
    provided = text.startswith("PROVIDE (")
    inner = text[len("PROVIDE (") : -1] if provided else text
    symbol, equals, expression = inner.partition(" = ")
    if not equals:  # ld 2.29 and older: PROVIDE (symbol, expression)
        symbol, _, expression = inner.partition(", ")
    return Assignment(symbol, value, expression, provided, line)


def _decoded(text: bytes) -> str:
    return text.decode("utf-8", "surrogateescape")
