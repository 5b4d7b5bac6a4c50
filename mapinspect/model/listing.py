"""What ``mapinspect show`` lists: rows of named values, the same for every format."""

from dataclasses import dataclass
from enum import Enum
from typing import Any

Row = dict[str, Any]  # JSON's types: text, int, bool, None, and lists and objects of them


class Shape(Enum):
    """How a column's values are written for people."""

    TEXT = "text"
    BYTES = "bytes"
    ADDRESS = "address"
    COUNT = "count"


@dataclass(frozen=True, slots=True)
class Column:
    """A value of every row: its key in JSON, its heading for people.

    A terminal shows only ``narrow`` columns.
    """

    key: str
    heading: str
    shape: Shape
    narrow: bool = True


@dataclass(frozen=True, slots=True)
class Listing:
    """A table about one image.

    ``noun`` names the rows (``regions``); every row has the keys of all ``columns``. ``notes``
    are what a reader of the table must know besides; ``incomplete`` why it may not be whole.
    """

    noun: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()
    incomplete: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Choice:
    """Which rows to list, and in which order; None leaves it to the noun."""

    region: str | None = None
    glob: str | None = None
    sort: str | None = None
    top: int | None = None
