"""Maps that agree with the ELF in every section and global symbol, and are of another link."""

import subprocess
from pathlib import Path

import pytest

from mapinspect.analysis.disagreements import disagreements
from mapinspect.pipeline import Request, check
from tests.linked import Linked, link
from tests.tools import need

SCRIPT = """
MEMORY { FLASH (rx) : ORIGIN = 0x08000000, LENGTH = 512K
  RAM (xrw) : ORIGIN = 0x80000000, LENGTH = 64K }
SECTIONS { .text : { *(.text) } > FLASH .bss : { *(.bss.*) } > RAM }
"""
SOURCE = """
.section .text,"ax"
.global main
.type main,%function
main: .word 0
.size main, 4
.section .bss.first,"aw",%nobits
.type first,%object
first: .space {}
.size first, {}
.section .bss.second,"aw",%nobits
.type second,%object
second: .space {}
.size second, {}
"""
ROW = '[[budget]]\nid = "objects"\nmatch = { object = "a.o" }\nregion = "RAM"\nlimit = "1K"\n'


def built(folder: Path, first: int, second: int) -> Linked:
    folder.mkdir()
    return link(folder, "arm", SCRIPT, SOURCE.format(first, first, second, second))


def told(elf: Path, link_map: Path, table: str) -> set[str]:
    config = elf.parent / "mapinspect.toml"
    config.write_text(f"version = 1\n{table}", encoding="utf-8")
    report = check(Request(elf=elf, map=link_map, config=config))
    assert report.failure is None
    found = {item.check for item in report.outcomes if item.status.value in ("broken", "undecided")}
    assert bool(found) == (report.verdict.value != "pass")
    return found


def test_a_static_array_grew_as_another_shrank(tmp_path: Path) -> None:
    old, new = built(tmp_path / "old", 0x100, 0x200), built(tmp_path / "new", 0x200, 0x100)
    assert disagreements(new.link_map(), new.elf_file()) == ()
    [difference] = disagreements(old.link_map(), new.elf_file())
    assert difference.message == (
        "first ends at 0x80000200 in the ELF, and .bss.first of a.o ends at 0x80000100 in the map"
    )
    assert "map-elf-disagree" in told(new.elf, old.map, "")


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        pytest.param(ROW, {"row-matches-nothing"}, id="a row that only the map can tell"),
        pytest.param(
            '[[budget]]\nid = "bss"\nmatch = { section = ".bss" }\nlimit = "1K"\n',
            set(),
            id="a row that the ELF tells",
        ),
    ],
)
def test_a_stripped_elf_does_not_prove_whose_the_inputs_of_a_map_are(
    tmp_path: Path, table: str, expected: set[str]
) -> None:
    linked = built(tmp_path / "one", 0x100, 0x200)
    need("arm-none-eabi-strip")
    assert told(linked.elf, linked.map, table) == set()
    subprocess.run(["arm-none-eabi-strip", str(linked.elf)], check=True)
    assert told(linked.elf, linked.map, table) == expected


@pytest.mark.parametrize(
    ("limit", "expected"),
    [
        pytest.param(0x300, set(), id="what is there"),
        pytest.param(0x2FF, {"row-over-budget"}, id="a byte less"),
    ],
)
def test_addresses_that_old_linkers_print_with_a_sign_are_the_elfs(
    tmp_path: Path, limit: int, expected: set[str]
) -> None:
    # ld 2.39 and older print RAM at 0x80000000 so (RISC-V, MIPS): 16 digits, the first 8 ones.
    linked = built(tmp_path / "one", 0x100, 0x200)
    text = linked.map.read_text().replace("0x8000", "0xffffffff8000")
    linked.map.write_text(text)
    row = ROW.replace('region = "RAM"\n', "").replace('"1K"', str(limit + 4))  # .text has 4 bytes
    assert told(linked.elf, linked.map, row) == expected
