"""Listings with hostile names: what they become in text, JSON and CSV."""

import csv
import io
import json

import pytest

from mapinspect.model.listing import Column, Listing, Shape
from mapinspect.reports import show_csv, show_json, show_text

COLUMNS = (Column("name", "name", Shape.TEXT), Column("size", "size", Shape.BYTES))


def listing(name: str, *, notes: tuple[str, ...] = ()) -> Listing:
    return Listing("symbols", COLUMNS, ({"name": name, "size": -4},), notes)


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@SUM(A1)", " =1", "\t=1", "\r=1", "\n=1"])
def test_no_spreadsheet_computes_a_name(name: str) -> None:
    (row,) = csv.DictReader(io.StringIO(show_csv.render(listing(name))))
    assert row["name"][0] in "'\\"  # an apostrophe, or a control character spelt out
    assert row["size"] == "-4"


def test_csv_keeps_its_cells_whatever_they_hold() -> None:
    (row,) = csv.DictReader(io.StringIO(show_csv.render(listing('a,"b"\nc'))))
    assert row == {"name": 'a,"b"\\x0ac', "size": "-4"}


@pytest.mark.parametrize("name", ["\x1b[2Jx", "x\n::error::y", "\u202ex", "\udcffx"])
def test_no_name_reaches_the_terminal_raw(name: str) -> None:
    text = show_text.render(listing(name, notes=(name,)))
    assert all(line.isprintable() for line in text.split("\n"))
    assert not any(line.startswith("::") for line in text.split("\n"))
    document = json.loads(show_json.render(listing(name, notes=(name,))))
    assert document["symbols"][0]["name"].isprintable()


def test_an_empty_listing_says_so() -> None:
    assert show_text.render(Listing("objects", COLUMNS, ())) == "no objects to list\n"


def test_a_long_path_shows_its_end() -> None:
    columns = (Column("object", "object", Shape.TEXT),)
    path = "/a/very/long/folder/of/some/toolchain/lib/libc_nano.a"
    text = show_text.render(Listing("objects", columns, ({"object": path},)))
    assert text.endswith("toolchain/lib/libc_nano.a\n")
