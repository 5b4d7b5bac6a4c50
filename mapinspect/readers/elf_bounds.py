"""Sections and segments against the file and the address space, each for itself.

What is refused here is damage: contents outside the file or shared by two owners, sizes that
wrap addresses, compression headers that cannot be true.
"""

import struct
from collections.abc import Iterable
from itertools import pairwise

from mapinspect.readers.elf_damage import DamageError
from mapinspect.readers.elf_tables import (
    SHF_ALLOC,
    SHF_COMPRESSED,
    SHF_EXECINSTR,
    SectionRow,
    SegmentRow,
    Tables,
)

_COMPRESSIONS = {1: "zlib", 2: "zstd"}  # ELFCOMPRESS_…
# Stored blocks cost zlib 5 bytes in 16 KiB, zstd 3 in 128 KiB; both have a frame around them.
_OVERHEAD_SHARE, _OVERHEAD = 1000, 64


def check_sections(tables: Tables) -> None:
    """Raise DamageError where a section leaves the file or address space, or shares bytes."""
    _check_not_debug_only(tables.sections)
    for section in tables.sections[1:]:
        _check_section(tables, section)
        if section.says(SHF_COMPRESSED):
            _check_compressed(tables, section)
    _check_unshared(tables)


def _check_not_debug_only(sections: Iterable[SectionRow]) -> None:
    """Refuse what objcopy --only-keep-debug leaves: code without contents, and no other bytes."""
    allocated = [s for s in sections if s.says(SHF_ALLOC) and s.size and s.kind != "NOTE"]
    code = [section for section in allocated if section.says(SHF_EXECINSTR)]
    if code and not any(section.has_contents for section in allocated):
        raise DamageError(
            "holds debugging information only, not the image it belongs to",
            "name the ELF that the linker wrote",
        )


def _check_section(tables: Tables, section: SectionRow) -> None:
    size, header = len(tables.content), tables.header
    if section.kind == "NULL" and section.says(SHF_ALLOC):
        raise DamageError(f"{section} is allocated but marked as no section")
    if not section.name:
        raise DamageError(f"{section} has no name")
    if section.alignment & (section.alignment - 1):
        raise DamageError(f"{section} has alignment {section.alignment:#x}, no power of two")
    if section.has_contents and section.file_end > size:
        raise DamageError(
            f"truncated ELF: {section} needs bytes {section.offset}..{section.file_end}, "
            f"file has {size}"
        )
    if section.says(SHF_ALLOC) and section.end > header.address_end:
        raise DamageError(
            f"{section} ({section.size} bytes at {section.vma:#x}) wraps the "
            f"{header.bits}-bit address space"
        )


def _check_compressed(tables: Tables, section: SectionRow) -> None:
    """Check an Elf32_Chdr or Elf64_Chdr against its section, without decompressing anything."""
    if section.says(SHF_ALLOC) or section.kind == "NOBITS":
        raise DamageError(f"{section} is marked compressed, which a loaded section cannot be")
    layout = "III" if tables.header.bits == 32 else "I4xQQ"
    row = struct.Struct(tables.header.order + layout)
    if section.size < row.size:
        raise DamageError(f"{section} is too short for its compression header")
    kind, size, alignment = row.unpack_from(tables.content, section.offset)
    stored = section.size - row.size
    if kind not in _COMPRESSIONS or alignment & (alignment - 1):
        raise DamageError(f"{section} has a bad compression header (type {kind:#x})")
    if stored > size + size // _OVERHEAD_SHARE + _OVERHEAD:
        raise DamageError(
            f"{section} has a bad compression header: {stored} bytes of {_COMPRESSIONS[kind]} "
            f"data for {size} bytes"
        )


def _check_unshared(tables: Tables) -> None:
    """Raise DamageError where two sections, or a section and a header table, share file bytes."""
    spans = tables.header.spans() + [
        (str(section), section.offset, section.file_end)
        for section in tables.sections[1:]
        if section.has_contents
    ]
    stored = sorted((start, end, name) for name, start, end in spans if end > start)
    for (_, end, first), (start, _, second) in pairwise(stored):
        if start < end:
            raise DamageError(f"{first} and {second} share {end - start} bytes of the file")


def check_segments(tables: Tables) -> None:
    """Raise DamageError where a segment leaves the file or address space."""
    for segment in tables.segments:
        if segment.file_size and segment.file_end > len(tables.content):
            raise DamageError(
                f"truncated ELF: segment {segment.ordinal} needs bytes "
                f"{segment.offset}..{segment.file_end}, file has {len(tables.content)}"
            )
        if segment.kind in ("LOAD", "TLS"):
            _check_memory(segment, tables.header.address_end)
    stored = sorted(
        (segment.offset, segment.file_end, segment.ordinal)
        for segment in tables.segments
        if segment.kind == "LOAD" and segment.file_size
    )
    for (_, end, first), (start, _, second) in pairwise(stored):
        if start < end:
            raise DamageError(f"segments {first} and {second} load the same {end - start} bytes")


def _check_memory(segment: SegmentRow, address_end: int) -> None:
    if segment.memory_size < segment.file_size:
        raise DamageError(
            f"invalid segment {segment.ordinal}: {segment.memory_size} bytes in memory, "
            f"{segment.file_size} in the file"
        )
    if max(segment.end, segment.lma + segment.file_size) > address_end:
        raise DamageError(f"segment {segment.ordinal} wraps the address space")
