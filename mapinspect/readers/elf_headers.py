"""The header tables of an ELF file, read by offset with every count and bound checked first.

Layouts: System V generic ABI, "Object Files" and "Program Loading". The tables are decoded with
``struct`` and not with pyelftools, which follows counts and offsets without looking at the
length of the file; pyelftools names what the numbers mean.
"""

import struct
from dataclasses import dataclass

from mapinspect.readers.elf_damage import DamageError

SHT_SYMTAB, SHT_STRTAB, SHT_NOTE, SHT_NOBITS = 2, 3, 7, 8
SHF_WRITE, SHF_ALLOC, SHF_EXECINSTR, SHF_TLS, SHF_COMPRESSED = 0x1, 0x2, 0x4, 0x400, 0x800
SHN_LORESERVE, SHN_XINDEX, PN_XNUM = 0xFF00, 0xFFFF, 0xFFFF
PT_LOAD, PT_TLS = 1, 7

SECTION_LIMIT = 1 << 18  # far above any image; an object of that many sections is no firmware
SEGMENT_LIMIT = 1 << 12
_KINDS = {1: "REL", 2: "EXEC", 3: "DYN"}


@dataclass(frozen=True, slots=True)
class FileHeader:
    """The ELF header. ``order`` is struct's byte order mark; offsets and sizes are bytes."""

    bits: int
    order: str
    kind: str
    machine: int
    entry: int
    segment_offset: int
    segment_count: int
    section_offset: int
    section_count: int
    names_index: int

    @property
    def size(self) -> int:
        """Return the size of the ELF header itself."""
        return 52 if self.bits == 32 else 64

    @property
    def segment_row(self) -> int:
        """Return the size of one program header."""
        return 32 if self.bits == 32 else 56

    @property
    def section_row(self) -> int:
        """Return the size of one section header."""
        return 40 if self.bits == 32 else 64

    @property
    def address_end(self) -> int:
        """Return the first number that is no address any more."""
        return 1 << self.bits

    def spans(self) -> list[tuple[str, int, int]]:
        """Return the file offsets of the header tables: name, start and end of each."""
        segments_end = self.segment_offset + self.segment_count * self.segment_row
        sections_end = self.section_offset + self.section_count * self.section_row
        return [
            ("the ELF header", 0, self.size),
            ("the program headers", self.segment_offset, segments_end),
            ("the section headers", self.section_offset, sections_end),
        ]


@dataclass(frozen=True, slots=True)
class SectionRow:
    """One section header as stored, with its name as bytes."""

    ordinal: int
    name: bytes
    kind: int
    flags: int
    vma: int
    offset: int
    size: int
    link: int
    info: int
    alignment: int
    entry_size: int

    @property
    def has_contents(self) -> bool:
        """Return whether the section has bytes in the file."""
        return self.kind not in (0, SHT_NOBITS)

    @property
    def file_end(self) -> int:
        """Return the first file offset past the section's bytes."""
        return self.offset + (self.size if self.has_contents else 0)

    @property
    def end(self) -> int:
        """Return the first address past the section."""
        return self.vma + self.size

    def says(self, flag: int) -> bool:
        """Return whether the header has this flag."""
        return bool(self.flags & flag)

    def __str__(self) -> str:
        """Return how messages call the section."""
        return self.name.decode("utf-8", "surrogateescape") or f"section {self.ordinal}"


@dataclass(frozen=True, slots=True)
class SegmentRow:
    """One program header as stored."""

    ordinal: int
    kind: int
    flags: int
    offset: int
    vma: int
    lma: int
    file_size: int
    memory_size: int
    alignment: int

    @property
    def file_end(self) -> int:
        """Return the first file offset past the segment's bytes."""
        return self.offset + self.file_size

    @property
    def end(self) -> int:
        """Return the first address past the segment."""
        return self.vma + self.memory_size


@dataclass(frozen=True, slots=True)
class Tables:
    """An ELF file with its decoded header tables; ``machine`` is pyelftools' name for it."""

    content: bytes
    header: FileHeader
    machine: str
    sections: tuple[SectionRow, ...]
    segments: tuple[SegmentRow, ...]

    def bytes_of(self, section: SectionRow) -> bytes:
        """Return the section's bytes in the file."""
        return self.content[section.offset : section.file_end]


def read_header(content: bytes) -> FileHeader:
    """Return the ELF header with extended numbering resolved; raises DamageError."""
    if len(content) < 52:
        raise DamageError(f"truncated ELF: {len(content)} bytes hold no ELF header")
    bits, order = _identity(content)
    word = "I" if bits == 32 else "Q"
    size = 52 if bits == 32 else 64
    if len(content) < size:
        raise DamageError(f"truncated ELF: {len(content)} bytes hold no ELF header")
    fields = struct.unpack_from(f"{order}HHI{word}{word}{word}IHHHHHH", content, 16)
    kind, machine, version, entry, segments_at, sections_at, _, header_size = fields[:8]
    segment_row, segment_count, section_row, section_count, names_index = fields[8:]
    if version != 1 or header_size != size:
        raise DamageError(f"ELF header says version {version} and a size of {header_size} bytes")
    header = FileHeader(
        bits, order, _kind(kind), machine, entry,
        segments_at, segment_count, sections_at, section_count, names_index,
    )  # fmt: skip
    _check_row("section header", section_row, header.section_row)
    if segment_count:
        _check_row("program header", segment_row, header.segment_row)
    return _resolve_extended(content, header)


def _identity(content: bytes) -> tuple[int, str]:
    bits = {1: 32, 2: 64}.get(content[4])
    order = {1: "<", 2: ">"}.get(content[5])
    if bits is None or order is None or content[6] != 1:
        identity = content[4:7].hex(" ")
        raise DamageError(f"ELF identification {identity} names no class, byte order or version")
    return bits, order


def _kind(number: int) -> str:
    if number == 4:
        raise DamageError("is a core dump, not a linked image", "name the ELF that ld wrote")
    if number not in _KINDS:
        raise DamageError(f"unknown ELF type {number:#x}")
    return _KINDS[number]


def _check_row(what: str, size: int, expected: int) -> None:
    if size != expected:
        raise DamageError(f"{what} size is {size}, must be {expected}")


def _resolve_extended(content: bytes, header: FileHeader) -> FileHeader:
    """Replace the counts that did not fit the ELF header by those of section header 0."""
    if not header.section_offset:
        raise DamageError("no section headers", "keep the section headers when linking")
    _check_table(content, header.section_offset, 1, header.section_row, "section header")
    first = _section_fields(content, header)[0]
    if any(first[:5]):  # name, type, flags, address, offset; the rest may hold counts
        raise DamageError("section header 0 describes a section, must be empty")
    sections = header.section_count or first[5]
    names = first[6] if header.names_index == SHN_XINDEX else header.names_index
    segments = first[7] if header.segment_count == PN_XNUM else header.segment_count
    if header.segment_count == PN_XNUM and not segments:
        raise DamageError("the number of program headers is missing")
    if sections < 2:
        raise DamageError("no section headers", "keep the section headers when linking")
    return FileHeader(
        header.bits, header.order, header.kind, header.machine, header.entry,
        header.segment_offset, segments, header.section_offset, sections, names,
    )  # fmt: skip


def _check_table(content: bytes, offset: int, count: int, row: int, what: str) -> None:
    end = offset + count * row
    if end > len(content):
        if offset < len(content) and count > 2 * len(content) // row:
            raise DamageError(f"{count} {what}s do not fit in {len(content)} bytes")
        raise DamageError(
            f"truncated ELF: {what} table needs bytes {offset}..{end}, file has {len(content)}",
            "copy or build it again",
        )


def _check_limit(count: int, limit: int, what: str) -> None:
    if count > limit:
        raise DamageError(
            f"{count} {what}s are more than the {limit} that mapinspect reads",
            "name the linked firmware",
        )


def _section_fields(content: bytes, header: FileHeader, count: int = 1) -> list[tuple[int, ...]]:
    word = "I" if header.bits == 32 else "Q"
    row = struct.Struct(f"{header.order}II{word}{word}{word}{word}II{word}{word}")
    start = header.section_offset
    return list(row.iter_unpack(memoryview(content)[start : start + count * row.size]))


def read_sections(content: bytes, header: FileHeader) -> tuple[SectionRow, ...]:
    """Return all section headers, that of section 0 included; raises DamageError."""
    count = header.section_count
    _check_table(content, header.section_offset, count, header.section_row, "section header")
    _check_limit(count, SECTION_LIMIT, "section header")
    fields = _section_fields(content, header, count)
    names = _section_names(content, header, fields)
    return tuple(
        SectionRow(ordinal, _name_at(names, row[0], f"section {ordinal}"), *row[1:])
        for ordinal, row in enumerate(fields)
    )


def _section_names(content: bytes, header: FileHeader, fields: list[tuple[int, ...]]) -> bytes:
    index = header.names_index
    if not 0 < index < len(fields):
        raise DamageError(
            f"section names are in section {index} of {len(fields)}: bad section-name string table"
        )
    row = SectionRow(index, b"", *fields[index][1:])
    return string_table(content, row, "the section-name table")


def string_table(content: bytes, section: SectionRow, what: str) -> bytes:
    """Return a string table's bytes; raises DamageError where it is none or not terminated."""
    if section.kind != SHT_STRTAB or section.says(SHF_COMPRESSED):
        raise DamageError(f"{what} is not a string table")
    if section.file_end > len(content):
        raise DamageError(f"truncated ELF: {what} ends at {section.file_end}, past the file's end")
    strings = content[section.offset : section.file_end]
    if not strings or strings[0] or strings[-1]:
        raise DamageError(f"{what} is no string table: it is not NUL-terminated")
    return strings


def _name_at(strings: bytes, offset: int, what: str) -> bytes:
    if offset >= len(strings):
        raise DamageError(f"the name of {what} is at {offset}, past its string table")
    return strings[offset : strings.index(b"\0", offset)]


def read_segments(content: bytes, header: FileHeader) -> tuple[SegmentRow, ...]:
    """Return all program headers; raises DamageError."""
    count = header.segment_count
    if not count:
        return ()
    _check_table(content, header.segment_offset, count, header.segment_row, "program header")
    _check_limit(count, SEGMENT_LIMIT, "program header")
    start = header.segment_offset
    table = memoryview(content)[start : start + count * header.segment_row]
    if header.bits == 32:
        rows = struct.iter_unpack(f"{header.order}8I", table)
        # Elf32_Phdr: type, offset, vaddr, paddr, filesz, memsz, flags, align
        rows = ((r[0], r[6], *r[1:6], r[7]) for r in rows)
    else:
        rows = struct.iter_unpack(f"{header.order}2I6Q", table)
    return tuple(SegmentRow(ordinal, *row) for ordinal, row in enumerate(rows))
