"""Owners: every byte of every region once, over every link case and on images made for it."""

from pathlib import Path

import pytest

from mapinspect.analysis.inspect import Records, inspect, surroundings
from mapinspect.analysis.owner_totals import is_mixed, object_totals, owned_symbols
from mapinspect.analysis.owners import owner_rows, pieces_of
from mapinspect.model.budget import BudgetTable
from mapinspect.model.elf_file import ElfFile
from mapinspect.model.inspection import Inspection
from mapinspect.model.link_map import LinkMap, ObjectFile
from mapinspect.model.owner import OwnerKind, OwnerRow
from mapinspect.readers.elf import read_elf
from mapinspect.readers.gnu_map import read_map
from tests.linked import link

BUILT = Path(__file__).parents[2] / "fixtures" / "built"


def read(folder: Path, name: str) -> tuple[ElfFile, LinkMap]:
    elf, link_map = folder / f"{name}.elf", folder / f"{name}.map"
    return read_elf(str(elf), elf.read_bytes()), read_map(str(link_map), link_map.read_bytes())


def owned(elf: ElfFile, link_map: LinkMap | None) -> tuple[Inspection, list[OwnerRow]]:
    facts = inspect(Records(BudgetTable(path=""), elf, link_map))
    return facts, list(owner_rows(facts.usages, pieces_of(elf, link_map, facts.reservations)))


def assert_every_byte_once(facts: Inspection, rows: list[OwnerRow]) -> None:
    for usage in facts.usages:
        mine = [row.span for row in rows if row.region == usage.region.name]
        assert sum(span.size for span in mine) == usage.used
        position = usage.region.span.start
        for span in mine:
            assert (span.start, span.size > 0) == (position, True)
            position = span.end


def linked_cases() -> list[str]:
    shared = Path(__file__).resolve().parents[3] / "shared" / "link_cases"
    found = [*shared.glob("*/case.elf"), *shared.glob("*/variants/*/case.elf")]
    return sorted(str(path.parent.relative_to(shared)) for path in found if path.stat().st_size)


@pytest.mark.corpus
@pytest.mark.parametrize("case", linked_cases())
def test_link_cases_have_one_owner_for_every_byte(case: str, shared: Path) -> None:
    elf, link_map = read(shared / "link_cases" / case, "case")
    facts, rows = owned(elf, link_map)
    assert_every_byte_once(facts, rows)
    around, _ = surroundings(Records(BudgetTable(path=""), elf, link_map))
    pieces = pieces_of(elf, link_map)
    for section in around.sections:
        inside = pieces.of(section) if section.size else ()
        assert sum(piece.size for piece in inside) == section.size
        kinds = {piece.kind for piece in inside}
        assert not kinds & {OwnerKind.UNEXPLAINED, OwnerKind.SECTION}, section.name


BUILT_CASES = sorted(path.parent.name for path in BUILT.glob("*/app.elf"))


@pytest.mark.parametrize("case", BUILT_CASES)
def test_built_firmware_has_one_owner_for_every_byte(case: str) -> None:
    facts, rows = owned(*read(BUILT / case, "app"))
    assert_every_byte_once(facts, rows)
    totals = object_totals(rows)
    assert sum(total.bytes for total in totals) == sum(usage.used for usage in facts.usages)


def test_without_a_map_the_sections_own_their_bytes() -> None:
    elf, _ = read(BUILT / "good", "app")
    pieces = pieces_of(elf, None)
    around, _ = surroundings(Records(BudgetTable(path=""), elf, None))
    assert [pieces.of(section)[0].kind for section in around.sections] == [OwnerKind.SECTION] * len(
        around.sections
    )


def test_a_stack_is_reserved_and_no_padding() -> None:
    _, rows = owned(*read(BUILT / "good", "app"))
    reserved = [row for row in rows if row.kind is OwnerKind.RESERVED]
    assert sum(row.span.size for row in reserved) == 8192  # the script's 4 KiB of stack and heap


SCRIPT = """MEMORY { F (rx) : ORIGIN = 0x8000, LENGTH = 32K
  R (rwx) : ORIGIN = 0x20000000, LENGTH = 8K }
SECTIONS {
  .text : { *(.text*) . = ALIGN(16); LONG(0x1234) } >F
  .rodata : ALIGN(64) { *(.rodata*) } >F
  .data : { *(.data*) } >R AT>F
  .bss (NOLOAD) : { *(.bss*) } >R
}"""
SOURCE = """ .text
 .global _start
 .type _start, %function
_start: .space 10
 .size _start, 10
 .global again
again = _start
 .type again, %function
 .section .rodata.str1.1,"aMS",%progbits,1
 .asciz "one"
 .asciz "two"
 .asciz "one"
 .data
 .global counter
 .type counter, %object
 .size counter, 4
counter: .word 7
 .bss
 .space 32
"""


@pytest.mark.toolchain
def test_each_kind_of_owner_is_told(tmp_path: Path) -> None:
    image = link(tmp_path, "arm", SCRIPT, SOURCE)
    facts, rows = owned(image.elf_file(), image.link_map())
    assert_every_byte_once(facts, rows)
    told = [(row.kind, row.region, row.section, row.span.size) for row in rows]
    assert told == [
        (OwnerKind.INPUT, "F", ".text", 10),
        (OwnerKind.FILL, "F", ".text", 6),
        (OwnerKind.DATA, "F", ".text", 4),
        (OwnerKind.PADDING, "F", "", 44),
        (OwnerKind.MERGED, "F", ".rodata", 8),
        (OwnerKind.INPUT, "F", ".data", 4),
        (OwnerKind.INPUT, "R", ".data", 4),
        (OwnerKind.INPUT, "R", ".bss", 32),
    ]


@pytest.mark.toolchain
def test_symbols_hang_under_the_objects_that_hold_them(tmp_path: Path) -> None:
    image = link(tmp_path, "arm", SCRIPT, SOURCE)
    elf, link_map = image.elf_file(), image.link_map()
    around, _ = surroundings(Records(BudgetTable(path=""), elf, link_map))
    found = list(owned_symbols(around, pieces_of(elf, link_map)))
    assert {symbol.names for symbol in found} == {("_start", "again"), ("counter",)}
    assert {symbol.owner for symbol in found} == {ObjectFile("a.o", None)}
    (counter,) = [symbol for symbol in found if symbol.names == ("counter",)]
    assert (counter.region, counter.load_region) == ("R", "F")


@pytest.mark.parametrize(
    ("path", "mixed"),
    [
        pytest.param("ltrans0.ltrans.o", True, id="a partition of gcc"),
        pytest.param("./app.elf.ltrans12.ltrans.o", True, id="kept under the output's name"),
        pytest.param("C:\\build\\fw.elf.lto.o", True, id="one object for all"),
        pytest.param("fw.elf.lto.thumb.o", True, id="LLVM's"),
        pytest.param("lto.o", False, id="an object that is only named so"),
        pytest.param("filter.o", False, id="an ordinary object"),
    ],
)
def test_objects_of_link_time_optimisation(path: str, mixed: bool) -> None:
    assert is_mixed(ObjectFile(path, None)) is mixed
    assert not is_mixed(ObjectFile(path, "lib.a"))
