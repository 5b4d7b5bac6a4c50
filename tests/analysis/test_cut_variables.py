"""Variables that the map's input sections cut: which are told, which cannot be, and how many."""

from pathlib import Path

import pytest

from mapinspect.analysis.extent_disagreements import extent_disagreements
from tests.linked import Linked, link

SCRIPT = """
MEMORY { FLASH (rx) : ORIGIN = 0x08000000, LENGTH = 512K
  RAM (xrw) : ORIGIN = 0x80000000, LENGTH = 64K }
SECTIONS {
  .text : { *(.text .text.*) } > FLASH
  .rodata : { *(.rodata.*) } > FLASH
  .bss : { *(.bss.*) } > RAM
}
"""


def source(sizes: dict[str, int], kind: str, home: str, flags: str) -> str:
    code = '.section .text,"ax"\n.global main\n.type main,%function\nmain: .word 0\n.size main, 4\n'
    return code + "".join(
        f".section {home.format(name)},{flags}\n.type {name},%{kind}\n{name}: .space {size}\n"
        f".size {name}, {size}\n"
        for name, size in sizes.items()
    )


def told(folder: Path, old: dict[str, int], new: dict[str, int], *how: str) -> list[str]:
    """What the map of the old link and the ELF of the new one say differently."""
    kind, home, flags = how or ("object", ".bss.{}", '"aw",%nobits')
    linked: list[Linked] = []
    for name, sizes in (("old", old), ("new", new)):
        (folder / name).mkdir()
        linked.append(link(folder / name, "arm", SCRIPT, source(sizes, kind, home, flags)))
    assert extent_disagreements(linked[0].link_map(), linked[0].elf_file()) == ()
    found = extent_disagreements(linked[0].link_map(), linked[1].elf_file())
    assert all(item.in_elf.file.endswith("a.elf") for item in found)
    return [item.message for item in found]


@pytest.mark.parametrize(
    ("first", "expected"),
    [
        pytest.param(0x104, True, id="four bytes into the next row"),
        pytest.param(0x101, True, id="a byte into it"),
        pytest.param(0x100, False, id="to the end of its row"),
        pytest.param(0xF0, False, id="not to its end"),
    ],
)
def test_a_variable_may_fill_its_row_and_no_more(
    tmp_path: Path, first: int, *, expected: bool
) -> None:
    found = told(tmp_path, {"a": 0x100, "b": 0x100}, {"a": first, "b": 0x200 - first})
    words = (
        f"a ends at {0x8000_0000 + first:#010x} in the ELF, and .bss.a of a.o ends at 0x80000100 "
        "in the map"
    )
    assert (words in found) == expected


def test_the_first_five_are_told(tmp_path: Path) -> None:
    old = {f"v{number}": 0x10 for number in range(14)}
    new = {f"v{number}": 0x18 if number % 2 == 0 else 8 for number in range(14)}
    found = told(tmp_path, old, new)
    assert [message.split()[0] for message in found] == ["v0", "v2", "v4", "v6", "v8"]


def test_a_row_that_is_not_cut_hides_no_other(tmp_path: Path) -> None:
    old = {"same": 0x40, "a": 0x100, "b": 0x100}
    found = told(tmp_path, old, old | {"a": 0x180, "b": 0x80})
    assert [message.split()[0] for message in found] == ["a"]


@pytest.mark.parametrize(
    ("kind", "home", "flags", "expected"),
    [
        pytest.param("object", ".rodata.{}", '"a"', True, id="a constant"),
        pytest.param("function", ".text.{}", '"ax"', False, id="a function"),
        pytest.param("object", ".rodata.{}.str1.1", '"a"', False, id="merged strings"),
    ],
)
def test_functions_and_merged_constants_are_not_compared(
    tmp_path: Path, kind: str, home: str, flags: str, *, expected: bool
) -> None:
    found = told(tmp_path, {"a": 64, "b": 64}, {"a": 96, "b": 32}, kind, home, flags)
    assert bool(found) == expected
