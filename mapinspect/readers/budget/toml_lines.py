"""Where each key of a TOML document stands; the standard parser forgets it.

Only well-formed documents come here (``tomllib`` has accepted them), so it is enough to follow
headers, keys, brackets and commas; strings and comments are skipped whole.
"""

import re
import tomllib
from dataclasses import dataclass
from enum import Enum
from typing import Final

Path = tuple[str | int, ...]

_TOKEN: Final = re.compile(
    r'(?P<skip>"""(?:[^"\\]++|\\.|"(?!""))*+"""(?:"{0,2})'
    r"|'''.*?'''(?:'{0,2})"
    r"|\#[^\n]*)"
    r"""|(?P<word>"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[^\s\[\]{}=,.\#"']+)"""
    r"|(?P<mark>[\[\]{}=,\n])",
    re.DOTALL,
)


def key_lines(document: str) -> dict[Path, int]:
    """Return the 1-based line of every table, key and list entry, by path; lists count from 0.

    The document itself, the empty path, begins on line 1.
    """
    scan = _Scan()
    line, counted = 1, 0
    for token in _TOKEN.finditer(document):
        line += document.count("\n", counted, token.start())
        counted = token.start()
        scan.take(token.lastgroup or "", token[0], line)
    return scan.lines


def line_of(lines: dict[Path, int], path: Path) -> int | None:
    """Return the line of ``path``, or of the nearest enclosing key or table that has one."""
    for length in range(len(path), -1, -1):
        if path[:length] in lines:
            return lines[path[:length]]
    return None


class _Place(Enum):
    """What the scan is in the middle of."""

    HEADER = "header"
    KEY = "key"
    VALUE = "value"


@dataclass(slots=True)
class _Open:
    """A list or inline table whose bracket is open; ``index`` is of the list's next entry."""

    path: Path
    index: int | None = None


class _Scan:
    """Follows a document token by token and keeps the line of what it meets first."""

    def __init__(self) -> None:
        self.lines: dict[Path, int] = {(): 1}
        self._counts: dict[Path, int] = {}
        self._table: Path = ()
        self._open: list[_Open] = []
        self._place = _Place.KEY
        self._brackets = 0  # of a header
        self._parts: Path = ()
        self._begun = 0  # the line of the key's or header's first part
        self._value: Path = ()

    def take(self, kind: str, text: str, line: int) -> None:
        """Take the next token, which begins on ``line``."""
        if self._place is _Place.VALUE:
            self._in_value(text, line)
        elif kind == "word":
            self._begun = self._begun if self._parts else line
            self._parts += (_name(text),)
        elif self._place is _Place.HEADER:
            self._in_header(text)
        elif text == "=":
            self._enter_value()
        elif text == "[" and not self._open:
            self._place, self._brackets = _Place.HEADER, 1
        elif text == "}":
            self._close()

    def _in_header(self, text: str) -> None:
        self._brackets += text == "["
        if text != "]" or not self._parts:
            return
        *above, last = self._parts
        path: Path = ()
        for part in above:
            path += (part,)
            self.lines.setdefault(path, self._begun)
            if path in self._counts:
                path += (self._counts[path],)
        path += (last,)
        self.lines.setdefault(path, self._begun)
        if self._brackets > 1:
            self._counts[path] = self._counts.get(path, -1) + 1
            path += (self._counts[path],)
            self.lines[path] = self._begun
        self._table, self._parts, self._place = path, (), _Place.KEY

    def _enter_value(self) -> None:
        path = self._open[-1].path if self._open else self._table
        for part in self._parts:
            path += (part,)
            self.lines.setdefault(path, self._begun)
        self._value, self._parts, self._place = path, (), _Place.VALUE

    def _in_value(self, text: str, line: int) -> None:
        inside = self._open[-1] if self._open else None
        if text == "\n" or text.startswith("#"):
            if inside is None:
                self._place = _Place.KEY
            return
        if inside is not None and text == ",":
            self._next(inside)
            return
        if text in ("]", "}"):
            self._close()
            return
        if inside is not None and inside.index is not None:
            self._value = (*inside.path, inside.index)
            self.lines.setdefault(self._value, line)
        if text == "[":
            self._open.append(_Open(self._value, 0))
        elif text == "{":
            self._open.append(_Open(self._value))
            self._place = _Place.KEY

    def _next(self, inside: _Open) -> None:
        if inside.index is None:
            self._place = _Place.KEY
        else:
            inside.index += 1

    def _close(self) -> None:
        self._open.pop()
        self._place = _Place.VALUE


def _name(text: str) -> str:
    """Return a key's name without its quotes."""
    if text[0] == '"' and "\\" in text:
        return str(tomllib.loads(f"name = {text}")["name"])
    return text[1:-1] if text[0] in "\"'" else text
