"""The symbol table of an ELF, cut into columns and checked without a loop over symbols.

250 000 symbols are usual. Every step below runs inside the interpreter's C code (array slices,
``map``, ``compress``), and only what looks wrong or special is looked at one by one.
"""

import sys
from array import array
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import compress
from operator import add, gt, lt

from mapinspect.readers.elf_damage import DamageError
from mapinspect.readers.elf_tables import (
    SHF_TLS,
    SHN_LORESERVE,
    SHN_XINDEX,
    SectionRow,
    Tables,
    string_table,
)

SYMBOL_LIMIT = 1 << 23
SHN_ABS, SHN_COMMON = 0xFFF1, 0xFFF2
SHN_PROCESSOR_END = 0xFF40  # SHN_LOPROC..SHN_HIOS: small commons and the like, in no section
STB_GLOBAL = 1
STT_FUNC, STT_TLS, STT_ARM_TFUNC, STT_GNU_IFUNC = 2, 6, 13, 10
CODE_KINDS = (STT_FUNC, STT_ARM_TFUNC, STT_GNU_IFUNC)  # bit 0 of their value says Thumb


@dataclass(frozen=True, slots=True)
class SymbolTable:
    """The columns of a symbol table as stored, the empty symbol 0 included.

    ``kinds`` holds binding and type (st_info); ``wide`` has the section of the rows whose index
    in ``sections`` says SHN_XINDEX.
    """

    names: "array[int]"
    values: "array[int]"
    sizes: "array[int]"
    kinds: bytes
    sections: "array[int]"
    wide: dict[int, int]
    strings: bytes

    def name(self, at: int) -> bytes:
        """Return the name of a row as stored."""
        start = self.names[at]
        return self.strings[start : self.strings.index(b"\0", start)]


def read_table(tables: Tables) -> SymbolTable:
    """Return the only SHT_SYMTAB, empty columns if there is none; raises DamageError."""
    found = [section for section in tables.sections if section.kind == "SYMTAB"]
    if len(found) > 1:
        raise DamageError(f"{len(found)} symbol tables, an ELF file has one")
    if not found:
        if any(section.name == b".symtab" for section in tables.sections):
            raise DamageError(".symtab is not marked as the symbol table")
        return SymbolTable(array("I"), array("I"), array("I"), b"", array("H"), {}, b"\0")
    table = _columns(tables, found[0])
    _check_names(table)
    _check_sections(table, tables)
    for at in _suspects(table, tables):
        _check_extent(table, at, tables)
    return table


def _strings(tables: Tables, section: SectionRow) -> bytes:
    count = len(tables.sections)
    if not 0 < section.link < count:
        raise DamageError(f"{section} has its names in section {section.link} of {count}")
    names = tables.sections[section.link]
    return string_table(tables.content, names, f"{names}, linked from {section},")


def _columns(tables: Tables, section: SectionRow) -> SymbolTable:
    """Cut the table into columns: Elf32_Sym is 16 bytes, Elf64_Sym 24 in another order."""
    row = 16 if tables.header.bits == 32 else 24
    if section.entry_size != row or section.size % row:
        raise DamageError(f"{section} has entries of {section.entry_size} bytes, must be {row}")
    count = section.size // row
    if count > SYMBOL_LIMIT:
        raise DamageError(
            f"{count} symbols are more than the {SYMBOL_LIMIT} that mapinspect reads",
            "strip debugging symbols",
        )
    if section.info > count:
        raise DamageError(f"{section} counts {section.info} local symbols of {count}")
    raw, order = tables.bytes_of(section), tables.header.order
    words, halves = _numbers("I", raw, order), _numbers("H", raw, order)
    if row == 16:
        columns = words[0::4], words[1::4], words[2::4], raw[12::16], halves[7::8]
    else:
        longs = _numbers("Q", raw, order)
        columns = words[0::6], longs[1::3], longs[2::3], raw[4::24], halves[3::12]
    wide = _wide(tables, section, columns[4])
    return SymbolTable(*columns, wide=wide, strings=_strings(tables, section))


def _numbers(width: str, raw: bytes, order: str) -> "array[int]":
    numbers = array(width, raw)
    if (order == "<") != (sys.byteorder == "little"):
        numbers.byteswap()
    return numbers


def _wide(tables: Tables, section: SectionRow, indexes: "array[int]") -> dict[int, int]:
    """Return the section of every symbol whose index did not fit 16 bits."""
    if not indexes.count(SHN_XINDEX):
        return {}
    rows = [at for at, index in enumerate(indexes) if index == SHN_XINDEX]
    for other in tables.sections:
        if other.kind == "SYMTAB_SHNDX" and other.link == section.ordinal:
            if other.size != 4 * len(indexes):
                raise DamageError(f"{other} has {other.size} bytes, not 4 a symbol")
            wide = _numbers("I", tables.bytes_of(other), tables.header.order)
            return {at: wide[at] for at in rows}
    raise DamageError(f"symbol {rows[0]} needs a table of section indexes that is missing")


def _check_names(table: SymbolTable) -> None:
    """Raise DamageError where a name is out of range, or a symbol is empty or global without one.

    Names that point into zeros are how a moved table or string table shows.
    """
    if max(table.names, default=0) >= len(table.strings):
        raise DamageError(f"a symbol's name is at {max(table.names)}, past its string table")
    for at in _zeros(table.names):
        local = table.kinds[at] >> 4 < STB_GLOBAL
        if at and not (local and table.sections[at]):
            raise DamageError(f"symbol {at} is empty or global without a name")


def _zeros(column: "array[int]") -> Iterator[int]:
    at = -1
    with suppress(ValueError):
        while True:
            at = column.index(0, at + 1)
            yield at


def _check_sections(table: SymbolTable, tables: Tables) -> None:
    """Raise DamageError where a symbol is in a section that does not exist."""
    count = len(tables.sections)
    reserved = {SHN_ABS, SHN_COMMON, SHN_XINDEX, *range(SHN_LORESERVE, SHN_PROCESSOR_END)}
    bad = {index for index in set(table.sections) - reserved if index >= count} | {
        index for index in table.wide.values() if not 0 < index < count
    }
    if bad:
        raise DamageError(f"bad symbol section index {min(bad):#x}: there are {count} sections")


def _suspects(table: SymbolTable, tables: Tables) -> Iterator[int]:
    """Return the sized symbols that may leave their section.

    Symbols without a size may lie anywhere: ld keeps ``_estack`` in a section it is far from.
    """
    lowest = dict.fromkeys(set(table.sections), 0)
    highest = dict.fromkeys(lowest, 2 * tables.header.address_end)  # absolute ones: anywhere
    for index in lowest.keys() & set(range(1, min(len(tables.sections), SHN_LORESERVE))):
        section = tables.sections[index]
        start = 0 if tables.header.kind == "REL" else section.vma
        lowest[index], highest[index] = start, start + section.size
        if section.says(SHF_TLS):
            highest[index] = -1  # offsets into the TLS template: looked at one by one
    ends = map(add, table.values, table.sizes)
    late = map(gt, ends, map(highest.__getitem__, table.sections))
    early = map(lt, table.values, map(lowest.__getitem__, table.sections))
    count = len(table.sizes)
    suspects = (*compress(range(count), late), *compress(range(count), early), *table.wide)
    return (at for at in suspects if table.sizes[at])


def _check_extent(table: SymbolTable, at: int, tables: Tables) -> None:
    """Raise DamageError where a symbol leaves its section.

    A function must only start in it: assemblers' ``.size`` is wrong in newlib's strcmp and in
    avr-libc's floating point, and mold 1.10 keeps the sizes from before relaxation.
    """
    section = tables.sections[table.wide.get(at, table.sections[at])]
    value, size, kind = table.values[at], table.sizes[at], table.kinds[at] & 15
    if tables.machine == "ARM" and kind in CODE_KINDS:
        value &= ~1
    start, limit = section.vma, section.size
    if tables.header.kind == "REL":
        start = 0
    elif kind == STT_TLS:
        templates = [each.memory_size for each in tables.segments if each.kind == "TLS"]
        start, limit = 0, max(templates, default=0)
    inside = 1 if kind in CODE_KINDS else size
    wraps = value + size > tables.header.address_end
    if wraps or not start <= value <= start + limit - inside:
        name = table.name(at).decode("utf-8", "surrogateescape")
        raise DamageError(f"symbol {name} ({size} bytes at {value:#x}) extends past {section}")
