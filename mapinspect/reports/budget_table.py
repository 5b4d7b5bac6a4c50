"""The six-row budget table as text: what is estimated, linked, measured and allowed, by memory."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from mapinspect.model.report import BudgetLine
from mapinspect.reports.printable import printable
from mapinspect.reports.sizes import grouped

ROW_NAMES: Final = {
    "static": "static memory",
    "heap": "heap",
    "stack": "stack",
    "weights": "model weights",
    "arena": "activation arena",
    "workspace": "operator workspace",
    "total": "TOTAL",
    "spare": "left to heap and stack",
    "largest": "largest free block",
}
_HEADERS: Final = ("", "estimated", "linked", "measured", "limit", "headroom", "")
_NAME_WIDTH: Final = 24  # characters; keeps the table within 80 columns

_Row = tuple[str, ...]


def budget_table(lines: Iterable[BudgetLine]) -> str:
    """Return the table; sizes are bytes, the lines of one memory stand under its name.

    Empty where there are no lines.
    """
    rows: list[_Row] = []
    memory: str | None = None
    for line in lines:
        if line.memory != memory:
            memory = line.memory
            rows.append((printable(memory, _NAME_WIDTH), *[""] * (len(_HEADERS) - 1)))
        rows += _rows(line)
    return f"Memory budget, in bytes\n\n{_drawn(rows)}" if rows else ""


def _rows(line: BudgetLine) -> Iterator[_Row]:
    nothing = line.row == "largest"  # it says only what is free
    yield (
        f" {printable(ROW_NAMES.get(line.row, line.row), _NAME_WIDTH)}",
        grouped(line.estimated),
        grouped(None if nothing else line.linked),
        grouped(line.measured),
        grouped(line.limit),
        grouped(line.free),
        "" if line.status == "-" else line.status,
    )
    for part, size in line.parts:
        yield (f"   of which {part}", "", grouped(size), "", "", "", "")


def _drawn(rows: Sequence[_Row]) -> str:
    """Return the rows under their headers; names are on the left, numbers on the right."""
    widths = [max(len(row[column]) for row in (_HEADERS, *rows)) for column in range(len(_HEADERS))]
    rule = tuple("-" * width for width in widths)
    last = len(_HEADERS) - 1
    drawn = []
    for row in (_HEADERS, rule, *rows):
        cells = [
            text.ljust(width) if column in (0, last) else text.rjust(width)
            for column, (text, width) in enumerate(zip(row, widths, strict=True))
        ]
        drawn.append("  ".join(cells).rstrip())
    return "\n".join(drawn)
