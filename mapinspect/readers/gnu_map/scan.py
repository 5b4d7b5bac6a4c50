"""Cut a map into tokens: the runs of lines that the grammar's terminals claim.

Most lines of a map belong to rows: an input section and what ld prints below it. Where the
grammar expects rows, a chunk of text is split by the pattern of a row. The groups are the columns;
the pieces between them are what no row claimed, and those are cut one terminal at a time, as all
other blocks are. So every byte ends up in a row or in a token, by construction.
"""

import re
from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import compress
from typing import NamedTuple

from mapinspect.readers.gnu_map.automaton import Automaton
from mapinspect.readers.gnu_map.columns import STRIDE, Columns
from mapinspect.readers.gnu_map.grammar import Grammar

CHUNK = 64 * 1024  # bytes; larger chunks leave the processor's cache
UNKNOWN_LIMIT = 10_000  # lines; a file with more is no map of this linker

# No row spans a newline that is followed by a line of column 0 or 1.
_BETWEEN_ROWS = re.compile(rb"\n(?= ?[^ ])")

_NEWLINE = 0x0A

Progress = Callable[[int, int], None]


class Token(NamedTuple):
    """A run of lines: its terminal, where it stands, and how many rows precede it."""

    terminal: str
    start: int
    end: int
    row: int


class _NeedsCareError(Exception):
    """A row began inside a line, or one with a starred name was left: split line by line."""


class Scan:
    """One pass over a map's text; ``tokens`` and ``columns`` are its result.

    ``whole`` says whether the grammar allows the text to end where it does. A text with more
    unknown lines than a map can have is given up, and not whole.
    """

    def __init__(self, text: bytes, grammar: Grammar) -> None:
        self.text = text
        self.columns = Columns()
        self.tokens: list[Token] = []
        self._grammar = grammar
        self._automaton = Automaton(grammar)
        self.whole = False
        self._unknown = 0

    def run(self, progress: Progress | None = None) -> None:
        """Cut the whole text; ``progress`` is called with the bytes done and the bytes in all."""
        position = 0
        while position < len(self.text) and self._unknown <= UNKNOWN_LIMIT:
            if self._in_map():
                position = self._take_chunk(position)
                if progress is not None:
                    progress(position, len(self.text))
            else:
                token = self._token_at(position, len(self.columns))
                self._automaton.push(token.terminal)
                self._keep(token)
                position = token.end
        self.whole = self._unknown <= UNKNOWN_LIMIT and self._automaton.finish()

    def _token_at(self, start: int, row: int) -> Token:
        """Return the token that begins at ``start``, one that the automaton accepts."""
        accepts = self._automaton.accepts
        scanner = self._scanner if self._in_map() else self._grammar.scanner(accepts)
        match = scanner.match(self.text, start)
        if match is None or match.lastgroup not in accepts:
            match = self._grammar.pattern("UNKNOWN").match(self.text, start)
            if match is None or "UNKNOWN" not in accepts:
                raise AssertionError(f"no terminal claims the text at byte {start}")
            return Token("UNKNOWN", start, match.end(), row)
        return Token(match.lastgroup, start, match.end(), row)

    @cached_property
    def _scanner(self) -> re.Pattern[bytes]:
        """One pattern for all that may stand in the memory map, but for rows."""
        return self._grammar.scanner(self._grammar.accepted_around("ROW") - {"ROW"})

    def _keep(self, token: Token) -> None:
        self.tokens.append(token)
        self._unknown += token.terminal == "UNKNOWN"

    def _take_chunk(self, start: int) -> int:
        """Take rows and tokens from ``start`` up to about a chunk further; return where it ends."""
        cut = _BETWEEN_ROWS.search(self.text, start + CHUNK)
        end = cut.end() if cut else len(self.text)
        chunk = self.text[start:end]
        before = self._automaton.stack()
        try:
            parts = self._grammar.pattern("ROW").split(chunk)
            tokens = self._cut_pieces(parts, start, end, careful=False)
        except _NeedsCareError:
            self._automaton.restore(before)
            parts = self._grammar.pattern("ANY_ROW", at_line_start=True).split(chunk)
            tokens = self._cut_pieces(parts, start, end, careful=True)
        position = self._keep_all(parts, tokens, start, end)
        lines = chunk.count(b"\n")  # now, while the processor still has it at hand
        if position > end:
            lines += self.text.count(b"\n", end, position)
        elif position < end:
            lines -= self.text.count(b"\n", position, end)
        self.columns.chunk_lines.append(lines)
        return position

    def _cut_pieces(
        self, parts: list[bytes], start: int, end: int, *, careful: bool
    ) -> list[Token]:
        """Cut what no row claimed into tokens, and walk the automaton along."""
        tokens: list[Token] = []
        first, taken = len(self.columns), 0
        for row, piece_start, piece_end in self._pieces(parts[::STRIDE], start, end):
            if not careful and self.text[piece_end - 1] != _NEWLINE:
                raise _NeedsCareError
            if row > taken:
                self._automaton.push("ROW")
                taken = row
            for token in self._tokens_of(piece_start, piece_end, first + row):
                if token.terminal == "ANY_ROW" and not careful:
                    raise _NeedsCareError
                tokens.append(token)
            if not self._in_map():  # the tables after the map follow
                return tokens
        if len(parts) // STRIDE > taken:
            self._automaton.push("ROW")
        return tokens

    def _tokens_of(self, start: int, end: int, row: int) -> Iterator[Token]:
        """Yield the tokens of a piece; the last one of a chunk may reach beyond it."""
        while start < end:
            token = self._token_at(start, row)
            self._automaton.push(token.terminal)
            yield token
            if not self._in_map():
                return
            start = token.end

    def _in_map(self) -> bool:
        accepts = self._automaton.accepts
        return "ROW" in accepts or "OUTPUT_SECTION" in accepts

    def _keep_all(self, parts: list[bytes], tokens: list[Token], start: int, end: int) -> int:
        """Keep the rows and tokens of a chunk; return where the next one begins."""
        for token in tokens:
            self._keep(token)
        if not self._in_map():  # rows after the map's end would be none
            parts = parts[: STRIDE * (tokens[-1].row - len(self.columns)) + 1]
            end = tokens[-1].end
        self.columns.extend(start, parts)
        return max(end, tokens[-1].end) if tokens else end

    def _pieces(self, pieces: list[bytes], start: int, end: int) -> Iterator[tuple[int, int, int]]:
        """Yield each piece that is not empty: the rows before it in the chunk, start, end.

        A piece begins a line, and no line of a row is equal to the first line of a piece.
        """
        position = start
        for row in compress(range(len(pieces)), pieces):
            piece = pieces[row]
            if row:
                position = self.text.find(b"\n" + piece, position - 1, end) + 1
            yield row, position, position + len(piece)
            position += len(piece)
