"""What ELF files say about themselves: the build id and the ARM build attributes."""

import struct
from collections.abc import Iterator

from mapinspect.readers.elf_damage import DamageError
from mapinspect.readers.elf_tables import Tables

NT_GNU_BUILD_ID = 3
NOTE_LIMIT = 1 << 12  # notes looked at in one section

# "Addenda to, and Errata in, the ABI for the Arm Architecture", build attributes.
_TAG_FILE = 1
_TEXT_TAGS = {4, 5, 65, 67}  # CPU_raw_name, CPU_name, also_compatible_with, conformance
_TAG_COMPATIBILITY = 32  # a number and a text
_FIRST_PARITY_TAG = 32  # from here on odd tags have texts, even ones numbers


def build_id(tables: Tables) -> str | None:
    """Return the GNU build id in hexadecimal, None where no note holds one."""
    order = tables.header.order
    for section in tables.sections:
        if section.kind != "NOTE":
            continue
        for owner, kind, text in _notes(tables.bytes_of(section), order, section.alignment):
            if owner == b"GNU\0" and kind == NT_GNU_BUILD_ID and text:
                return text.hex()
    return None


def _notes(raw: bytes, order: str, alignment: int) -> Iterator[tuple[bytes, int, bytes]]:
    """Yield owner, type and description; stop where the rest is no note."""
    step = 8 if alignment == 8 else 4
    at = 0
    for _ in range(NOTE_LIMIT):
        if at + 12 > len(raw):
            return
        owner_size, size, kind = struct.unpack_from(f"{order}III", raw, at)
        start = at + 12 + owner_size
        start += -start % step
        if start + size > len(raw):
            return
        yield raw[at + 12 : at + 12 + owner_size], kind, raw[start : start + size]
        at = start + size
        at += -at % step


def arm_attributes(tables: Tables) -> dict[int, int | str]:
    """Return the file's build attributes by tag number; raises DamageError."""
    for section in tables.sections:
        if tables.machine == "ARM" and section.kind == "ARM_ATTRIBUTES" and section.size:
            try:
                return _attributes(tables.bytes_of(section), tables.header.order)
            except (IndexError, ValueError, struct.error):
                raise DamageError(f"{section} holds no build attributes") from None
    return {}


def _attributes(raw: bytes, order: str) -> dict[int, int | str]:
    """Read format 'A': vendors, each with subsections for file, section or symbol scope."""
    found: dict[int, int | str] = {}
    if raw[:1] != b"A":
        raise ValueError("unknown format version")
    at = 1
    while at < len(raw):
        size = _block_size(raw, at, order, 4)
        end, name_end = at + size, raw.index(b"\0", at + 4, at + size)
        if raw[at + 4 : name_end] == b"aeabi":
            _read_vendor(raw[name_end + 1 : end], order, found)
        at = end
    return found


def _block_size(raw: bytes, at: int, order: str, header: int) -> int:
    (size,) = struct.unpack_from(f"{order}I", raw, at)
    if size < header or at + size > len(raw):
        raise ValueError("a subsection leaves the section")
    return int(size)


def _read_vendor(raw: bytes, order: str, found: dict[int, int | str]) -> None:
    at = 0
    while at < len(raw):
        scope, start = _uleb(raw, at)
        (size,) = struct.unpack_from(f"{order}I", raw, start)
        if size < start + 4 - at or at + size > len(raw):
            raise ValueError("a subsection leaves its vendor")
        if scope == _TAG_FILE:
            _read_tags(raw[start + 4 : at + size], found)
        at += size


def _read_tags(raw: bytes, found: dict[int, int | str]) -> None:
    at = 0
    while at < len(raw):
        tag, at = _uleb(raw, at)
        if tag == _TAG_COMPATIBILITY:
            found[tag], at = _uleb(raw, at)
            at = raw.index(b"\0", at) + 1
        elif tag in _TEXT_TAGS or (tag > _FIRST_PARITY_TAG and tag % 2):
            end = raw.index(b"\0", at)
            found[tag] = raw[at:end].decode("utf-8", "surrogateescape")
            at = end + 1
        else:
            found[tag], at = _uleb(raw, at)


def _uleb(raw: bytes, at: int) -> tuple[int, int]:
    """Return an unsigned LEB128 of at most 64 bits and the offset behind it."""
    value = 0
    for shift in range(0, 70, 7):
        byte = raw[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
    raise ValueError("a number of more than 64 bits")
