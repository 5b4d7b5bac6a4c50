"""The symbol table as columns: read in bulk, names decoded only when someone asks."""

import re
import sys
from array import array
from collections.abc import Iterator
from dataclasses import dataclass

from mapinspect.model.elf_file import ElfSymbol, SymbolKind
from mapinspect.readers.elf_headers import (
    PT_TLS,
    SHF_TLS,
    SHN_LORESERVE,
    SHN_XINDEX,
    SHT_SYMTAB,
    DamageError,
    SectionRow,
    Tables,
    string_table,
)

SYMBOL_LIMIT = 1 << 23
SHT_SYMTAB_SHNDX = 18
SHN_ABS, SHN_COMMON = 0xFFF1, 0xFFF2
SHN_PROCESSOR_END = 0xFF40  # SHN_LOPROC..SHN_HIOS: small commons and the like, in no section
_DOLLAR = ord("$")
# $a $t $d (ARM ELF ABI), $x $d (AArch64, RISC-V psABI; $xrv… names an ISA), with .anything behind.
_MAPPING = re.compile(rb"\$(?:[atdx](?:\..*)?|xrv.*)", re.DOTALL)
_MAPPED_MACHINES = {"ARM", "AARCH64", "RISCV", "CSKY"}
STT_FUNC, STT_TLS, STT_ARM_TFUNC, STT_GNU_IFUNC = 2, 6, 13, 10
_CODE_KINDS = (STT_FUNC, STT_ARM_TFUNC, STT_GNU_IFUNC)  # bit 0 of their value says Thumb
_KINDS = {kind.value: kind for kind in SymbolKind} | {
    STT_ARM_TFUNC: SymbolKind.FUNCTION,
    STT_GNU_IFUNC: SymbolKind.FUNCTION,  # the function that chooses one
}


@dataclass(frozen=True, slots=True)
class _Table:
    """The columns of a symbol table, null symbol included.

    ``wide`` has the section of the rows whose index says SHN_XINDEX.
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


class SymbolColumns:
    """The defined symbols of an ELF, one column per field; rows become records on demand."""

    def __init__(self, table: _Table, rows: "array[int]", thumb: bool) -> None:
        self._table = table
        self._rows = rows
        self._thumb = thumb
        self._named: dict[bytes, list[int]] | None = None

    def __len__(self) -> int:
        """Return how many symbols there are."""
        return len(self._rows)

    def __getitem__(self, ordinal: int) -> ElfSymbol:
        """Return one symbol by its position among the defined ones."""
        at = self._rows[ordinal]
        table = self._table
        index, kind = table.sections[at], table.kinds[at]
        common = index == SHN_COMMON
        section = index if index < SHN_LORESERVE else table.wide.get(at)
        address = 0 if common else table.values[at]
        if self._thumb and kind & 15 in _CODE_KINDS:
            address &= ~1
        return ElfSymbol(
            ordinal=ordinal if ordinal >= 0 else ordinal + len(self._rows),
            name=table.name(at).decode("utf-8", "surrogateescape"),
            address=address,
            size=table.sizes[at],
            kind=SymbolKind.COMMON if common else _KINDS.get(kind & 15, SymbolKind.OTHER),
            is_global=kind >> 4 != 0,
            section=section,
            absolute=index == SHN_ABS,
        )

    def __iter__(self) -> Iterator[ElfSymbol]:
        """Yield every symbol in symbol-table order."""
        return (self[ordinal] for ordinal in range(len(self._rows)))

    def named(self, name: str) -> tuple[ElfSymbol, ...]:
        """Return the symbols of exactly this name; the first call indexes all names."""
        if self._named is None:
            self._named = {}
            for ordinal, at in enumerate(self._rows):
                self._named.setdefault(self._table.name(at), []).append(ordinal)
        try:
            wanted = name.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:
            return ()  # no bytes decode to this name
        return tuple(self[ordinal] for ordinal in self._named.get(wanted, ()))


def read_symbols(tables: Tables) -> SymbolColumns:
    """Return the symbols of the only SHT_SYMTAB, none if there is none; raises DamageError."""
    found = [section for section in tables.sections if section.kind == SHT_SYMTAB]
    if len(found) > 1:
        raise DamageError(f"{len(found)} symbol tables, an ELF file has one")
    if not found:
        empty = _Table(array("I"), array("I"), array("I"), b"", array("H"), {}, b"\0")
        return SymbolColumns(empty, array("I"), thumb=False)
    table = _columns(tables, found[0])
    if len(table.names) and max(table.names) >= len(table.strings):
        raise DamageError(f"a symbol's name is at {max(table.names)}, past its string table")
    thumb = tables.machine == "ARM"
    _check_sections(table, tables)
    _check_extents(table, tables)
    return SymbolColumns(table, _defined(table, tables.machine in _MAPPED_MACHINES), thumb)


def _strings(tables: Tables, section: SectionRow) -> bytes:
    count = len(tables.sections)
    if not 0 < section.link < count:
        raise DamageError(f"{section} has its names in section {section.link} of {count}")
    names = tables.sections[section.link]
    return string_table(tables.content, names, f"{names}, linked from {section},")


def _columns(tables: Tables, section: SectionRow) -> _Table:
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
    return _Table(*columns, wide=wide, strings=_strings(tables, section))


def _numbers(width: str, raw: bytes, order: str) -> "array[int]":
    numbers = array(width, raw)
    if (order == "<") != (sys.byteorder == "little"):
        numbers.byteswap()
    return numbers


def _wide(tables: Tables, section: SectionRow, indexes: "array[int]") -> dict[int, int]:
    """Return the section of every symbol whose index did not fit 16 bits."""
    rows = [at for at, index in enumerate(indexes) if index == SHN_XINDEX]
    if not rows:
        return {}
    for other in tables.sections:
        if other.kind == SHT_SYMTAB_SHNDX and other.link == section.ordinal:
            if other.size != 4 * len(indexes):
                raise DamageError(f"{other} has {other.size} bytes, not 4 a symbol")
            wide = _numbers("I", tables.bytes_of(other), tables.header.order)
            return {at: wide[at] for at in rows}
    raise DamageError(f"symbol {rows[0]} needs a table of section indexes that is missing")


def _check_sections(table: _Table, tables: Tables) -> None:
    """Raise DamageError where a symbol is in a section that does not exist."""
    count = len(tables.sections)
    reserved = {SHN_ABS, SHN_COMMON, SHN_XINDEX, *range(SHN_LORESERVE, SHN_PROCESSOR_END)}
    bad = {index for index in set(table.sections) - reserved if index >= count} | {
        index for index in table.wide.values() if not 0 < index < count
    }
    if bad:
        raise DamageError(f"bad symbol section index {min(bad):#x}: there are {count} sections")


def _check_extents(table: _Table, tables: Tables) -> None:
    """Raise DamageError where a sized symbol leaves its section.

    Symbols without a size may lie anywhere: ld keeps ``_estack`` in a section it is far from.
    """
    anywhere = 1 << 65
    lowest, highest = [0] * 0x10000, [anywhere] * 0x10000
    for section in tables.sections[1:SHN_LORESERVE]:
        start = 0 if tables.header.kind == "REL" else section.vma
        lowest[section.ordinal], highest[section.ordinal] = start, start + section.size
        if section.says(SHF_TLS):
            highest[section.ordinal] = -1  # offsets into the TLS template: looked at one by one
    rows = zip(table.values, table.sizes, table.sections, strict=True)
    suspects = [
        at
        for at, (value, size, index) in enumerate(rows)
        if size and not lowest[index] <= value <= highest[index] - size
    ]
    for at in (*suspects, *table.wide):
        _check_extent(table, at, tables)


def _check_extent(table: _Table, at: int, tables: Tables) -> None:
    section = tables.sections[table.wide.get(at, table.sections[at])]
    value, size, kind = table.values[at], table.sizes[at], table.kinds[at] & 15
    if tables.machine == "ARM" and kind in _CODE_KINDS:
        value &= ~1
    start, limit = section.vma, section.size
    if tables.header.kind == "REL":
        start = 0
    elif kind == STT_TLS:
        templates = [each.memory_size for each in tables.segments if each.kind == PT_TLS]
        start, limit = 0, max(templates, default=0)
    if size and not start <= value <= start + limit - size:
        name = table.name(at).decode("utf-8", "surrogateescape")
        raise DamageError(f"symbol {name} ({size} bytes at {value:#x}) extends past {section}")


def _defined(table: _Table, mapped: bool) -> "array[int]":
    """Return the rows of defined symbols that are no mapping symbols ($t, $d, …)."""
    rows = [at for at, index in enumerate(table.sections) if index]
    if mapped:
        names, strings = table.names, table.strings
        marked = {
            at
            for at in rows
            if strings[names[at]] == _DOLLAR
            and table.kinds[at] == 0  # local and without a type
            and _MAPPING.fullmatch(table.name(at))
        }
        rows = [at for at in rows if at not in marked]
    return array("I", rows)
