"""Whatever an input holds, a report line stays one line and shows what it holds."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mapinspect.reports.printable import printable
from mapinspect.reports.sizes import kib_down, kib_up


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x1b[2J", "a\\x1b[2J"),
        ("x\n::error::y", "x\\x0a::error::y"),
        ("\udcff", "\\xff"),
        ("a\u202eb", "a\\u202eb"),
        ("größe", "größe"),
    ],
)
def test_hidden_characters_are_spelt_out(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_long_names_are_cut_and_still_told_apart() -> None:
    one, two = printable("a" * 1000 + "x"), printable("a" * 1000 + "y")
    assert len(one) <= 256
    assert one != two


@given(st.text(alphabet=st.characters(), max_size=400))
def test_nothing_hidden_is_left(text: str) -> None:
    shown = printable(text)
    assert re.fullmatch("[^\x00-\x1f\x7f-\x9f]*", shown)
    shown.encode("utf-8")
    assert printable(shown) == shown


@pytest.mark.parametrize(
    ("size", "up", "down"),
    [(1024, "1.0", "1.0"), (1025, "1.1", "1.0"), (1023, "1.0", "0.9"), (0, "0.0", "0.0")],
)
def test_use_is_rounded_up_and_room_down(size: int, up: str, down: str) -> None:
    assert (kib_up(size), kib_down(size)) == (up, down)
