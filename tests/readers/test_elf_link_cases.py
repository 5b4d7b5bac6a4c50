"""Every self-made link: sections, segments and symbols equal what readelf and nm said."""

import json
from pathlib import Path
from typing import Any

import pytest

from mapinspect.model.elf_file import ElfFile, SymbolKind
from mapinspect.readers.elf import read_elf

pytestmark = pytest.mark.corpus
MAPPED = ("$a", "$d", "$t", "$x")


def cases(shared: Path) -> list[tuple[Path, Path]]:
    truths = sorted((shared / "link_cases").glob("**/truth.json"))
    return [(each, each.with_name("case.elf")) for each in truths if each.stat().st_size]


def test_all_link_cases_equal_their_truth(shared: Path) -> None:
    compared = 0
    for truth_path, elf_path in cases(shared):
        if not elf_path.exists() or not elf_path.stat().st_size:
            continue
        truth = json.loads(truth_path.read_text(encoding="utf-8", errors="surrogateescape"))
        if "output_sections" not in truth:
            continue
        elf = read_elf(elf_path.name, elf_path.read_bytes())
        name = str(truth_path.parent.relative_to(shared))
        assert (elf.bits, f"ET_{elf.kind}", elf.entry) == (
            truth["elf_class"],
            truth["e_type"],
            truth["entry"],
        ), name
        assert sections(elf) == expected_sections(truth), name
        assert segments(elf) == expected_segments(truth), name
        assert symbols(elf) == expected_symbols(truth, elf.machine), name
        compared += 1
    assert compared > 200


def sections(elf: ElfFile) -> list[tuple[object, ...]]:
    return [
        (
            s.name, s.vma, s.lma, s.size, s.alignment,
            s.allocated, s.writable, s.executable, not s.has_contents,
        )
        for s in elf.sections[1:]
    ]  # fmt: skip


def expected_sections(truth: dict[str, Any]) -> list[tuple[object, ...]]:
    keys = ("size", "align", "alloc", "write", "exec", "nobits")
    return [
        (
            row["name"],
            row["vma"],
            row["vma"] if row["lma"] is None else row["lma"],  # None: in no segment
            *(row[key] for key in keys),
        )
        for row in truth["output_sections"]
    ]


def segments(elf: ElfFile) -> list[tuple[int, ...]]:
    return [
        (s.vma, s.lma, s.file_size, s.memory_size, s.flags)
        for s in elf.segments
        if s.kind == "LOAD"
    ]


def expected_segments(truth: dict[str, Any]) -> list[tuple[int, ...]]:
    keys = ("vaddr", "paddr", "filesz", "memsz", "flags")
    return [
        tuple(row[key] for key in keys) for row in truth["segments"] if row["type"] == "PT_LOAD"
    ]


def symbols(elf: ElfFile) -> list[tuple[object, ...]]:
    return [
        (
            s.name, s.address, s.size, s.is_global,
            "SHN_ABS" if s.absolute else elf.sections[s.section or 0].name,
        )
        for s in elf.symbols
        if s.name or s.kind is not SymbolKind.FILE  # the truth files leave out nameless files
    ]  # fmt: skip


def expected_symbols(truth: dict[str, Any], machine: str) -> list[tuple[object, ...]]:
    mapped = machine in ("ARM", "RISCV")
    return [
        (
            row["name"],
            row["addr"] & ~1 if machine == "ARM" and row["type"] == "STT_FUNC" else row["addr"],
            row["size"],
            row["bind"] != "STB_LOCAL",
            row["section"],
        )
        for row in truth["symbols"]
        if row["section"] != "SHN_UNDEF"
        and not (mapped and row["type"] == "STT_NOTYPE" and row["name"].startswith(MAPPED))
    ]


def test_images_of_other_linkers_equal_what_readelf_said(shared: Path) -> None:
    compared = 0
    for path in sorted((shared / "corpus").glob("*/*.elf")):
        truth_path = path.with_name(path.name + "_truth.json")
        if not truth_path.exists():
            continue
        truth = json.loads(truth_path.read_text(encoding="utf-8", errors="surrogateescape"))
        elf = read_elf(path.name, path.read_bytes())
        for row in truth["sections"]:
            section = elf.sections[row["i"]]
            found = (section.name, section.vma, section.size, section.offset, section.lma)
            lma = section.vma if row["lma"] is None else row["lma"]
            assert found == (row["name"], row["addr"], row["size"], row["off"], lma), path.name
        compared += 1
    assert compared > 10
