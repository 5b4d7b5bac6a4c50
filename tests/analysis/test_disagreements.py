"""Map and ELF of one link agree in every symbol; of two links, the first differences are told."""

from dataclasses import replace
from pathlib import Path

import pytest

from mapinspect.analysis.disagreements import disagreements
from mapinspect.analysis.target_formats import target_disagreement
from mapinspect.model.elf_file import ElfFile
from mapinspect.model.link_map import LinkMap
from mapinspect.readers.elf import read_elf
from mapinspect.readers.gnu_map import read_map
from tests.analysis.test_owners import BUILT, BUILT_CASES, linked_cases, read
from tests.linked import link

TWO_LINKS = ("elf-of-another-core", "map-of-another-build")


def told(elf: ElfFile, link_map: LinkMap) -> list[str]:
    return [difference.message for difference in disagreements(link_map, elf)]


@pytest.mark.corpus
@pytest.mark.parametrize("case", linked_cases())
def test_no_link_case_disagrees_with_itself(case: str, shared: Path) -> None:
    assert told(*read(shared / "link_cases" / case, "case")) == []


@pytest.mark.parametrize("case", [case for case in BUILT_CASES if case not in TWO_LINKS])
def test_no_built_firmware_disagrees_with_itself(case: str) -> None:
    assert told(*read(BUILT / case, "app")) == []


def good() -> tuple[ElfFile, bytes]:
    folder = BUILT / "good"
    return read_elf("app.elf", (folder / "app.elf").read_bytes()), (folder / "app.map").read_bytes()


def test_a_symbol_elsewhere_is_told_by_both_addresses() -> None:
    elf, printed = good()
    line = next(line for line in printed.split(b"\n") if line.endswith(b" engine_open"))
    address = line.split()[0]
    moved = printed.replace(line, line.replace(address, b"0x08002000"))
    (message,) = told(elf, read_map("app.map", moved))
    there = address.decode()
    assert message == f"engine_open is at 0x08002000 in the map and at {there} in the ELF"


def test_a_symbol_that_the_elf_lacks_is_told() -> None:
    elf, printed = good()
    line = next(line for line in printed.split(b"\n") if line.endswith(b" engine_open"))
    odd = line.replace(line.split()[0], b"0x08002002").replace(b"engine_open", b"engine_shut")
    (message,) = told(elf, read_map("app.map", printed.replace(line, odd)))
    assert message == "engine_shut is in the map and not in the ELF"


def test_a_demangled_name_is_known_by_its_address() -> None:
    elf, printed = good()
    line = next(line for line in printed.split(b"\n") if line.endswith(b" engine_open"))
    same = line.replace(b"engine_open", b"Engine::open(int, char const*)")
    assert told(elf, read_map("app.map", printed.replace(line, same))) == []
    moved = same.replace(line.split()[0], b"0x08002002")
    (message,) = told(elf, read_map("app.map", printed.replace(line, moved)))
    assert message.endswith("is at 0x08002002 in the map, where the ELF has none")


def test_only_the_first_symbols_are_told_and_the_others_counted() -> None:
    elf, printed = good()
    for name in (b"engine_open", b"engine_invoke", b"dsp_window", b"main", b"features_init"):
        printed = printed.replace(b" " + name + b"\n", b" " + name + b"_old\n")
    elf_names = set(elf.symbols.names())
    link_map = read_map("app.map", printed)
    shifted = replace(
        link_map,
        symbols=tuple(
            replace(symbol, address=symbol.address + 2)
            for symbol in link_map.symbols
            if symbol.name in elf_names
        ),
    )
    messages = told(elf, shifted)
    assert len(messages) == 5
    assert messages[-1].endswith(f"; {len(shifted.symbols) - 5} more symbols differ")


def test_symbols_that_were_stripped_since_are_no_difference() -> None:
    elf, _ = good()
    stripped = BUILT / "stripped-elf"
    assert told(read_elf("s", (stripped / "app.elf").read_bytes()), read_map("m", good()[1])) == []
    assert told(elf, read_map("app.map", good()[1])) == []


@pytest.mark.toolchain
def test_sections_may_agree_where_symbols_do_not(tmp_path: Path) -> None:
    """Two variables of one size change places: every section is the same, no symbol is."""
    script = "SECTIONS { .text 0x100 : { *(.text) } .bss 0x20000000 : { *(.bss*) } }"
    variable = ' .section .bss,"aw",%nobits\n .global {0}\n{0}: .space 4\n'
    old, new = tmp_path / "old", tmp_path / "new"
    for folder, names in ((old, "ab"), (new, "ba")):
        folder.mkdir()
        link(folder, "arm", script, "".join(map(variable.format, names)))
    elf, link_map = read(new, "a")[0], read(old, "a")[1]
    assert told(elf, link_map) == [
        "a is at 0x20000000 in the map and at 0x20000004 in the ELF",
        "b is at 0x20000004 in the map and at 0x20000000 in the ELF",
    ]


@pytest.mark.parametrize(
    ("output_format", "same"),
    [
        pytest.param("elf32-littlearm", True, id="the same target"),
        pytest.param("elf32-bigarm", False, id="another byte order"),
        pytest.param("elf64-littleaarch64", False, id="another class"),
        pytest.param("elf32-littleriscv", False, id="another machine"),
        pytest.param("elf32-xtensa-le", False, id="a machine with its order behind it"),
        pytest.param("elf32-unheardof", True, id="a machine that is not known"),
        pytest.param("elf64-unheardof", False, id="a class that differs all the same"),
        pytest.param("binary", True, id="no ELF target"),
        pytest.param(None, True, id="an old map that does not say"),
    ],
)
def test_target(output_format: str | None, same: bool) -> None:
    elf, printed = good()
    link_map = replace(read_map("app.map", printed), output_format=output_format)
    assert (target_disagreement(link_map, elf) is None) == same


def test_another_target_is_the_only_difference_told() -> None:
    elf, link_map = read(BUILT / "elf-of-another-core", "app")
    assert told(elf, link_map) == [
        "the map is of a link for elf32-littlearm, the ELF for RISCV, 32 bits, little-endian"
    ]
