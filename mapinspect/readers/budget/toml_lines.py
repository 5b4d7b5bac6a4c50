"""Where each key of a TOML document stands; the standard parser forgets it.

Only well-formed documents come here (``tomllib`` has accepted them), so a light scan suffices:
table headers, keys at the start of a logical line, and strings and brackets that span lines.
"""

import re

Path = tuple[str | int, ...]

_HEADER = re.compile(r"^\s*(\[\[?)\s*([^\[\]]+?)\s*\]\]?\s*(?:#.*)?$")
_KEY = re.compile(
    r"""^\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*="""
)
_PART = re.compile(r"""[\w-]+|"[^"]*"|'[^']*'""")
_TOKEN = re.compile(r"""\"\"\"|'''|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|#[^\n]*|[\[\]{}]""")


def key_lines(document: str) -> dict[Path, int]:
    """Return the 1-based line of every table and key, by path; arrays of tables count from 0."""
    lines: dict[Path, int] = {}
    counts: dict[Path, int] = {}
    table: Path = ()
    scan = _Continuation()
    for number, line in enumerate(document.split("\n"), start=1):
        if scan.inside():
            scan.feed(line)
            continue
        if header := _HEADER.match(line):
            table = _enter(header, counts)
            lines.setdefault(table, number)
            continue
        if key := _KEY.match(line):
            lines.setdefault(table + _parts(key[1]), number)
        scan.feed(line)
    return lines


def line_of(lines: dict[Path, int], path: Path) -> int | None:
    """Return the line of ``path``, or of the nearest enclosing key or table that has one."""
    for length in range(len(path), 0, -1):
        if path[:length] in lines:
            return lines[path[:length]]
    return None


def _parts(dotted: str) -> Path:
    return tuple(part.strip("\"'") for part in _PART.findall(dotted))


def _enter(header: re.Match[str], counts: dict[Path, int]) -> Path:
    path: Path = ()
    parts = _parts(header[2])
    for part in parts[:-1]:
        path += (part,)
        if path in counts:
            path += (counts[path],)
    path += (parts[-1],)
    if header[1] == "[[":
        counts[path] = counts.get(path, -1) + 1
        path += (counts[path],)
    return path


class _Continuation:
    """Whether the scan stands inside a string or bracket that an earlier line opened."""

    def __init__(self) -> None:
        self._quote = ""
        self._depth = 0

    def inside(self) -> bool:
        """Return whether the next line continues a value."""
        return bool(self._quote) or self._depth > 0

    def feed(self, line: str) -> None:
        """Read one line: quotes and brackets open and close."""
        position = 0
        while position < len(line):
            if self._quote:
                end = line.find(self._quote, position)
                if end < 0:
                    return
                position, self._quote = end + 3, ""
                continue
            token = _TOKEN.search(line, position)
            if token is None:
                return
            position = token.end()
            self._take(token[0])

    def _take(self, mark: str) -> None:
        if mark in ('"""', "'''"):
            self._quote = mark
        elif mark in "[{":
            self._depth += 1
        elif mark in "]}":
            self._depth -= 1
