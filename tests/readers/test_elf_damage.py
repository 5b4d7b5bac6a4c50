"""Damaged ELF files: each is refused with its reason, and nothing but InputError comes out."""

import contextlib
import random
import re
import struct
import zlib
from dataclasses import replace
from pathlib import Path

import pytest

from mapinspect.errors import InputError
from mapinspect.model.elf_file import ElfFile
from mapinspect.readers.elf import read_elf
from tests.elf_builder import (
    SHF_ALLOC,
    SHF_COMPRESSED,
    SHF_WRITE,
    SHN_UNDEF,
    SHT_ARM_ATTRIBUTES,
    SHT_NOBITS,
    STB_LOCAL,
    STT_FUNC,
    ElfSectionSpec,
    ElfSegmentSpec,
    ElfSymbolSpec,
    bss,
    build_elf,
    data,
    text,
)
from tests.readers.naive_elf import naive_sections, naive_symbols

BROKEN = Path(__file__).resolve().parents[2] / "fixtures" / "broken" / "elf"
FLASH, RAM = 0x0800_0000, 0x2000_0000
IMAGE = (text(b"code" * 4), data(b"abcd", lma=FLASH + 16), bss(64))

REASONS = {
    "e02_trunc_ident": "truncated ELF: 16 bytes hold no ELF header",
    "e03_trunc_ehdr": "truncated ELF: 40 bytes hold no ELF header",
    "e04_trunc_before_shdr": r"truncated ELF: section header table needs bytes 1024\.\.",
    "e05_trunc_mid_shdr": r"truncated ELF: .* 1024\.\.1464, file has 1084",
    "e06_trunc_last_byte": r"truncated ELF: .* 1024\.\.1464, file has 1463",
    "e10_shnum_ext_huge": "268435456 section headers do not fit in 1464 bytes",
    "e11_shnum_zero": "no section headers",
    "e12_shnum_short": "section names are in section 10 of 5",
    "e13_shentsize_zero": "section header size is 0, must be 40",
    "e14_shoff_past_eof": "truncated ELF: section header table",
    "e15_shstrndx_xindex": "bad section-name string table",
    "e16_phnum_xnum": "number of program headers is missing",
    "e17_machine_unknown": "unknown machine 0xfffe",
    "e18_class_flip": "ELF header says version",
    "e19_data_flip": "ELF header says version",
    "e20_text_size_huge": r"\.text needs bytes 256\.\.4294967536",
    "e21_bss_size_wrap": r"\.bss .* wraps the 32-bit address space",
    "e22_bss_size_small": "segment 3 loads 2032 bytes at 0x20000020 that no allocated section",
    "e23_bss_not_alloc": r"\.bss is not allocated but lies in loaded segment 3",
    "e24_data_as_nobits": r"\.data has no file contents, but segment 2 disagrees",
    "e25_overlap": r"\.data is at 0x20000010 in its header and at 0x20000000 in segment 2",
    "e26_name_oor": "the name of section 2 is at 2147483647, past its string table",
    "e27_symtab_entsize0": r"\.symtab has entries of 0 bytes, must be 16",
    "e28_symtab_link_self": r"\.symtab, linked from \.symtab, is not a string table",
    "e29_arena_size_huge": r"symbol tensor_arena .* extends past \.bss",
    "e31_sym_shndx_oor": "bad symbol section index 0x63: there are 11 sections",
    "e32_memsz_lt_filesz": "invalid segment 0: 1 bytes in memory, 252 in the file",
    "e34_strtab_unterminated": r"\.strtab, .* is not NUL-terminated",
    "e37_compressed_no_chdr": "bad compression header|too short for its compression header",
    "e38_gzipped": "gzip data, not ELF; unpack",
    "e39_map_given_as_elf": r"looks like a linker map, not ELF; swapped arguments\?",
    "e40_nobits_3GB_rss": "section header 0 describes a section",
}
LEGAL = {
    "e00_good",
    "e30_arena_size_zero",  # an arena check's business
    "e33_lma_overlap",  # a FAIL of a check: the headers agree with each other
    *(f"e5{i}_name_{what}" for i, what in enumerate(
        ("html", "ansi", "gha", "badutf8", "md", "csv", "xmlctl", "lto", "static", "bidi")
    )),
}  # fmt: skip


def refusal(content: bytes) -> str:
    with pytest.raises(InputError) as refused:
        read_elf("app.elf", content)
    return str(refused.value)


def mutated(content: bytes, offset: int, layout: str, value: int) -> bytes:
    changed = bytearray(content)
    struct.pack_into(layout, changed, offset, value)
    return bytes(changed)


@pytest.mark.parametrize("path", sorted(BROKEN.glob("*.elf")), ids=lambda path: path.stem)
def test_every_broken_fixture_is_refused_with_its_reason(path: Path) -> None:
    if path.stem in LEGAL:
        assert len(read_elf(path.name, path.read_bytes()).symbols) == 17
    else:
        assert re.search(REASONS[path.stem], refusal(path.read_bytes()))


def test_no_bad_input_of_the_shared_collection_is_missing_here(shared: Path) -> None:
    for path in sorted((shared / "bad_inputs" / "elf").glob("*.elf")):
        content = path.read_bytes()
        if path.stem in LEGAL or path.stem in ("e35_zip_bomb_64MiB", "e60_name_200k"):
            read_elf(path.name, content)
        elif content:  # an empty file is refused where files are opened
            refusal(content)


def test_a_name_of_200000_characters_is_read() -> None:
    name = "a" * 200_000
    elf = read_elf("app.elf", build_elf(IMAGE, [ElfSymbolSpec(name, RAM, 4, ".data")]))
    assert elf.symbols.named(name)


@pytest.mark.parametrize(
    ("content", "what"),
    [
        pytest.param(b"", "not an ELF file", id="nothing"),
        pytest.param(b"\x1f\x8b\x08\0", "gzip data", id="gzip"),
        pytest.param(b"PK\x03\x04rest", "zip archive", id="zip"),
        pytest.param(b"!<arch>\nmain.o/", "archive of objects", id="archive"),
        pytest.param(b"!<thin>\nmain.o/", "thin archive", id="thin archive"),
        pytest.param(b"BC\xc0\xde5", "LLVM bitcode", id="bitcode"),
        pytest.param(b"MZ\x90\0\3\0", "PE", id="Windows program"),
        pytest.param(b"\xcf\xfa\xed\xfe\7", "Mach-O", id="Mach-O"),
        pytest.param(b":020000040800F2\n", "Intel HEX", id="Intel HEX"),
        pytest.param(b"S00600004844521B\n", "S-records", id="S-records"),
        pytest.param(b"UF2\nWQ]\x9e", "UF2", id="UF2"),
        pytest.param(b"\x1c\0\0\0TFL3\x14\0", ".tflite model", id="a model"),
        pytest.param(b"\n\nMemory Configuration\n\nName", "linker map", id="a map"),
        pytest.param(b"hello\n", "text, not ELF", id="text"),
        pytest.param("Grüße\n".encode(), "text, not ELF", id="text of another language"),
        pytest.param(b"\xff\xfeM\0e\0", "text, not ELF", id="UTF-16 text"),
        pytest.param(b"\0\x80\0\x20\x91\1\0\x08", "not an ELF file", id="raw binary"),
    ],
)
def test_another_kind_of_file_is_named(content: bytes, what: str) -> None:
    assert what in refusal(content)


def test_every_prefix_of_a_small_image_is_refused() -> None:
    content = (BROKEN / "e00_good.elf").read_bytes()
    for size in range(len(content)):
        refusal(content[:size])


# Where a changed header still tells one story: load addresses are what p_paddr says, a name may
# start anywhere in the string table, a zeroed section (segments 3 and 4) needs no segment.
UNDECIDABLE = {
    *((f"segment {i}", "lma") for i in range(5)),
    *((f"segment {i}", field) for i in (3, 4) for field in ("kind", "memory_size")),
    *((f"section {i}", "name") for i in range(1, 6)),
}
SEGMENT_FIELDS = ("kind", "offset", "vma", "lma", "file_size", "memory_size", "flags", "alignment")
SECTION_FIELDS = (
    "name", "kind", "flags", "vma", "offset", "size", "link", "info", "alignment", "entry_size",
)  # fmt: skip


def header_bits(content: bytes) -> list[tuple[int, str, str]]:
    """Return every bit of the header tables: its number, whose it is, and of which field."""
    segments, sections = struct.unpack_from("<II", content, 28)
    segment_count, section_count = content[44], content[48]
    bits = [(bit, "ELF header", "") for bit in range(52 * 8)]
    for whose, start, count, fields in (
        ("segment", segments, segment_count, SEGMENT_FIELDS),
        ("section", sections, section_count, SECTION_FIELDS),
    ):
        bits += [
            (
                start * 8 + bit,
                f"{whose} {bit // (32 * len(fields))}",
                fields[bit // 32 % len(fields)],
            )
            for bit in range(32 * len(fields) * count)
        ]
    return bits


def placements(elf: ElfFile) -> list[tuple[object, ...]]:
    return [(s.name, s.vma, s.lma, s.size, s.has_contents) for s in elf.sections if s.allocated]


def test_no_flipped_bit_of_a_header_moves_or_hides_a_section_in_silence() -> None:
    content = (BROKEN / "e00_good.elf").read_bytes()
    good = placements(read_elf("app.elf", content))
    silent = set()
    for bit, whose, field in header_bits(content):
        changed = bytearray(content)
        changed[bit // 8] ^= 1 << bit % 8
        try:
            elf = read_elf("app.elf", bytes(changed))
        except InputError:
            continue
        assert placements(elf) == naive_sections(bytes(changed))
        if placements(elf) != good and (whose, field) not in UNDECIDABLE:
            silent.add((whose, field))
    assert not silent


def test_flipped_bits_of_the_symbol_table_are_refused_or_read_as_they_stand() -> None:
    content = (BROKEN / "e00_good.elf").read_bytes()
    table = next(s for s in read_elf("app.elf", content).sections if s.kind == "SYMTAB")
    for bit in range(table.offset * 8, (table.offset + table.size) * 8):
        changed = bytearray(content)
        changed[bit // 8] ^= 1 << bit % 8
        try:
            symbols = read_elf("app.elf", bytes(changed)).symbols
        except InputError:
            continue
        found = [(s.name.encode("utf-8", "surrogateescape"), s.address, s.size) for s in symbols]
        assert found == naive_symbols(bytes(changed), table.offset, table.size)


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("seed", range(4))
def test_nothing_but_input_errors_escapes_random_damage(bits: int, seed: int) -> None:
    chance = random.Random(seed)
    symbols = [ElfSymbolSpec("main", FLASH + 1, 16, ".text", STT_FUNC)]
    content = build_elf(IMAGE, symbols, bits=bits, big_endian=bool(seed % 2), extended=seed > 1)
    special = (0, 1, 0x7F, 0x80, 0xFF)
    for _ in range(1500):
        changed = bytearray(content)
        for _ in range(chance.randint(1, 6)):
            start = chance.randrange(4, len(changed))
            value = chance.choice((chance.randrange(256), *special))
            changed[start : start + chance.choice((1, 2, 4))] = bytes([value])
        with contextlib.suppress(InputError):
            list(read_elf("app.elf", bytes(changed)).symbols)


def compressed(claimed: int, payload: bytes) -> bytes:
    section = ElfSectionSpec(
        ".debug_info", struct.pack("<III", 1, claimed, 1) + payload, flags=SHF_COMPRESSED
    )
    return build_elf([*IMAGE, section])


def test_compressed_sections_are_never_decompressed() -> None:
    size = 64 * 1024 * 1024
    elf = read_elf("app.elf", compressed(size, b"no zlib stream at all"))
    assert elf.sections[4].size == 12 + len("no zlib stream at all")


def test_a_compressed_section_that_claims_less_than_it_stores_is_refused() -> None:
    payload = zlib.compress(bytes(1 << 20))
    assert "bad compression header" in refusal(compressed(16, payload))


SECTION_DAMAGE = {
    "a section without a name": ([text(b"code", name="")], "has no name"),
    "an alignment that is no power of two": (
        [ElfSectionSpec(".text", b"code", FLASH, alignment=12)],
        "alignment 0xc, no power of two",
    ),
    "a compressed section that is loaded": (
        [ElfSectionSpec(".text", bytes(16), FLASH, flags=SHF_ALLOC | SHF_COMPRESSED)],
        "compressed, which a loaded section cannot be",
    ),
    "code without contents in a file of debugging information": (
        [ElfSectionSpec(".text", vma=FLASH, memory=64, kind=SHT_NOBITS, flags=SHF_ALLOC | 4)],
        "holds debugging information only",
    ),
    "build attributes that end early": (
        [ElfSectionSpec(".ARM.attributes", b"A\xff\0\0\0aeabi", kind=SHT_ARM_ATTRIBUTES, flags=0)],
        "holds no build attributes",
    ),
}


@pytest.mark.parametrize("what", SECTION_DAMAGE)
def test_section_damage_is_refused(what: str) -> None:
    sections, reason = SECTION_DAMAGE[what]
    assert reason in refusal(build_elf(sections))


def one_segment(names: tuple[str, ...], **fields: int) -> list[ElfSegmentSpec]:
    return [ElfSegmentSpec(names, **fields)]


@pytest.mark.parametrize(
    ("sections", "segments", "reason"),
    [
        pytest.param(
            [text(b"code")], [], "no segment loads .text", id="contents that no segment loads"
        ),
        pytest.param(
            [text(b"code"), data(b"abcd", RAM)],
            one_segment((".text", ".data"), vma=FLASH, lma=FLASH - 4),
            ".data is at 0x20000000 in its header and at 0x8000004 in segment 0",
            id="a section out of step with a segment that is no load region",
        ),
        pytest.param(
            [text(b"code"), data(b"abcd", FLASH + 2)],
            one_segment((".text", ".data"), vma=FLASH, memory=8),
            ".data is at 0x8000002 in its header",
            id="a section moved over its neighbour",
        ),
        pytest.param(
            [text(b"code"), bss(64, RAM)],
            [ElfSegmentSpec((".text",)), ElfSegmentSpec((".bss",), memory=80)],
            "segment 1 loads 16 bytes at 0x20000040",
            id="memory behind the last section",
        ),
        pytest.param(
            [text(b"code"), bss(64, RAM)],
            [ElfSegmentSpec((".text",)), ElfSegmentSpec((".bss",), vma=RAM - 32, memory=96)],
            "segment 1 loads 32 bytes at 0x1fffffe0",
            id="memory before the first section",
        ),
        pytest.param(
            [text(b"code"), ElfSectionSpec(".x", b"lost bytes", flags=0), text(b"more", name=".m")],
            [ElfSegmentSpec((".text", ".m"), memory=24)],
            ".x is not allocated but lies in loaded segment",
            id="contents that lost their allocation",
        ),
        pytest.param(
            [text(b"code"), bss(64, RAM)],
            [ElfSegmentSpec((".text",)), ElfSegmentSpec((".bss",), memory=32)],
            ".bss has no file contents, but segment 1 disagrees",
            id="zeros that outgrow their segment",
        ),
        pytest.param(
            [text(b"code"), bss(64, RAM), bss(32, RAM + 48, ".stack")],
            [ElfSegmentSpec((".text",)), ElfSegmentSpec((".bss", ".stack"))],
            ".bss and .stack share 16 bytes of segment 1",
            id="zeros that grew over their neighbour",
        ),
        pytest.param(
            [text(b"code", 0xFFFF_FFF0)],
            one_segment((".text",), memory=0x20),
            "segment 0 wraps the address space",
            id="a segment that wraps",
        ),
        pytest.param(
            [text(b"code")],
            one_segment((".text",), lma=0xFFFF_FFFE),
            "segment 0 wraps the address space",
            id="a load address that wraps",
        ),
        pytest.param(
            [text(b"code")],
            one_segment((".text",), file=1 << 20, memory=1 << 20),
            "truncated ELF: segment 0",
            id="a segment past the end of the file",
        ),
    ],
)
def test_segment_damage_is_refused(
    sections: list[ElfSectionSpec], segments: list[ElfSegmentSpec], reason: str
) -> None:
    assert reason in refusal(build_elf(sections, segments=segments))


def test_a_gap_of_code_bytes_in_a_segment_is_refused_and_one_of_fill_is_not() -> None:
    sections = [text(b"code" * 8), text(b"more", FLASH + 32, ".more")]
    content = build_elf(sections, segments=one_segment((".text", ".more")))
    header = struct.unpack_from("<I", content, 32)[0] + 40  # .text
    shorter = mutated(content, header + 20, "<I", 16)  # sh_size
    assert len(read_elf("app.elf", shorter).sections) == 4  # "code" * 4 repeats, as fill does
    other = shorter.replace(b"code" * 8, b"code" * 4 + b"0123456789abcdef")
    assert "segment 0 loads 16 bytes at 0x8000010" in refusal(other)


def test_zeros_before_contents_of_one_segment_are_what_ld_writes() -> None:
    flags = SHF_ALLOC | SHF_WRITE
    sections = [
        data(b"abcd"),
        ElfSectionSpec(".zeros", bytes(8), RAM + 4, flags=flags),
        data(b"wxyz", RAM + 12, name=".more"),
    ]
    content = build_elf(sections, segments=one_segment((".data", ".zeros", ".more")))
    header = struct.unpack_from("<I", content, 32)[0] + 80
    zeros = mutated(content, header + 4, "<I", SHT_NOBITS)
    assert not read_elf("app.elf", zeros).sections[2].has_contents
    stored = zeros.replace(b"abcd" + bytes(8), b"abcd" + b"nonzeros")
    assert "lies over 8 stored bytes of segment 0" in refusal(stored)


def test_zeros_before_an_empty_section_are_what_lld_writes() -> None:
    sections = [text(b"code"), data(bytes(8)), data(b"", RAM + 8, name=".empty")]
    content = build_elf(sections, segments=[
        ElfSegmentSpec((".text",)), ElfSegmentSpec((".data", ".empty"))
    ])  # fmt: skip
    header = struct.unpack_from("<I", content, 32)[0] + 80
    zeros = mutated(content, header + 4, "<I", SHT_NOBITS)
    assert not read_elf("app.elf", zeros).sections[2].has_contents


def test_a_segment_may_end_at_an_empty_aligned_section() -> None:
    sections = [text(b"code"), bss(1, RAM), replace(bss(0, RAM + 32, ".end"), alignment=32)]
    segments = [ElfSegmentSpec((".text",)), ElfSegmentSpec((".bss",), memory=32)]
    assert read_elf("app.elf", build_elf(sections, segments=segments)).sections[3].size == 0


def test_segments_that_share_file_bytes_are_refused() -> None:
    segments = [ElfSegmentSpec((".text",)), ElfSegmentSpec((".text",), vma=RAM)]
    assert "load the same 4 bytes" in refusal(build_elf([text(b"code")], segments=segments))


def test_the_names_of_symbols_are_not_taken_for_those_of_sections() -> None:
    content = build_elf(IMAGE, [ElfSymbolSpec("arena" * 20, RAM, 4, ".data")])
    names = struct.unpack_from("<H", content, 50)[0]
    assert "section-name string table" in refusal(mutated(content, 50, "<H", names - 1))


@pytest.mark.parametrize("size", [12, 14, 15])
def test_a_section_that_lost_its_last_bytes_is_refused(size: int) -> None:
    content = build_elf([text(b"code" * 3 + b"1234")])
    header = struct.unpack_from("<I", content, 32)[0] + 40
    assert "that no allocated section explains" in refusal(
        mutated(content, header + 20, "<I", size)
    )


SYMBOL_DAMAGE = {
    "a symbol before its section": (ElfSymbolSpec("x", RAM - 4, 8, ".data"), "past .data"),
    "a symbol one byte too long": (ElfSymbolSpec("x", RAM, 5, ".data"), "past .data"),
    "a function that starts behind its section": (
        ElfSymbolSpec("f", FLASH + 16, 4, ".text", STT_FUNC),
        "past .text",
    ),
    "a function that wraps": (
        ElfSymbolSpec("f", FLASH, 0xFFFF_FFF0, ".text", STT_FUNC),
        "past .text",
    ),
    "a global without a name": (ElfSymbolSpec("", RAM, 4, ".data"), "without a name"),
    "a second empty symbol": (
        ElfSymbolSpec("", section=SHN_UNDEF, kind=0, binding=STB_LOCAL),
        "without a name",
    ),
    "a reserved section index": (ElfSymbolSpec("x", 0, 0, 0xFFF5), "bad symbol section index"),
    "an index that needs a table": (ElfSymbolSpec("x", 0, 0, 0xFFFF), "section indexes"),
}


@pytest.mark.parametrize("what", SYMBOL_DAMAGE)
def test_symbol_damage_is_refused(what: str) -> None:
    symbol, reason = SYMBOL_DAMAGE[what]
    assert reason in refusal(build_elf(IMAGE, [symbol]))


def test_two_symbol_tables_are_refused() -> None:
    content = build_elf(
        [*IMAGE, ElfSectionSpec(".other", kind=2, flags=0)], [ElfSymbolSpec("x", 1)]
    )
    assert "2 symbol tables" in refusal(content)
