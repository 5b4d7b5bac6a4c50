"""What lies in the same output section as something matched, by symbols alone and by rows alone.

The sizes are those of the source's ``.space`` statements; .rodata begins at 0x08001000.
"""

from dataclasses import replace
from pathlib import Path

import pytest

from mapinspect.analysis.inspect import Records, surroundings
from mapinspect.analysis.locate import Surroundings, named
from mapinspect.analysis.strangers import strangers
from mapinspect.model.budget import BudgetTable, Match
from mapinspect.model.inspection import Located
from tests.linked import link

SCRIPT = """
MEMORY { FLASH (rx) : ORIGIN = 0x08000000, LENGTH = 512K }
SECTIONS {
  .text : { *(.text) } > FLASH
  .rodata 0x08001000 : { *(.rodata.a) *(.rodata.b) *(.rodata.c) *(.rodata.d) *(.rodata.e) } > FLASH
  .other 0x08002000 : { *(.other) } > FLASH
}
"""
SIZES = {"a": 0x40, "b": 0x20, "c": 0x10, "d": 0xF, "e": 0x30}  # one behind the other
MORE = """
.section .other,"a"
.global other
.type other,%object
other: .space 0x40
.size other, 0x40
.text
.global main
.type main,%function
main: .space 16
.size main, 16
.global sized_constant
sized_constant = 0x08001050
.size sized_constant, 4
"""


def source(inside: str = "") -> str:
    variables = "".join(
        f'.section .rodata.{name},"a"\n.global {name}\n.type {name},%object\n'
        f"{inside if name == 'b' else ''}{name}: .space {size}\n.size {name}, {size}\n"
        for name, size in SIZES.items()
    )
    return variables + MORE


def around(folder: Path, inside: str = "") -> Surroundings:
    linked = link(folder, "arm", SCRIPT, source(inside))
    found, _ = surroundings(Records(BudgetTable(""), linked.elf_file(), linked.link_map()))
    return found


def places(image: Surroundings, *names: str) -> list[Located]:
    return [place for name in names for place in named(image, Match(symbol=name))]


def said(image: Surroundings, own: list[Located]) -> list[tuple[str, int, int]]:
    return [
        (item.name, item.span.start - 0x0800_1000, item.span.size) for item in strangers(image, own)
    ]


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        pytest.param(
            ["b"], [("a", 0, 0x40), ("c", 0x60, 16), ("d", 0x70, 15), ("e", 0x7F, 0x30)], id="one"
        ),
        pytest.param(["a", "c", "e"], [("b", 0x40, 0x20), ("d", 0x70, 15)], id="every other one"),
        pytest.param(["a", "b", "c", "d", "e"], [], id="all"),
        pytest.param(["other"], [], id="alone in its section"),
    ],
)
def test_symbols_that_are_not_meant(
    tmp_path: Path, names: list[str], expected: list[tuple[str, int, int]]
) -> None:
    image = around(tmp_path)
    own = places(image, *names)
    assert said(replace(image, link_map=None), own) == expected
    assert said(image, own) == expected


def test_rows_of_the_map_that_are_not_meant(tmp_path: Path) -> None:
    """15 bytes may be padding inside an object; 16 are a constant."""
    image = around(tmp_path)
    own = places(image, "b")
    rows = [(".rodata.a", 0, 0x40), (".rodata.c", 0x60, 16), (".rodata.e", 0x7F, 0x30)]
    assert said(replace(image, elf=None), own) == rows
    assert said(replace(image, elf=None), places(image, "a", "b", "c", "d", "e")) == []
    assert said(replace(image, elf=None, link_map=None), own) == []


def test_a_symbol_that_shares_bytes_with_what_is_meant_is_no_stranger(tmp_path: Path) -> None:
    """One lies in it, one begins in front of it and one is a label."""
    overlapping = (
        ".global within\n.type within,%object\nwithin = b + 8\n.size within, 4\n"
        ".global label\nlabel = b + 0x20\n"
        ".global first\n.type first,%object\nfirst = b - 8\n.size first, 16\n"
    )
    image = replace(around(tmp_path, overlapping), link_map=None)
    told = [name for name, _, _ in said(image, places(image, "b"))]
    assert told == ["a", "c", "d", "e"]
    assert "first" in {symbol.name for symbol in image.elf.symbols}
