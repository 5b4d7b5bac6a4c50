"""Declaration files of what link-time optimisation mixed, against where the sources stand.

Every source's symbols bear its name (``a_…`` in ``a.c``), except statics of one name in two
sources, which differ in size: the truth of each symbol is read off these.
"""

import random
import re
import subprocess
from pathlib import Path

import pytest

from mapinspect.errors import InputError
from mapinspect.model.elf_file import ElfFile
from mapinspect.readers import dwarf_sections
from mapinspect.readers.dwarf_declarations import declaration_files
from mapinspect.readers.dwarf_files import Cursor
from mapinspect.readers.dwarf_sections import Extent, debug_information
from mapinspect.readers.elf import read_elf
from tests.lto_firmware import SIZED, build
from tests.tools import need

pytestmark = pytest.mark.toolchain


def wanted(elf: ElfFile) -> set[int]:
    return {item.address for item in elf.symbols if item.size and item.has_address}


def truth(name: str, size: int) -> str:
    """Return the source's file by the symbol's own name, or by the size of a shared name."""
    for shared, sizes in SIZED.items():
        if name.startswith(shared):
            return sizes[size]
    letter = re.findall(r"(?<![A-Za-z_])([abch])_[A-Za-z]", name)[-1]
    return {"a": "a.c", "b": "src/b.c", "c": "c.cc", "h": "shared.h"}[letter]


@pytest.mark.parametrize(
    ("target", "options"),
    [
        ("arm-none-eabi", "-gdwarf-5"),
        ("arm-none-eabi", "-gdwarf-4"),
        ("arm-none-eabi", "-gdwarf-2"),
        ("arm-none-eabi", "-g -gz=zlib"),
        ("arm-none-eabi", "-g3 -O2"),
        ("arm-none-eabi", "-g -flto-partition=max"),
        ("riscv64-unknown-elf", "-g"),
    ],
)
def test_every_symbol_is_declared_where_its_source_stands(
    tmp_path: Path, target: str, options: str
) -> None:
    elf = build(tmp_path, target, *options.split())
    files = declaration_files(elf, wanted(elf))
    found = {item.name: (files.get(item.address), item.size) for item in elf.symbols if item.size}
    assert len(found) >= 9
    for name, (file, size) in found.items():
        assert file == truth(name, size), name


def test_without_debugging_information_it_says_so(tmp_path: Path) -> None:
    elf = build(tmp_path, "arm-none-eabi")
    with pytest.raises(InputError, match="has no debugging information"):
        declaration_files(elf, wanted(elf))


def test_a_source_without_debugging_information_never_has_another_ones_file(
    tmp_path: Path,
) -> None:
    elf = build(tmp_path, "arm-none-eabi", "-g", plain="b.c")
    files = declaration_files(elf, wanted(elf))
    for item in elf.symbols:
        if item.size:
            expected = truth(item.name, item.size)
            allowed = {expected, None} if expected == "src/b.c" else {expected}
            assert files.get(item.address) in allowed


def test_a_line_table_of_entries_without_bytes_is_counted(tmp_path: Path) -> None:
    elf = build(tmp_path, "arm-none-eabi", "-gdwarf-5")
    debug = debug_information(elf)
    assert debug is not None
    table = b"\x00\xff\x7f"  # no fields, 16383 entries
    debug.sections["debug_line"] = Extent(table, 0, len(table))
    before = debug.budget.steps
    assert len(Cursor(debug, debug.extent("debug_line"), 0).formatted()) == 16383
    assert before - debug.budget.steps >= 16383


def test_work_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    elf = build(tmp_path, "arm-none-eabi", "-g")
    monkeypatch.setattr(dwarf_sections.Budget.__init__, "__defaults__", (100, 1 << 20))
    with pytest.raises(InputError, match="more debugging information than"):
        declaration_files(elf, wanted(elf))


@pytest.mark.parametrize("options", ["-gdwarf-5", "-gdwarf-4"])
def test_damage_is_an_input_error_or_an_answer(tmp_path: Path, options: str) -> None:
    elf = build(tmp_path, "arm-none-eabi", options)
    asked = wanted(elf)
    spans = [(s.offset, s.size) for s in elf.sections if s.name.startswith(".debug_") and s.size]
    chance = random.Random(5)
    for _ in range(300):
        content = bytearray(elf.content)
        for _ in range(chance.randint(1, 6)):
            offset, size = chance.choice(spans)
            content[offset + chance.randrange(size)] = chance.choice([0, 1, 0x7F, 0x80, 0xFF])
        damaged = read_elf("app.elf", bytes(content))
        try:
            files = declaration_files(damaged, asked)
        except InputError:
            continue
        assert files.keys() <= asked


def test_binutils_tells_the_same_unit_and_line(tmp_path: Path) -> None:
    need("arm-none-eabi-nm")
    elf = build(tmp_path, "arm-none-eabi", "-gdwarf-4")
    said = subprocess.run(
        ["arm-none-eabi-nm", "-S", "--line-numbers", "app.elf"],
        cwd=tmp_path, check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    files = declaration_files(elf, wanted(elf))
    compared = 0
    for line in said.splitlines():
        row, _, place = line.partition("\t")
        address = int(row.split()[0], 16)
        if place and row.split()[2] in "Tt":  # variables' lines nm finds by name alone
            compared += 1
            assert place.rpartition(":")[0].endswith(files[address])
    assert compared >= 3
