"""A second reader of small 32-bit little-endian ELF files, as plain as can be, for comparison."""

import struct

NAMES = (
    "name", "kind", "flags", "vma", "offset", "size", "link", "info", "alignment", "entry_size",
)  # fmt: skip


def naive_sections(content: bytes) -> list[tuple[object, ...]]:
    """Return name, address, load address, size and contents of each allocated section."""
    segments_at, sections_at = struct.unpack_from("<II", content, 28)
    segment_count, _, section_count, names_index = struct.unpack_from("<4H", content, 44)
    rows = [
        dict(zip(NAMES, struct.unpack_from("<10I", content, sections_at + 40 * i), strict=True))
        for i in range(section_count)
    ]
    loads = [
        row
        for i in range(segment_count)
        if (row := struct.unpack_from("<8I", content, segments_at + 32 * i))[0] == 1
    ]
    return [
        (
            string(content, rows[names_index]["offset"] + row["name"]),
            row["vma"],
            load_address(row, loads),
            row["size"],
            row["kind"] not in (0, 8),
        )
        for row in rows
        if row["flags"] & 2
    ]


def load_address(row: dict[str, int], loads: list[tuple[int, ...]]) -> int:
    """Return where the first PT_LOAD around the section loads it, or its own address."""
    for _, offset, vma, lma, file_size, memory_size, _, _ in loads:
        if row["kind"] != 8 and offset <= row["offset"] and (
            row["offset"] + row["size"] <= offset + file_size
        ):  # fmt: skip
            return lma + row["offset"] - offset
        if row["kind"] == 8 and vma <= row["vma"] and row["vma"] + row["size"] <= vma + memory_size:
            return lma + row["vma"] - vma
    return row["vma"]


def naive_symbols(content: bytes, offset: int, size: int) -> list[tuple[bytes, int, int]]:
    """Return name, address and size of the defined symbols that are no ARM mapping symbols."""
    sections_at = struct.unpack_from("<I", content, 32)[0]
    strings = struct.unpack_from("<10I", content, sections_at + 40 * 9)[4]
    found = []
    for at in range(offset, offset + size, 16):
        name, value, extent, kind, _, section = struct.unpack_from("<IIIBBH", content, at)
        spelled = raw_string(content, strings + name)
        mapping = kind == 0 and spelled[:2] in (b"$t", b"$d", b"$a", b"$x")
        if section == 0 or (mapping and spelled[2:3] in (b"", b".")):
            continue
        value = 0 if section == 0xFFF2 else value
        found.append((spelled, value & ~1 if kind & 15 in (2, 10, 13) else value, extent))
    return found


def raw_string(content: bytes, at: int) -> bytes:
    """Return the bytes up to the next NUL."""
    return content[at : content.index(b"\0", at)]


def string(content: bytes, at: int) -> str:
    """Return the text up to the next NUL."""
    return raw_string(content, at).decode("utf-8", "surrogateescape")
