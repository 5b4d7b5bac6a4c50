"""Inputs, fills and data must add up to each section, as far as a map alone can tell."""

import pytest

from mapinspect.analysis.conservation import unconserved
from mapinspect.analysis.map_summary import summarise
from mapinspect.analysis.region_use import region_use
from mapinspect.model.link_map import LinkMap
from mapinspect.readers.gnu_map import read_map

HEAD = b"""\
Memory Configuration

Name             Origin             Length             Attributes
FLASH            0x08000000         0x00000100         xr
RAM              0x20000000         0x00000100         xrw
*default*        0x00000000         0xffffffff

Linker script and memory map

LOAD a.o
LOAD b.o
"""
TAIL = b"OUTPUT(a.elf elf32-littlearm)\n"
TEXT = b"""\

.text           0x08000000       0x20
 .text          0x08000000       0x10 a.o
 *fill*         0x08000010        0x4\x20
                0x08000014        0x4 LONG 0x1
 .text          0x08000018        0x8 b.o
"""
COMMENT = b"""\

.comment        0x00000000       0x30
 .comment       0x00000000       0x26 a.o
"""


def link_map(*sections: bytes) -> LinkMap:
    return read_map("a.map", HEAD + b"".join(sections) + TAIL)


@pytest.mark.parametrize(
    ("change", "found"),
    [
        pytest.param((b"", b""), None, id="all bytes explained"),
        pytest.param((b"0x10 a.o", b"0x11 a.o"), 0x21, id="one byte too many"),
        pytest.param((b"0x8 b.o", b"0x7 b.o"), 0x1F, id="one byte missing"),
        pytest.param((b"0x4 LONG", b"0x5 LONG"), 0x21, id="a data statement too long"),
        pytest.param((b"        0x4\x20\n", b"        0x3\x20\n"), 0x1F, id="a fill too short"),
        pytest.param((b" .text          0x08000018        0x8 b.o\n", b""), 0x18, id="no last row"),
    ],
)
def test_a_section_is_told_by_what_its_lines_explain(
    change: tuple[bytes, bytes], found: int | None
) -> None:
    faults = unconserved(link_map(TEXT.replace(*change)))
    assert [(f.section, f.expected, f.found) for f in faults] == (
        [] if found is None else [(".text", 0x20, found)]
    )
    assert [f.evidence.line for f in faults] == ([] if found is None else [13])


def test_only_the_allocated_sections_asked_for_are_judged() -> None:
    both = link_map(TEXT.replace(b"0x8 b.o", b"0x7 b.o"), COMMENT)
    assert [f.section for f in unconserved(both)] == [".text", ".comment"]
    assert [f.section for f in unconserved(both, {(".text", 0x08000000)})] == [".text"]
    assert unconserved(both, {(".data", 0x20000000)}) == ()


def test_an_address_that_an_old_ld_sign_extended_is_the_same() -> None:
    text = TEXT.replace(b"0x08000", b"0xffffffff88000")
    wide = link_map(text.replace(b"0x8 b.o", b"0x7 b.o"))
    assert [f.found for f in unconserved(wide, {(".text", 0x88000000)})] == [0x1F]


def test_bytes_under_a_name_without_numbers_are_too_many() -> None:
    dropped = link_map(TEXT, b"\n.gone\n .text          0x08000000       0x10 a.o\n")
    assert [(f.section, f.expected, f.found) for f in unconserved(dropped)] == [(".gone", 0, 0x10)]


def test_what_is_left_of_merged_strings_is_what_lies_between_addresses() -> None:
    # As ld 2.40 prints them: b.o's strings are all in a.o's, yet it shows its original size.
    strings = link_map(
        b"\n.rodata         0x08000000       0x14\n"
        b" .rodata.str1.4\n                0x08000000       0x10 a.o\n"
        b" .rodata.str1.4\n                0x08000010       0x30 b.o\n"
        b" .rodata        0x08000010        0x4 b.o\n"
    )
    assert unconserved(strings) == ()
    assert [row.occupied for row in strings.inputs.of_section(0)] == [0x10, 0, 4]


def test_objects_and_regions_are_summed() -> None:
    bss = b"\n.bss            0x20000000      0x180\n .bss           0x20000000      0x180 a.o\n"
    summary = summarise(link_map(TEXT, bss, COMMENT.replace(b"0x30", b"0x26")))
    assert [(row.owner.path, row.bytes) for row in summary.objects] == [("a.o", 0x190), ("b.o", 8)]
    use = region_use(summary.link_map)
    assert [(u.region.name, u.used, u.free) for u in use.usages] == [
        ("FLASH", 0x20, 0xE0),
        ("RAM", 0x180, -0x80),
    ]
    assert use.outside == ()
    assert summary.complete


def test_a_section_in_no_region_is_outside() -> None:
    far = b"\n.far            0x60000000        0x4\n .far           0x60000000        0x4 a.o\n"
    assert [section.name for section in region_use(link_map(TEXT, far)).outside] == [".far"]
