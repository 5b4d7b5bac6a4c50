"""What a file is that was given as an ELF and is none: the refusal that helps."""

import re

_SIGNATURES: tuple[tuple[bytes, str, str], ...] = (
    (b"\x1f\x8b", "gzip data", "unpack it first"),
    (b"PK\x03\x04", "a zip archive", "unpack it first"),
    (b"\xfd7zXZ\0", "xz data", "unpack it first"),
    (b"BZh", "bzip2 data", "unpack it first"),
    (b"\x28\xb5\x2f\xfd", "zstd data", "unpack it first"),
    (b"!<arch>\n", "an archive of objects", "name the linked ELF"),
    (b"!<thin>\n", "a thin archive of objects", "name the linked ELF"),
    (b"BC\xc0\xde", "LLVM bitcode", "name the linked ELF"),
    (b"MZ", "a Windows (PE) program", "name the firmware's ELF"),
    (b"\xfe\xed\xfa\xce", "a Mach-O program", "name the firmware's ELF"),
    (b"\xfe\xed\xfa\xcf", "a Mach-O program", "name the firmware's ELF"),
    (b"\xce\xfa\xed\xfe", "a Mach-O program", "name the firmware's ELF"),
    (b"\xcf\xfa\xed\xfe", "a Mach-O program", "name the firmware's ELF"),
    (b"\xca\xfe\xba\xbe", "a Mach-O universal program", "name the firmware's ELF"),
    (b"UF2\n", "a UF2 image", "name the ELF it was made from"),
)
_INTEL_HEX = re.compile(rb":[0-9A-Fa-f]{10}")
_S_RECORD = re.compile(rb"S[0-9][0-9A-Fa-f]{6}")
_MAP_HEADINGS = (b"Memory Configuration", b"Linker script and memory map", b"Archive member")
_HEAD = 64 * 1024  # bytes in which a map shows its headings


def describe_foreign(content: bytes) -> tuple[str, str]:
    """Return what the content is instead of an ELF file, and what to do about it."""
    for signature, what, remedy in _SIGNATURES:
        if content.startswith(signature):
            return f"{what}, not ELF", remedy
    if content[4:8] == b"TFL3":
        return "a .tflite model, not ELF", "swapped arguments?"
    return _describe_text(content[:_HEAD])


def _describe_text(head: bytes) -> tuple[str, str]:
    if _INTEL_HEX.match(head):
        return "Intel HEX, not ELF", "name the ELF it was made from"
    if _S_RECORD.match(head):
        return "Motorola S-records, not ELF", "name the ELF it was made from"
    if any(heading in head for heading in _MAP_HEADINGS):
        return "looks like a linker map, not ELF", "swapped arguments?"
    if head.startswith((b"\xff\xfe", b"\xfe\xff")) or (head and _is_text(head)):
        return "text, not ELF", "name the linked ELF"
    return "not an ELF file", "name the linked ELF, not a raw binary of it"


def _is_text(head: bytes) -> bool:
    return not any(byte < 9 or 13 < byte < 32 or byte == 127 for byte in head)
