"""The lines of a TOML document's keys: every path that the standard parser finds has its own."""

import tomllib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mapinspect.readers.budget.toml_lines import Path, key_lines, line_of

DOCUMENT = r'''version = 1 # not = this
[project]
name = """a
[[region]]
x = 1""""
"a.b" = 'c#'
[inputs]
models = [
  # nor { this ]
  { name = "a,", file = "b" },
  { name = "c" }
]
x.y = 1
[[region]]
name = "A"  # [b]
[region.growth]
bytes = 4
[[region]]
"na\u006de" = "B"
growth = { bytes = [1, 2], z.w = 3 }
[profile."a[1].\"".project]
margin = "5%"
[[profile.'b c'.region]]
day = 1979-05-27 07:32:00
'''


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ((), 1),
        (("version",), 1),
        (("project", "name"), 3),
        (("project", "a.b"), 6),
        (("inputs", "models"), 8),
        (("inputs", "models", 0), 10),
        (("inputs", "models", 0, "file"), 10),
        (("inputs", "models", 1, "name"), 11),
        (("inputs", "x", "y"), 13),
        (("region",), 14),
        (("region", 0), 14),
        (("region", 0, "growth", "bytes"), 17),
        (("region", 1), 18),
        (("region", 1, "name"), 19),
        (("region", 1, "growth", "z", "w"), 20),
        (("profile",), 21),
        (("profile", 'a[1]."', "project", "margin"), 22),
        (("profile", "b c", "region", 0, "day"), 24),
    ],
    ids=str,
)
def test_a_key_has_the_line_it_stands_on(path: Path, line: int) -> None:
    assert key_lines(DOCUMENT)[path] == line


def test_what_has_no_line_has_that_of_what_holds_it() -> None:
    assert line_of(key_lines(DOCUMENT), ("region", 0, "limit")) == 14
    assert line_of({}, ("region",)) is None


def paths(value: Any, at: Path = ()) -> set[Path]:
    """Every path of a parsed document."""
    if isinstance(value, dict):
        items: Any = value.items()
    else:
        items = enumerate(value) if isinstance(value, list) else ()
    found = {at} - {()}
    for key, item in items:
        found |= paths(item, (*at, key))
    return found


PIECES = st.sampled_from(
    [
        *("a", "b", "c-1", '"a"', "'b.c'", r'"d\"e"', ".", " = ", "=", "\n", "\n", "\n\n", " "),
        *("[", "]", "[[", "]]", "{", "}", ",", "# [c]\n", "1", "-1.5e3", "true", '"x"', "'y#'"),
        *('"""', "'''", '""""', "[a]\n", "[[b]]\n", "[b.d]\n", "a = ", "b = [", "c = {", '"{["'),
        *("e = {a = 1, b.c = [2]}\n", "f = [\n {a = 1},\n {a = 2}\n]\n", "1979-05-27T07:32:00Z"),
    ]
)


@settings(max_examples=2000, deadline=None)
@given(st.lists(PIECES, max_size=14))
def test_every_path_of_any_document_has_a_line(pieces: list[str]) -> None:
    text = "".join(pieces)
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    lines = key_lines(text)
    assert paths(document) <= set(lines)
    assert all(1 <= line <= text.count("\n") + 1 for line in lines.values())
