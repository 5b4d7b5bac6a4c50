"""ELF files, strictly: what cannot be trusted is refused with a reason, never half read."""

from collections.abc import Sequence

from mapinspect.errors import InputError
from mapinspect.model.elf_file import ElfFile, ElfSection, ElfSegment
from mapinspect.readers import (
    elf_bounds,
    elf_headers,
    elf_layout,
    elf_magic,
    elf_notes,
    elf_symbols,
)
from mapinspect.readers.elf_damage import DamageError
from mapinspect.readers.elf_tables import (
    SHF_ALLOC,
    SHF_COMPRESSED,
    SHF_EXECINSTR,
    SHF_TLS,
    SHF_WRITE,
    SectionRow,
    SegmentRow,
)

_MAGIC = b"\x7fELF"


def read_elf(path: str, content: bytes) -> ElfFile:
    """Return the sections, segments and symbols of an object, program or shared object.

    ``path`` is the file as the user named it. Contents of sections are not read, except the
    symbol table with its strings, notes and build attributes. Raises InputError with the reason
    where the file is something else or its structure contradicts itself.
    """
    if not content.startswith(_MAGIC):
        what, remedy = elf_magic.describe_foreign(content)
        raise InputError(path, None, what, remedy)
    try:
        return _read(path, content)
    except DamageError as damage:
        raise InputError(path, None, damage.what, damage.remedy) from None


def _read(path: str, content: bytes) -> ElfFile:
    tables = elf_headers.read_tables(content)
    elf_bounds.check_sections(tables)
    elf_bounds.check_segments(tables)
    load_addresses = elf_layout.load_addresses(tables)
    header = tables.header
    return ElfFile(
        path=path,
        content=content,
        bits=header.bits,
        little_endian=header.little_endian,
        kind=header.kind,
        machine=header.machine,
        entry=header.entry,
        sections=_sections(tables.sections, load_addresses),
        segments=tuple(map(_segment, tables.segments)),
        symbols=elf_symbols.read_symbols(tables),
        build_id=elf_notes.build_id(tables),
        arm_attributes=elf_notes.arm_attributes(tables),
    )


def _sections(rows: Sequence[SectionRow], load_addresses: Sequence[int]) -> tuple[ElfSection, ...]:
    return tuple(
        ElfSection(
            ordinal=row.ordinal,
            name=row.name.decode("utf-8", "surrogateescape"),
            kind=row.kind,
            vma=row.vma,
            lma=lma,
            size=row.size,
            offset=row.offset,
            alignment=row.alignment,
            allocated=row.says(SHF_ALLOC),
            writable=row.says(SHF_WRITE),
            executable=row.says(SHF_EXECINSTR),
            thread_local=row.says(SHF_TLS),
            has_contents=row.has_contents,
            compressed=row.says(SHF_COMPRESSED),
        )
        for row, lma in zip(rows, load_addresses, strict=True)
    )


def _segment(row: SegmentRow) -> ElfSegment:
    return ElfSegment(
        ordinal=row.ordinal,
        kind=row.kind,
        offset=row.offset,
        vma=row.vma,
        lma=row.lma,
        file_size=row.file_size,
        memory_size=row.memory_size,
        flags=row.flags,
    )
