"""CSV that a spreadsheet shows and never computes."""

import csv
import io
from collections.abc import Iterable, Sequence

from mapinspect.reports.printable import printable

_FORMULA = ("=", "+", "-", "@")  # what makes a spreadsheet compute a cell


def csv_text(headings: Sequence[str], rows: Iterable[Sequence[str | int]]) -> str:
    """Return a table as CSV, every text quoted and made printable, numbers as they are."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
    writer.writerow(headings)
    for row in rows:
        writer.writerow([safe(cell) if isinstance(cell, str) else cell for cell in row])
    return out.getvalue()


def safe(text: str) -> str:
    """Return the text for one cell; an apostrophe stops it from being taken for a formula."""
    shown = printable(text)
    return f"'{shown}" if shown.lstrip().startswith(_FORMULA) else shown
