"""What the reader makes of a small map; the values are read off the map by eye."""

import pytest

from mapinspect.errors import InputError
from mapinspect.model.link_map import ArchiveMember, Assignment, LinkMap, MapRegion, ObjectFile
from mapinspect.readers.gnu_map import read_map

SMALL = b"""\
Archive member included to satisfy reference by file (symbol)

libown.a(div.o)               main.o (div_it)

Discarded input sections

 .text.unused   0x00000000       0x2a main.o

Memory Configuration

Name             Origin             Length             Attributes
FLASH            0x08000000         0x00010000         xr
RAM              0x20000000         0x00005000         xrw
*default*        0x00000000         0xffffffff

Linker script and memory map

LOAD main.o
LOAD libown.a
                0x20005000                        _estack = (ORIGIN (RAM) + LENGTH (RAM))

.text           0x08000000       0x24
 *(.text*)
 .text.main     0x08000000       0x11 main.o
                0x08000000                main
 *fill*         0x08000011        0x3\x20
 .text.a_long_name
                0x08000014        0x8 libown.a(div.o)
                0x08000014                div_it
                0x0800001c        0x8 QUAD 0x5

.data           0x20000000        0x4 load address 0x08000024
 .data.counter  0x20000000        0x4 main.o
                0x20000000                counter
                [!provide]                        PROVIDE (end = .)

.fastcode
 *(.fastcode*)
OUTPUT(case.elf elf32-littlearm)
LOAD linker stubs
"""


@pytest.fixture(scope="module")
def small() -> LinkMap:
    return read_map("small.map", SMALL)


def test_regions_are_the_rows_of_the_memory_table(small: LinkMap) -> None:
    assert small.regions == (
        MapRegion("FLASH", 0x08000000, 0x10000, "xr", 12),
        MapRegion("RAM", 0x20000000, 0x5000, "xrw", 13),
        MapRegion("*default*", 0, 0xFFFFFFFF, "", 14),
    )


def test_sections_keep_both_addresses_and_their_line(small: LinkMap) -> None:
    rows = [(s.name, s.vma, s.size, s.lma, s.line) for s in small.sections]
    assert rows == [
        (".text", 0x08000000, 0x24, 0x08000000, 22),
        (".data", 0x20000000, 4, 0x08000024, 32),
        (".fastcode", None, None, None, 37),
    ]


def test_input_sections_know_name_owner_and_line(small: LinkMap) -> None:
    rows = [small.inputs[ordinal] for ordinal in range(len(small.inputs))]
    assert [(r.name, r.address, r.size, r.section, r.line) for r in rows] == [
        (".text.main", 0x08000000, 0x11, 0, 24),
        (".text.a_long_name", 0x08000014, 8, 0, 27),
        (".data.counter", 0x20000000, 4, 1, 33),
    ]
    assert [r.owner for r in rows] == [
        ObjectFile("main.o", None),
        ObjectFile("div.o", "libown.a"),
        ObjectFile("main.o", None),
    ]


def test_fills_data_symbols_and_assignments_are_read_on_demand(small: LinkMap) -> None:
    assert [(f.address, f.size, f.section, f.line) for f in small.fills] == [(0x08000011, 3, 0, 26)]
    assert [(d.address, d.size, d.keyword, d.text) for d in small.data] == [
        (0x0800001C, 8, "QUAD", "0x5")
    ]
    assert [(s.name, s.address, s.section) for s in small.symbols] == [
        ("main", 0x08000000, 0),
        ("div_it", 0x08000014, 0),
        ("counter", 0x20000000, 1),
    ]
    assert list(small.assignments) == [
        Assignment("_estack", 0x20005000, "(ORIGIN (RAM) + LENGTH (RAM))", provided=False, line=20),
        Assignment("end", None, ".", provided=True, line=35),
    ]
    assert small.script_values() == {"_estack": 0x20005000}


def test_the_tables_around_the_map_are_read(small: LinkMap) -> None:
    member = ObjectFile("div.o", "libown.a")
    assert small.members == (ArchiveMember(member, "main.o", "div_it", 3),)
    assert [(d.name, d.size, d.line) for d in small.discarded] == [(".text.unused", 0x2A, 7)]
    assert small.loaded == ("main.o", "libown.a", "linker stubs")
    assert (small.output_file, small.output_format) == ("case.elf", "elf32-littlearm")


def test_every_line_is_understood(small: LinkMap) -> None:
    assert small.unknown == ()
    assert small.line_count == 40
    assert small.complete


def test_a_line_that_no_rule_claims_is_kept_with_its_number() -> None:
    broken = SMALL.replace(b"0x08000014        0x8 libown", b"0x080g0014        0x8 libown")
    link_map = read_map("broken.map", broken)
    assert [(u.line, u.text) for u in link_map.unknown] == [
        (27, " .text.a_long_name"),
        (28, "                0x080g0014        0x8 libown.a(div.o)"),
    ]
    assert not link_map.complete


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param(b"RAM              0x2", b"RAM              0xz", id="a row that is garbled"),
        pytest.param(b"RAM    ", b"warning: odd\nRAM    ", id="a line of other output"),
        pytest.param(b"RAM  ", b"FLASH", id="a row under the name of another"),
    ],
)
def test_no_map_is_whole_when_its_memory_table_is_not_understood(old: bytes, new: bytes) -> None:
    # A region inside a larger one is lost with its row, and neither sums nor sections tell.
    [what] = read_map("broken.map", SMALL.replace(old, new, 1)).missing
    assert "memory table" in what


@pytest.mark.parametrize(
    ("content", "what"),
    [
        pytest.param(b"", "is empty", id="an empty file"),
        pytest.param(b"\x7fELF\x01", "is an ELF file", id="an ELF file"),
        pytest.param(b"\x1f\x8b\x08", "compressed with gzip", id="a gzip file"),
        pytest.param(b"hello\n", "is no link map", id="any text"),
        pytest.param(
            SMALL[:200], "ends before its memory table", id="a map cut in its first tables"
        ),
        pytest.param(SMALL[:600], "ends before its first output", id="a map without a section"),
        pytest.param(SMALL.replace(b"main", b"ma\0n"), "NUL", id="a NUL byte"),
        pytest.param(b" " * 70_000 + b"\n" + SMALL, "longer than 64 KiB", id="a line of 70 kB"),
        pytest.param(SMALL.replace(b"0x24\n", b"0x1" + b"0" * 17 + b"\n"), "64 bits", id="2**68"),
    ],
)
def test_what_is_no_map_is_refused(content: bytes, what: str) -> None:
    with pytest.raises(InputError, match=what):
        read_map("bad.map", content)
