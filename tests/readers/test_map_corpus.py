"""Public maps of ten architectures: the reader against truth files and against a second reader.

``*.truth.json`` was read off each map by another program; ``*.elf_truth.json`` off the ELF.
"""

from pathlib import Path

import pytest

from mapinspect.analysis.conservation import unconserved
from mapinspect.model.link_map import LinkMap, ObjectFile
from tests.readers.naive_map import naive
from tests.readers.shared_maps import each_map, map_of, truth_of

pytestmark = pytest.mark.corpus

# Microchip's XC16 counts in words and prints other columns: refused by name.
GNU_LD = (
    *(f"corpus/gnuld-{name}/*.map" for name in ("aarch64", "arm", "avr", "l10n", "m68k", "mips")),
    *(f"corpus/gnuld-{name}/*.map" for name in ("other", "riscv", "sh", "x86", "xtensa")),
    "corpus/local-gnuld/*.map",
    "corpus/local-gnuld-l10n/*.map",
)
LINKS = ("link_cases/*/case.map", "link_cases/*/variants/*/case.map", "link_cases/x64_loc*/*.map")
# ld stopped before it wrote a memory map: see test_map_link_cases.
NO_MAP = ("arm_fatal_no_map", "arm_undef_expr")
WORD = 2**32


@each_map(*GNU_LD)
def test_regions_and_sections_equal_the_truth(path: Path) -> None:
    link_map, truth = map_of(path), truth_of(path)
    regions = [(r.name, r.origin, r.length, r.attributes) for r in link_map.regions]
    assert regions == [(r["name"], r["origin"], r["length"], r["attrs"]) for r in truth["regions"]]
    sections = [
        (s.name, s.vma, s.size, s.lma if s.lma != s.vma else None, s.line)
        for s in link_map.sections
        if s.size is not None
    ]
    assert sections == [
        (s["name"], s["addr"], s["size"], s["lma"], s["line"]) for s in truth["sections"]
    ]


@each_map(*GNU_LD, *LINKS)
def test_every_line_is_understood_and_every_section_adds_up(path: Path) -> None:
    if any(name in path.parts for name in NO_MAP):
        pytest.skip("ld stopped before it wrote this map")
    link_map = map_of(path)
    assert link_map.unknown == ()
    assert link_map.missing == ()
    assert link_map.line_count == path.read_bytes().count(b"\n")
    assert unconserved(link_map) == ()


@each_map(*GNU_LD, *LINKS, "corpus/cases/*.map")
def test_a_naive_second_reader_finds_the_same_bytes(path: Path) -> None:
    try:
        link_map = map_of(path)
    except Exception as refusal:  # noqa: BLE001 - tested elsewhere: no map, or another linker's
        pytest.skip(str(refusal).removeprefix(str(path)))
    second = naive(path.read_bytes())
    header = [(s.name, s.vma, s.size, s.lma, s.line) for s in second]
    assert [(s.name, s.vma, s.size, s.lma, s.line) for s in link_map.sections] == header
    for section, seen in zip(link_map.sections, second, strict=True):
        totals = link_map.inputs.totals(section.ordinal)
        assert (totals.fills, totals.data) == (seen.fills, seen.data)
        assert rows_of(link_map, section.ordinal) == [
            (name, address, size, without_temporary(owner), line)
            for name, address, size, owner, line in seen.inputs
        ]


def rows_of(link_map: LinkMap, section: int) -> list[tuple[str, int, int, str, int]]:
    rows = sorted(link_map.inputs.of_section(section), key=lambda row: row.ordinal)
    return [(r.name, r.address, r.size, printed(r.owner), r.line) for r in rows]


def printed(owner: ObjectFile) -> str:
    return owner.path if owner.archive is None else f"{owner.archive}({owner.path})"


def without_temporary(owner: str) -> str:
    """Cut the random folder and prefix off what gcc names during link-time optimisation."""
    for mark in (".ltrans", ".debug.temp", ".lto.o"):
        if owner.replace("\\", "/").rpartition("/")[2].startswith("cc") and mark in owner:
            return owner[owner.index(mark) + 1 :]
    return owner


@each_map(*(pattern.replace(".map", ".elf_truth.json") for pattern in GNU_LD))
def test_allocated_sections_agree_with_the_elf(path: Path) -> None:
    elf = truth_of(path.with_suffix("").with_suffix(".x"), ".elf_truth.json")
    link_map = map_of(path.with_name(path.name.replace(".elf_truth.json", ".map")))
    printed_sections = {(s.name, (s.vma or 0) % WORD, s.size) for s in link_map.sections}
    for section in elf["sections"]:
        assert (section["name"], section["addr"] % WORD, section["size"]) in printed_sections
