"""The tables around the memory map: archive members, common symbols, regions, cross references."""

from collections.abc import Callable, Iterator

from mapinspect.model.link_map import (
    ArchiveMember,
    CommonSymbol,
    CrossReference,
    DiscardedSection,
    MapRegion,
    ObjectFile,
)
from mapinspect.readers.gnu_map.grammar import Grammar
from mapinspect.readers.gnu_map.lines import Lines
from mapinspect.readers.gnu_map.scan import Token

_FILE_COLUMN = 50  # binutils ld/ldcref.c, FILECOL

ObjectOf = Callable[[str], ObjectFile]


class Tables:
    """Reads the rows of the tables that tokens of a map claim."""

    def __init__(self, text: bytes, grammar: Grammar, lines: Lines, object_of: ObjectOf) -> None:
        self._text = text
        self._grammar = grammar
        self._lines = lines
        self._object_of = object_of

    def region(self, token: Token) -> MapRegion:
        """Return a row of the memory table."""
        match = self._grammar.pattern("REGION").match(self._text, token.start)
        if match is None:
            raise AssertionError(f"no region at byte {token.start}")
        name, origin, length, attributes = match.groups()
        return MapRegion(
            name=_decoded(name),
            origin=int(origin, 16),
            length=int(length, 16),
            attributes=_decoded(attributes or b"").rstrip(),
            line=self._lines.at(token.start),
        )

    def inclusions(self, token: Token) -> Iterator[ArchiveMember]:
        """Yield the rows of the table of archive members, or of as-needed libraries."""
        for match in self._grammar.pattern("INCLUSION", at_line_start=True).finditer(
            self._text, token.start, token.end
        ):
            requester, symbol = _requester_and_symbol(_decoded(match[2]))
            member = self._object_of(_decoded(match[1]).rstrip())
            yield ArchiveMember(member, requester, symbol, self._lines.at(match.start()))

    def commons(self, token: Token) -> Iterator[CommonSymbol]:
        """Yield the rows of the table of common symbols."""
        for match in self._grammar.pattern("COMMON_SYMBOL", at_line_start=True).finditer(
            self._text, token.start, token.end
        ):
            name, size, owner = match.groups()
            yield CommonSymbol(
                name=_decoded(name).rstrip(),
                size=int(size, 16),
                owner=self._object_of(_decoded(owner)),
                line=self._lines.at(match.start()),
            )

    def discarded(self, token: Token) -> Iterator[DiscardedSection]:
        """Yield the input sections that ld did not link."""
        for match in self._grammar.pattern("ANY_SECTION", at_line_start=True).finditer(
            self._text, token.start, token.end
        ):
            name = self._text[match.start() + 1 : match.start(1) - 2]
            yield DiscardedSection(
                name=_decoded(name).rstrip(),
                size=int(match[2], 16),
                owner=self._object_of(_decoded(match[3])),
                line=self._lines.at(match.start()),
            )

    def discarded_sizes(self, token: Token) -> Iterator[int]:
        """Yield the size of each input section that ld did not link."""
        pattern = self._grammar.pattern("ANY_SECTION", at_line_start=True)
        for _, size, _ in pattern.findall(self._text, token.start, token.end):
            yield int(size, 16)

    def cross_references(self, token: Token) -> Iterator[CrossReference]:
        """Yield the symbols of the cross reference table with their files."""
        symbol, files, line = "", list[str](), self._lines.at(token.start)
        for number, raw in enumerate(self._text[token.start : token.end].split(b"\n")):
            if raw[:1] != b" " and files:
                yield CrossReference(symbol, tuple(files), line)
                files.clear()
            name, file = _symbol_and_file(raw)
            if not file:
                continue
            if name:
                symbol, line = name, self._lines.at(token.start) + number
            files.append(file)
        if files:
            yield CrossReference(symbol, tuple(files), line)


def _symbol_and_file(row: bytes) -> tuple[str, str]:
    """Split a row at column 50; a name that reaches it ends at the last blank."""
    name, file = row[:_FILE_COLUMN], row[_FILE_COLUMN:]
    if name[-1:] != b" ":
        name, _, file = row.rpartition(b" ")
    return _decoded(name).rstrip(), _decoded(file)


def _requester_and_symbol(text: str) -> tuple[str | None, str]:
    """Split ``FILE (SYMBOL)`` at the parenthesis that balances the last one."""
    depth = 0
    for position in range(len(text) - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(text[position], 0)
        if depth == 0:
            return text[:position].rstrip() or None, text[position + 1 : -1]
    return None, text


def _decoded(text: bytes) -> str:
    return text.decode("utf-8", "surrogateescape")
