"""The defined symbols of an ELF as columns: records and names are made when someone asks."""

import re
from array import array
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import compress

from mapinspect.model.elf_file import ElfSymbol, SymbolKind
from mapinspect.readers.elf_symbol_table import (
    CODE_KINDS,
    SHN_ABS,
    SHN_COMMON,
    SymbolTable,
    read_table,
)
from mapinspect.readers.elf_tables import SHN_LORESERVE, Tables

# $a $t $d (ARM ELF ABI), $x $d (AArch64, RISC-V psABI; $xrv… names an ISA), with .anything behind.
_MAPPING = re.compile(rb"\$(?=[atdx][.\0]|xrv)")
_MAPPED_MACHINES = {"ARM", "AARCH64", "RISCV", "CSKY"}
_KINDS = dict.fromkeys(range(16), SymbolKind.OTHER)
_KINDS |= {kind.value: kind for kind in SymbolKind if kind is not SymbolKind.OTHER}
_KINDS |= dict.fromkeys(CODE_KINDS, SymbolKind.FUNCTION)  # an IFUNC chooses one


class SymbolColumns:
    """The defined symbols of an ELF; a row's ordinal is its position among them."""

    def __init__(self, table: SymbolTable, keep: bytearray, thumb: bool) -> None:
        self._table = table
        self._keep = keep
        self._count = sum(keep)
        self._thumb = thumb
        self._first: dict[str, int] | None = None
        self._later: dict[str, list[int]] = {}

    def __len__(self) -> int:
        """Return how many symbols there are."""
        return self._count

    def __getitem__(self, ordinal: int) -> ElfSymbol:
        """Return one symbol by its position among the defined ones."""
        at = self._rows[ordinal]
        name = self._table.name(at).decode("utf-8", "surrogateescape")
        ordinal += self._count if ordinal < 0 else 0
        return self._record(ordinal, name, self._address(at), self._table.sizes[at], at)

    def __iter__(self) -> Iterator[ElfSymbol]:
        """Yield every symbol in symbol-table order; the columns are read in one go."""
        columns = (self.names(), self.addresses(), self.sizes(), self._rows)
        return map(self._record, range(self._count), *columns)

    def _record(self, ordinal: int, name: str, address: int, size: int, at: int) -> ElfSymbol:
        index, info = self._table.sections[at], self._table.kinds[at]
        section = index if index < SHN_LORESERVE else self._table.wide.get(at)
        kind = SymbolKind.COMMON if index == SHN_COMMON else _KINDS[info & 15]
        return ElfSymbol(ordinal, name, address, size, kind, info > 15, section, index == SHN_ABS)

    def named(self, name: str) -> tuple[ElfSymbol, ...]:
        """Return the symbols of exactly this name; the first call indexes all names."""
        if self._first is None:
            self._first = self._index()
        first = self._first.get(name)
        if first is None:
            return ()
        return tuple(self[ordinal] for ordinal in (first, *self._later.get(name, ())))

    def _index(self) -> dict[str, int]:
        names = self.names()
        first = dict(zip(reversed(names), range(len(names) - 1, -1, -1), strict=True))
        if len(first) < len(names):
            for ordinal, name in enumerate(names):
                if first[name] != ordinal:
                    self._later.setdefault(name, []).append(ordinal)
        return first

    def addresses(self) -> Sequence[int]:
        """Return the column of addresses, as the rows have them."""
        column = self._column(self._table.values)
        if self._thumb:
            code = compress(self._table.kinds.translate(_CODE), self._keep)
            for ordinal in compress(range(len(column)), code):
                column[ordinal] &= ~1
        for ordinal in self._commons():
            column[ordinal] = 0
        return column

    def sizes(self) -> Sequence[int]:
        """Return the column of sizes in bytes."""
        return self._column(self._table.sizes)

    def names(self) -> list[str]:
        """Return the column of names."""
        strings, starts = self._table.strings, compress(self._table.names, self._keep)
        if strings.isascii():
            text = strings.decode("ascii")
            find = text.find
            return [text[start : find("\0", start)] for start in starts]
        end = strings.find
        return [
            strings[start : end(b"\0", start)].decode("utf-8", "surrogateescape")
            for start in starts
        ]

    @cached_property
    def _rows(self) -> "array[int]":
        return array("I", compress(range(len(self._keep)), self._keep))

    def _column(self, values: "array[int]") -> "array[int]":
        return array(values.typecode, compress(values, self._keep))

    def _commons(self) -> Iterator[int]:
        """Yield the rows that the next link places: their value is an alignment."""
        if not self._table.sections.count(SHN_COMMON):
            return iter(())
        sections = compress(self._table.sections, self._keep)
        return (ordinal for ordinal, index in enumerate(sections) if index == SHN_COMMON)

    def _address(self, at: int) -> int:
        if self._table.sections[at] == SHN_COMMON:
            return 0
        value = self._table.values[at]
        return value & ~1 if self._thumb and self._table.kinds[at] & 15 in CODE_KINDS else value


_CODE = bytes(info & 15 in CODE_KINDS for info in range(256))


def read_symbols(tables: Tables) -> SymbolColumns:
    """Return the defined symbols of an ELF, none if it has no symbol table; raises DamageError."""
    table = read_table(tables)
    keep = bytearray(map(bool, table.sections))
    if tables.machine in _MAPPED_MACHINES:
        for at in _mapping_rows(table):
            keep[at] = 0
    return SymbolColumns(table, keep, thumb=tables.machine == "ARM")


def _mapping_rows(table: SymbolTable) -> Iterator[int]:
    """Yield the local, typeless symbols that mark code and data in a section ($t, $d, …)."""
    starts = {match.start() for match in _MAPPING.finditer(table.strings)}
    if not starts:
        return
    for at in compress(range(len(table.names)), map(starts.__contains__, table.names)):
        if table.kinds[at] == 0:
            yield at
