"""What ``mapinspect show`` lists, as CSV: one row per row, addresses and sizes as integers."""

from mapinspect.model.listing import Listing
from mapinspect.reports.csv_cells import csv_text
from mapinspect.reports.show_text import plain


def render(listing: Listing) -> str:
    """Return the rows with the keys of JSON as headings; lists become one text."""
    keys = [column.key for column in listing.columns]
    return csv_text(keys, ([_cell(row[key]) for key in keys] for row in listing.rows))


def _cell(value: object) -> str | int:
    return value if isinstance(value, int) and not isinstance(value, bool) else plain(value)
