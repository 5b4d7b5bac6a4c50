"""Read an ELF file's header tables: pyelftools decodes rows, the bounds are proven here first.

pyelftools follows counts and offsets without a look at the length of the file, so that its
``ELFFile`` may loop or fail anywhere on a damaged one. Only its layouts of single rows are used,
each on exactly as many bytes as it needs. Rules: System V generic ABI, chapters 4 and 5.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache

from elftools.elf.structs import ELFStructs

from mapinspect.readers.elf_damage import DamageError
from mapinspect.readers.elf_tables import (
    PN_XNUM,
    SHN_XINDEX,
    FileHeader,
    SectionRow,
    SegmentRow,
    Tables,
    string_table,
)

SECTION_LIMIT = 1 << 18  # far above any image; an object of that many sections is no firmware
SEGMENT_LIMIT = 1 << 12
_NAMES = (b".shstrtab", b".strtab")  # the second where one table holds symbols' names too


def read_tables(content: bytes) -> Tables:
    """Return the header tables of a file that begins like an ELF; raises DamageError."""
    bits, little_endian = _identity(content)
    header = _read_header(content, _layouts(bits, little_endian))
    layouts = _layouts(bits, little_endian, header.machine)
    header = _resolve_extended(content, header, layouts)
    sections = tuple(_read_sections(content, header, layouts))
    return Tables(content, header, sections, tuple(_read_segments(content, header, layouts)))


def _identity(content: bytes) -> tuple[int, bool]:
    identity = content[4:7]
    if len(identity) < 3 or identity[0] not in (1, 2) or identity[1] not in (1, 2):
        raise DamageError(f"ELF identification {identity.hex(' ')} names no class and byte order")
    return 32 * identity[0], identity[1] == 1


@lru_cache(maxsize=8)
def _layouts(bits: int, little_endian: bool, machine: str | None = None) -> ELFStructs:
    """Return pyelftools' row layouts; those of section and segment rows need the machine."""
    layouts = ELFStructs(little_endian=little_endian, elfclass=bits)
    layouts.create_basic_structs()
    if machine is not None:
        layouts.create_advanced_structs(e_type=None, e_machine=f"EM_{machine}")
    return layouts


def _read_header(content: bytes, layouts: ELFStructs) -> FileHeader:
    size = layouts.Elf_Ehdr.sizeof()
    if len(content) < size:
        raise DamageError(f"truncated ELF: {len(content)} bytes hold no ELF header")
    row = layouts.Elf_Ehdr.parse(content[:size])
    versions = row["e_ident"]["EI_VERSION"], row["e_version"]
    if versions != ("EV_CURRENT", "EV_CURRENT") or row["e_ehsize"] != size:
        raise DamageError(
            f"ELF header says version {row['e_version']} and a size of {row['e_ehsize']} bytes"
        )
    return FileHeader(
        bits=layouts.elfclass,
        little_endian=layouts.little_endian,
        kind=_kind(row["e_type"]),
        machine=_machine(row["e_machine"]),
        entry=row["e_entry"],
        size=size,
        segment_offset=row["e_phoff"],
        segment_row=row["e_phentsize"],
        segment_count=row["e_phnum"],
        section_offset=row["e_shoff"],
        section_row=row["e_shentsize"],
        section_count=row["e_shnum"],
        names_index=row["e_shstrndx"],
    )


def _kind(kind: str | int) -> str:
    if kind == "ET_CORE":
        raise DamageError("is a core dump, not a linked image", "name the ELF that ld wrote")
    if kind not in ("ET_REL", "ET_EXEC", "ET_DYN"):
        raise DamageError(f"unknown ELF type {kind}")
    return str(kind).removeprefix("ET_")


def _machine(machine: str | int) -> str:
    if isinstance(machine, int) or machine == "EM_NONE":
        number = machine if isinstance(machine, int) else 0
        raise DamageError(f"unknown machine {number:#x}", "name an ELF of a known machine")
    return machine.removeprefix("EM_")


def _resolve_extended(content: bytes, header: FileHeader, layouts: ELFStructs) -> FileHeader:
    """Replace the counts that did not fit the ELF header by those of section header 0."""
    if not header.section_offset:
        raise DamageError("no section headers", "keep the section headers when linking")
    _check_row("section header", header.section_row, layouts.Elf_Shdr.sizeof())
    if header.segment_count:
        _check_row("program header", header.segment_row, layouts.Elf_Phdr.sizeof())
    start = header.section_offset
    _check_table(content, start, 1, header.section_row, "section header")
    first = layouts.Elf_Shdr.parse(content[start : start + header.section_row])
    empty = [first["sh_name"], first["sh_flags"], first["sh_addr"], first["sh_offset"]]
    if first["sh_type"] != "SHT_NULL" or any(empty):
        raise DamageError("section header 0 describes a section, must be empty")
    header = replace(
        header,
        section_count=header.section_count or first["sh_size"],
        names_index=_either(header.names_index, SHN_XINDEX, first["sh_link"]),
    )
    if header.segment_count == PN_XNUM and not first["sh_info"]:
        raise DamageError("the number of program headers is missing")
    if header.section_count < 2:
        raise DamageError("no section headers", "keep the section headers when linking")
    return replace(header, segment_count=_either(header.segment_count, PN_XNUM, first["sh_info"]))


def _either(number: int, escape: int, extended: int) -> int:
    return extended if number == escape else number


def _check_row(what: str, size: int, expected: int) -> None:
    if size != expected:
        raise DamageError(f"{what} size is {size}, must be {expected}")


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


def _read_sections(content: bytes, header: FileHeader, layouts: ELFStructs) -> Iterator[SectionRow]:
    start, size, count = header.section_offset, header.section_row, header.section_count
    _check_table(content, start, count, size, "section header")
    _check_limit(count, SECTION_LIMIT, "section header")
    rows = [
        layouts.Elf_Shdr.parse(content[at : at + size])
        for at in range(start, start + count * size, size)
    ]
    if not 0 < header.names_index < count:
        raise DamageError(
            f"section names are in section {header.names_index} of {count}: "
            "bad section-name string table"
        )
    names = _section(header.names_index, b"", rows[header.names_index])
    strings = string_table(content, names, "the section-name table")
    if _name_at(strings, rows[header.names_index]["sh_name"], header.names_index) not in _NAMES:
        raise DamageError(f"section {header.names_index} is a bad section-name string table")
    for ordinal, row in enumerate(rows):
        yield _section(ordinal, _name_at(strings, row["sh_name"], ordinal), row)


def _section(ordinal: int, name: bytes, row: Mapping[str, int]) -> SectionRow:
    return SectionRow(
        ordinal=ordinal,
        name=name,
        kind=_name_of(row["sh_type"], "SHT_"),
        flags=row["sh_flags"],
        vma=row["sh_addr"],
        offset=row["sh_offset"],
        size=row["sh_size"],
        link=row["sh_link"],
        info=row["sh_info"],
        alignment=row["sh_addralign"],
        entry_size=row["sh_entsize"],
    )


def _name_of(kind: str | int, prefix: str) -> str:
    return f"{kind:#x}" if isinstance(kind, int) else kind.removeprefix(prefix)


def _name_at(strings: bytes, offset: int, ordinal: int) -> bytes:
    if offset >= len(strings):
        raise DamageError(f"the name of section {ordinal} is at {offset}, past its string table")
    return strings[offset : strings.index(b"\0", offset)]


def _read_segments(content: bytes, header: FileHeader, layouts: ELFStructs) -> Iterator[SegmentRow]:
    start, size, count = header.segment_offset, header.segment_row, header.segment_count
    _check_table(content, start, count, size, "program header")
    _check_limit(count, SEGMENT_LIMIT, "program header")
    for ordinal in range(count):
        at = start + ordinal * size
        row = layouts.Elf_Phdr.parse(content[at : at + size])
        yield SegmentRow(
            ordinal=ordinal,
            kind=_name_of(row["p_type"], "PT_"),
            offset=row["p_offset"],
            vma=row["p_vaddr"],
            lma=row["p_paddr"],
            file_size=row["p_filesz"],
            memory_size=row["p_memsz"],
            flags=row["p_flags"],
        )
