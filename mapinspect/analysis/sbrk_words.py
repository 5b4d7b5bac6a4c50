"""What the code of ``_sbrk`` compares with: the addresses that its instructions build.

A limit may have any name, or none; the code has its address all the same.
Source: Armv7-M Architecture Reference Manual, A7.7.43 (LDR, literal), A7.7.76 (MOV, T3) and
A7.7.79 (MOVT).
"""

from collections.abc import Iterator
from typing import Final

from mapinspect.model.elf_file import ElfFile, SymbolKind

_LARGEST: Final = 1024  # bytes; functions of this name have some dozen
_LDR_SHORT, _LDR_WIDE = 0x48, 0xF8DF
_MOVW, _MOVT = 0xF240, 0xF2C0


def sbrk_words(elf: ElfFile, names: frozenset[str]) -> tuple[int, ...]:
    """Return the addresses that a Cortex-M's functions of these names build, but of variables."""
    if not (elf.is_m_profile and elf.little_endian):
        return ()
    found = {word for name in names for word in _of(elf, name)}
    if not found:
        return ()
    sized = zip(elf.symbols.addresses(), elf.symbols.sizes(), strict=True)
    variables = {address for address, size in sized if size}
    return tuple(sorted(found - variables))


def _of(elf: ElfFile, name: str) -> Iterator[int]:
    for symbol in elf.symbols.named(name):
        if symbol.kind is not SymbolKind.FUNCTION or symbol.section is None:
            continue
        section = elf.sections[symbol.section]
        if symbol.size <= _LARGEST:
            code = elf.contents(section).tobytes()
            yield from _built(code, section.vma, symbol.address - section.vma, symbol.size)


def _built(code: bytes, vma: int, start: int, size: int) -> Iterator[int]:
    """Yield the words that instructions load from behind themselves, or build of two halves."""
    lower: dict[int, int] = {}
    end, at = min(start + size, len(code) - 3), start
    while 0 <= at < end:
        first, second = (int.from_bytes(code[here : here + 2], "little") for here in (at, at + 2))
        base = ((vma + at + 4) & ~3) - vma
        if first >> 8 in range(_LDR_SHORT, _LDR_SHORT + 8):
            yield _word(code, base + (first & 0xFF) * 4)
        elif first == _LDR_WIDE:
            yield _word(code, base + (second & 0xFFF))
        elif first & 0xFBF0 == _MOVW and not second >> 15:
            lower[second >> 8 & 0xF] = _half(first, second)
        elif first & 0xFBF0 == _MOVT and second >> 8 & 0xF in lower:
            yield _half(first, second) << 16 | lower[second >> 8 & 0xF]
        at += 4 if first >> 11 in (0b11101, 0b11110, 0b11111) else 2


def _word(code: bytes, at: int) -> int:
    return int.from_bytes(code[at : at + 4], "little")


def _half(first: int, second: int) -> int:
    return (first & 0xF) << 12 | (first >> 10 & 1) << 11 | (second >> 12 & 7) << 8 | second & 0xFF
