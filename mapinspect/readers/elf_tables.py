"""The header tables of an ELF file as rows.

Numbers are as stored; types carry pyelftools' names for them without their prefix, as in
"PROGBITS", or the number as "0x60000001" where it has none.
"""

from dataclasses import dataclass

from mapinspect.readers.elf_damage import DamageError

SHF_WRITE, SHF_ALLOC, SHF_EXECINSTR, SHF_TLS, SHF_COMPRESSED = 0x1, 0x2, 0x4, 0x400, 0x800
SHN_LORESERVE, SHN_XINDEX, PN_XNUM = 0xFF00, 0xFFFF, 0xFFFF


@dataclass(frozen=True, slots=True)
class FileHeader:
    """The ELF header; sizes and offsets are bytes. ``size`` and the rows are those of its class."""

    bits: int
    little_endian: bool
    kind: str
    machine: str
    entry: int
    size: int
    segment_offset: int
    segment_row: int
    segment_count: int
    section_offset: int
    section_row: int
    section_count: int
    names_index: int

    @property
    def order(self) -> str:
        """Return the byte order as ``struct`` spells it."""
        return "<" if self.little_endian else ">"

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
    kind: str
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
        return self.kind not in ("NULL", "NOBITS")

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
    kind: str
    offset: int
    vma: int
    lma: int
    file_size: int
    memory_size: int
    flags: int

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
    """An ELF file with its decoded header tables; section 0 is the empty one."""

    content: bytes
    header: FileHeader
    sections: tuple[SectionRow, ...]
    segments: tuple[SegmentRow, ...]

    @property
    def machine(self) -> str:
        """Return pyelftools' name of the machine without its prefix."""
        return self.header.machine

    def bytes_of(self, section: SectionRow) -> bytes:
        """Return the section's bytes in the file."""
        return self.content[section.offset : section.file_end]


def string_table(content: bytes, section: SectionRow, what: str) -> bytes:
    """Return a string table's bytes; raises DamageError where it is none or not terminated."""
    if section.kind != "STRTAB" or section.says(SHF_COMPRESSED):
        raise DamageError(f"{what} is not a string table")
    if section.file_end > len(content):
        raise DamageError(f"truncated ELF: {what} ends at {section.file_end}, past the file's end")
    strings = content[section.offset : section.file_end]
    if not strings or strings[0] or strings[-1]:
        raise DamageError(f"{what} is no string table: it is not NUL-terminated")
    return strings
