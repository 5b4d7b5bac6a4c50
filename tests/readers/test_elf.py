"""The ELF reader on good files: images of the builder, whose facts are written beside them."""

import struct

import pytest

from mapinspect.model.elf_file import ElfFile, SymbolKind
from mapinspect.readers.elf import read_elf
from tests.elf_builder import (
    SHF_ALLOC,
    SHF_TLS,
    SHF_WRITE,
    SHN_ABS,
    SHN_COMMON,
    SHN_UNDEF,
    SHT_ARM_ATTRIBUTES,
    SHT_NOBITS,
    SHT_NOTE,
    STB_LOCAL,
    STT_FILE,
    STT_FUNC,
    STT_NOTYPE,
    STT_TLS,
    ElfSectionSpec,
    ElfSegmentSpec,
    ElfSymbolSpec,
    bss,
    build_elf,
    data,
    text,
)

FLASH, RAM = 0x0800_0000, 0x2000_0000
IMAGE = (text(b"code" * 4), data(b"abcd", lma=FLASH + 16), bss(64))


def read(**arguments: object) -> ElfFile:
    return read_elf("app.elf", build_elf(IMAGE, **arguments))


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("big_endian", [False, True])
@pytest.mark.parametrize("extended", [False, True], ids=["plain", "extended numbering"])
def test_sections_and_symbols_read_alike_in_every_class_and_order(
    bits: int, big_endian: bool, extended: bool
) -> None:
    symbols = [ElfSymbolSpec("arena", RAM + 0x1000, 64, ".bss"), ElfSymbolSpec("limit", 77)]
    elf = read(symbols=symbols, bits=bits, big_endian=big_endian, extended=extended)
    placed = {s.name: (s.vma, s.lma, s.size, s.kind, s.has_contents) for s in elf.sections[1:4]}
    assert placed == {
        ".text": (FLASH, FLASH, 16, "PROGBITS", True),
        ".data": (RAM, FLASH + 16, 4, "PROGBITS", True),
        ".bss": (RAM + 0x1000, RAM + 0x1000, 64, "NOBITS", False),
    }
    assert bytes(elf.contents(elf.sections[2])) == b"abcd"
    assert (elf.bits, elf.little_endian, elf.kind, elf.machine) == (
        bits,
        not big_endian,
        "EXEC",
        "ARM",
    )
    found = [(s.name, s.address, s.size, s.section, s.absolute) for s in elf.symbols]
    assert found == [("arena", RAM + 0x1000, 64, 3, False), ("limit", 77, 0, None, True)]


def test_segments_are_kept_as_the_file_says() -> None:
    segment = read().segments[1]
    assert (segment.kind, segment.vma, segment.lma) == ("LOAD", RAM, FLASH + 16)
    assert (segment.file_size, segment.memory_size) == (4, 4)


def test_a_symbol_is_found_by_its_exact_name_in_table_order() -> None:
    elf = read(
        symbols=[
            ElfSymbolSpec("twice", RAM, 2, ".data", binding=STB_LOCAL),
            ElfSymbolSpec("twice", RAM + 2, 2, ".data", binding=STB_LOCAL),
            ElfSymbolSpec("once", FLASH, 4, ".text"),
        ]
    )
    assert [symbol.address for symbol in elf.symbols.named("twice")] == [RAM, RAM + 2]
    assert elf.symbols.named("twic") == ()
    assert elf.symbols.named("\ud800 no bytes decode to this") == ()
    assert elf.symbols[elf.symbols.named("once")[0].ordinal].name == "once"


def test_a_name_that_is_not_utf8_survives() -> None:
    elf = read(symbols=[ElfSymbolSpec(b"\xff\xfe", RAM, 4, ".data")])
    assert elf.symbols[0].name == "\udcff\udcfe"
    assert elf.symbols.named("\udcff\udcfe") == (elf.symbols[0],)


def test_the_thumb_bit_is_cleared_from_functions_only() -> None:
    elf = read(
        symbols=[
            ElfSymbolSpec("main", FLASH + 1, 16, ".text", STT_FUNC),
            ElfSymbolSpec("table", FLASH + 1, 2, ".text"),
        ]
    )
    assert [(symbol.name, symbol.address) for symbol in elf.symbols] == [
        ("main", FLASH),
        ("table", FLASH + 1),
    ]


def test_a_function_with_a_wrong_size_is_read() -> None:
    symbol = ElfSymbolSpec("strcmp", FLASH + 1, 732, ".text", STT_FUNC)  # as newlib's is
    assert read(symbols=[symbol]).symbols[0].size == 732


def test_another_machine_keeps_odd_addresses() -> None:
    symbol = ElfSymbolSpec("main", FLASH + 1, 4, ".text", STT_FUNC)
    assert read(symbols=[symbol], machine="XTENSA").symbols[0].address == FLASH + 1


@pytest.mark.parametrize("name", ["$t", "$d", "$a", "$x", "$d.7", "$t.main", "$xrv32i2p1_m2p0"])
def test_mapping_symbols_are_left_out(name: str) -> None:
    mapping = ElfSymbolSpec(name, FLASH, 0, ".text", STT_NOTYPE, STB_LOCAL)
    elf = read(symbols=[mapping, ElfSymbolSpec("main", FLASH, 4, ".text", STT_FUNC)])
    assert [symbol.name for symbol in elf.symbols] == ["main"]


@pytest.mark.parametrize(
    ("symbol", "machine"),
    [
        pytest.param(ElfSymbolSpec("$d", FLASH, 4, ".text"), "ARM", id="an object"),
        pytest.param(ElfSymbolSpec("$done", FLASH, 0, ".text", 0, 0), "ARM", id="a longer name"),
        pytest.param(ElfSymbolSpec("$d", FLASH, 0, ".text", 0, 0), "AVR", id="on AVR"),
    ],
)
def test_what_only_looks_like_a_mapping_symbol_stays(symbol: ElfSymbolSpec, machine: str) -> None:
    assert [each.name for each in read(symbols=[symbol], machine=machine).symbols] == [symbol.name]


def test_undefined_symbols_are_left_out_and_others_say_where_they_are_not() -> None:
    elf = read(
        symbols=[
            ElfSymbolSpec("missing", section=SHN_UNDEF),
            ElfSymbolSpec("main.c", section=SHN_ABS, kind=STT_FILE, binding=STB_LOCAL),
            ElfSymbolSpec("shared", 8, 4, section=SHN_COMMON),
        ]
    )
    found = [(s.name, s.kind, s.address, s.section, s.absolute) for s in elf.symbols]
    assert found == [
        ("main.c", SymbolKind.FILE, 0, None, True),
        ("shared", SymbolKind.COMMON, 0, None, False),
    ]


def test_thread_locals_are_offsets_and_their_zeros_share_addresses() -> None:
    tls = SHF_ALLOC | SHF_WRITE | SHF_TLS
    sections = [
        text(b"code"),
        ElfSectionSpec(".tdata", b"abcd", RAM, FLASH + 4, flags=tls),
        ElfSectionSpec(".tbss", vma=RAM + 4, memory=8, kind=SHT_NOBITS, flags=tls),
        data(b"wxyz", RAM + 4, FLASH + 8),
    ]
    symbol = ElfSymbolSpec("per_thread", 4, 8, ".tbss", STT_TLS)
    elf = read_elf("app.elf", build_elf(sections, [symbol]))
    assert (elf.symbols[0].kind, elf.symbols[0].address) == (SymbolKind.TLS, 4)
    assert not elf.symbols[0].has_address
    assert [section.thread_local for section in elf.sections[1:5]] == [False, True, True, False]


def test_overlays_share_run_addresses_and_keep_their_load_addresses() -> None:
    sections = [
        text(b"one!", RAM, ".ovl1"),
        text(b"second", RAM, ".ovl2"),
        bss(16, RAM, ".ovl2_zeros"),
    ]
    segments = [
        ElfSegmentSpec((".ovl1",), lma=FLASH),
        ElfSegmentSpec((".ovl2",), lma=FLASH + 4),
        ElfSegmentSpec((".ovl2_zeros",)),
    ]
    elf = read_elf("app.elf", build_elf(sections, segments=segments))
    assert [s.lma for s in elf.sections[1:4]] == [FLASH, FLASH + 4, RAM]


def test_overlays_of_zeros_share_addresses_too() -> None:
    sections = [text(b"code"), bss(64, RAM, ".ovl1"), bss(32, RAM, ".ovl2")]
    elf = read_elf("app.elf", build_elf(sections))
    assert [s.vma for s in elf.sections[2:4]] == [RAM, RAM]


def test_zeroed_load_addresses_everywhere_mean_loaded_where_it_runs() -> None:
    segments = [ElfSegmentSpec((name,), lma=0) for name in (".text", ".data", ".bss")]
    assert [s.lma for s in read(segments=segments).sections[1:4]] == [FLASH, RAM, RAM + 0x1000]


def test_an_armlink_image_has_one_segment_and_ram_sections_outside_it() -> None:
    sections = [
        text(b"code" * 4, FLASH, "ER_IROM1"),
        data(b"init", RAM, name="RW_IRAM1"),
        bss(96, RAM + 4, "RW_IRAM1"),
    ]
    one = ElfSegmentSpec(("ER_IROM1", "RW_IRAM1"), FLASH, FLASH, memory=16 + 4 + 96)
    elf = read_elf("app.axf", build_elf(sections, segments=[one]))
    assert [(s.vma, s.lma) for s in elf.sections[1:4]] == [
        (FLASH, FLASH),
        (RAM, FLASH + 16),
        (RAM + 4, RAM + 4),
    ]


def test_an_armlink_load_region_may_hold_only_sections_that_run_elsewhere() -> None:
    sections = [text(b"code" * 4, FLASH, "ER_IROM1"), text(b"fast", 0, "ER_ITCM")]
    regions = [
        ElfSegmentSpec(("ER_IROM1",), flags=0x8000_0007),
        ElfSegmentSpec(("ER_ITCM",), vma=FLASH + 0x100, lma=FLASH + 0x100, memory=4),
    ]
    elf = read_elf("app.axf", build_elf(sections, segments=regions))
    assert [(s.vma, s.lma) for s in elf.sections[1:3]] == [(FLASH, FLASH), (0, FLASH + 0x100)]


def test_an_object_file_has_sections_at_zero_and_no_segments() -> None:
    sections = [text(b"code", 0, ".text.f"), text(b"more", 0, ".text.g")]
    symbols = [ElfSymbolSpec("g", 1, 4, ".text.g", STT_FUNC)]
    elf = read_elf("main.o", build_elf(sections, symbols, kind="REL"))
    assert (elf.kind, elf.segments, elf.symbols[0].address) == ("REL", (), 0)


def test_more_sections_than_16_bits_hold_are_read() -> None:
    sections = [ElfSectionSpec(f".s{i}", b"", flags=0) for i in range(0xFF10)]
    sections.append(text(b"code", 0, ".last"))
    symbols = [ElfSymbolSpec("f", 0, 4, ".last", STT_FUNC)]
    elf = read_elf("big.o", build_elf(sections, symbols, kind="REL"))
    assert elf.symbols[0].section == 0xFF11
    assert elf.sections[0xFF11].name == ".last"


def test_the_build_id_is_read_from_its_note() -> None:
    note = b"\4\0\0\0\5\0\0\0\3\0\0\0GNU\0" + bytes.fromhex("0123456789000000")
    section = ElfSectionSpec(".note.gnu.build-id", note, FLASH, kind=SHT_NOTE)
    assert read_elf("app.elf", build_elf([section])).build_id == "0123456789"
    assert read().build_id is None


def test_arm_build_attributes_are_read_by_tag() -> None:
    # Tag_CPU_name 5 "Cortex-M4", Tag_CPU_arch 6 = 13, Tag_compatibility 32 = 1 "x",
    # Tag_ABI_VFP_args 28 = 1, behind a vendor of another name.
    tags = b"\x05Cortex-M4\0\x06\x0d\x20\x01x\0\x1c\x01"
    scope = b"\x01" + (5 + len(tags)).to_bytes(4, "little") + tags
    vendor = (10 + len(scope)).to_bytes(4, "little") + b"aeabi\0" + scope
    other = (8).to_bytes(4, "little") + b"gnu\0"
    attributes = ElfSectionSpec(
        ".ARM.attributes", b"A" + other + vendor, kind=SHT_ARM_ATTRIBUTES, flags=0, alignment=1
    )
    elf = read_elf("app.elf", build_elf([*IMAGE, attributes]))
    assert elf.arm_attributes == {5: "Cortex-M4", 6: 13, 32: 1, 28: 1}


def test_a_segment_without_file_bytes_may_point_into_another_section() -> None:
    # ld leaves the offset of a NOBITS-only segment where the file happened to be.
    sections = [text(b"code"), bss(64), ElfSectionSpec(".comment", bytes(64), flags=0)]
    content = build_elf(sections)
    start = struct.unpack_from("<I", content, 28)[0] + 32  # the program header of .bss
    inside = struct.unpack_from("<I", content, start + 4)[0] + 8
    moved = content[: start + 4] + struct.pack("<I", inside) + content[start + 8 :]
    assert read_elf("app.elf", moved).sections[3].name == ".comment"
