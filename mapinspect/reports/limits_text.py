"""The budget table's limits in bytes, as text: what `mapinspect config show` prints."""

import re
from collections.abc import Sequence

from tabulate import tabulate

from mapinspect.model.image import Evidence
from mapinspect.model.inspection import Inspection
from mapinspect.model.report import Report
from mapinspect.reports.printable import place, printable
from mapinspect.reports.sizes import grouped

_COMMENT = re.compile(r"""\s+#[^"']*\Z""")  # of a line of TOML; one with quotes may be a name
_NAME_WIDTH = 24  # characters; keeps the tables within 80 columns
_TEXT_WIDTH = 28  # the same


def render(report: Report) -> str:
    """Return the limits of every region and row of a report that has an inspection."""
    facts = report.inspection
    assert facts is not None
    table = facts.table
    title = printable(table.path) if table.path else "no budget table: every region has its length"
    blocks = [title, _regions(facts), _rows(facts), "\n".join(map(printable, report.notes))]
    return "\n\n".join(block for block in blocks if block) + "\n"


def _regions(facts: Inspection) -> str:
    rows = []
    for limit in facts.limits:
        strictest = limit.rules[0]
        rows.append(
            (
                printable(limit.region.name, _NAME_WIDTH),
                grouped(limit.region.span.size),
                grouped(limit.limit),
                grouped(limit.warn),
                limit.measure,
                f"{_place(strictest)}\n{_cut(strictest.text)}",
            )
        )
    headers = ("region", "length", "limit", "warn", "counts", "the limit is from")
    return _table("Regions, in bytes", headers, rows) if rows else ""


def _rows(facts: Inspection) -> str:
    rows = [
        (
            printable(numbers.id, _NAME_WIDTH),
            printable(numbers.memory, _NAME_WIDTH),
            grouped(numbers.whole),
            grouped(numbers.limit),
            grouped(numbers.warn),
            grouped(numbers.minimum),
            _place(row.declared),
        )
        for numbers, row in zip(facts.rows, facts.table.budgets, strict=True)
    ]
    headers = ("row", "memory", "of", "limit", "warn", "min", "from")
    return _table("Rows, in bytes", headers, rows) if rows else ""


def _cut(text: str) -> str:
    """Return what a limit's line says, as far as there is room, without its comment.

    A margin's bytes stand beside.
    """
    shown = printable(_COMMENT.sub("", text).partition(": at most ")[0], 1000)
    return shown if len(shown) <= _TEXT_WIDTH else f"{shown[: _TEXT_WIDTH - 3]}..."


def _place(declared: Evidence) -> str:
    """Return a line of the table by its file's name alone, since its path is the title."""
    return place(declared.file.replace("\\", "/").rsplit("/", 1)[-1], declared.line)


def _table(title: str, headers: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    numbers = ("length", "of", "limit", "warn", "min")
    align = ["right" if header in numbers else "left" for header in headers]
    table = tabulate(rows, headers, "simple", colalign=align, disable_numparse=True)
    return f"{title}\n\n" + "\n".join(line.rstrip() for line in table.split("\n"))
