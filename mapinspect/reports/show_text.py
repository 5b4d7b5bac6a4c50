"""What ``mapinspect show`` lists, as a table for people; sizes are bytes."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from tabulate import tabulate

from mapinspect.model.listing import Column, Listing, Row, Shape
from mapinspect.reports.printable import printable
from mapinspect.reports.sizes import grouped

_NAME_WIDTH = 32  # characters; longer names are cut, with a hash to tell them apart
_NOTE_LIMIT = 1000
_REGIONS_SHOWN = 5  # regions with a column of their own; the others share one
_PATHS = ("object", "archive", "declared_in")


def render(listing: Listing) -> str:
    """Return the table, then what a reader must know besides."""
    columns = [column for column in listing.columns if column.narrow]
    regions = _regions(listing.rows)
    blocks = [_table(listing.rows, columns, regions)] if listing.rows else []
    blocks += [f"no {listing.noun} to list"] if not listing.rows else []
    lines = [line for row in listing.rows for line in _explained(row)]
    lines += [printable(note, _NOTE_LIMIT) for note in listing.notes]
    if lines:
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks) + "\n"


def _table(rows: Iterable[Row], columns: Sequence[Column], regions: Sequence[str]) -> str:
    headings: list[str] = []
    align: list[str] = []
    for column in columns:
        names = _heads(column, regions)
        headings += names
        align += ["left" if column.shape is Shape.TEXT else "right"] * len(names)
    cells = [[cell for column in columns for cell in _cells(row, column, regions)] for row in rows]
    table = tabulate(cells, headings, "simple", colalign=align, disable_numparse=True)
    return "\n".join(line.rstrip() for line in table.split("\n"))


def _regions(rows: Iterable[Row]) -> list[str]:
    """Return the regions that get a column: those that hold most of what is listed."""
    sizes: Counter[str] = Counter()
    for row in rows:
        sizes.update(row.get("regions", {}))
    return [name for name, _ in sizes.most_common(_REGIONS_SHOWN)] + (
        [""] if len(sizes) > _REGIONS_SHOWN else []
    )


def _heads(column: Column, regions: Sequence[str]) -> list[str]:
    if column.key != "regions":
        return [column.heading]
    return [printable(name, _NAME_WIDTH) or "elsewhere" for name in regions]


def _cells(row: Row, column: Column, regions: Sequence[str]) -> Iterator[str]:
    if column.key != "regions":
        yield _cell(row, column)
        return
    held = row["regions"]
    for name in regions:
        size = held.get(name) if name else sum(held[key] for key in held if key not in regions)
        yield grouped(size) if size else ""


def _cell(row: Row, column: Column) -> str:
    value = row[column.key]
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:#010x}" if column.shape is Shape.ADDRESS else grouped(value)
    if value is None and column.key == _owner_key(row):
        return f"({row['kind']})"
    if column.key in _PATHS and value is not None:
        return _path_end(printable(value))
    return printable(plain(value), _NAME_WIDTH)


def _owner_key(row: Row) -> str:
    """Return the column that says who owns a row: in its place stands what nobody owns."""
    if "address" in row:
        return ""
    return "object" if "object" in row else "archive"


def _path_end(path: str) -> str:
    """Return as much of a path's end as a column holds: folders tell less than the file."""
    if len(path) <= _NAME_WIDTH:
        return path
    return "..." + path[3 - _NAME_WIDTH :]


def _explained(row: Row) -> list[str]:
    return [
        f"{printable(row['name'])}: {item['bytes']:+,} bytes not as ld counts: "
        f"{printable(item['what'])}"
        for item in row.get("explained", ())
    ]


def plain(value: object) -> str:
    """Return a value as one text: lists and objects written out, nothing for None."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        if set(value) == {"what", "bytes"}:
            return f"{value['what']}: {value['bytes']}"
        return ", ".join(f"{key} {item}" for key, item in value.items())
    if isinstance(value, list | tuple):
        return "; ".join(plain(item) for item in value)
    return str(value)
