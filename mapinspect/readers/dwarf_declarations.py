"""Where the sources declare what lies at an address, from an image's debugging information.

Link-time optimisation keeps a unit for each source, and writes units of its own with addresses
that refer to them (DW_AT_abstract_origin). An entry is found by its address, since two sources
may give one name to different things. Functions in several parts, whose address is a list, are
not looked at.
"""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from mapinspect.errors import InputError
from mapinspect.model.elf_file import ElfFile
from mapinspect.readers.dwarf_files import SourceFiles, source_files
from mapinspect.readers.dwarf_sections import SECTIONS, DebugInformation, debug_information
from mapinspect.readers.dwarf_sizes import PYELFTOOLS_FAILURES
from mapinspect.readers.dwarf_units import all_units, entry_at, name_of, reference_of
from mapinspect.readers.elf_damage import DamageError

_ORIGINS = ("DW_AT_abstract_origin", "DW_AT_specification")
_REFERENCES = {
    "DW_FORM_ref_addr", "DW_FORM_ref1", "DW_FORM_ref2", "DW_FORM_ref4", "DW_FORM_ref8",
    "DW_FORM_ref_udata",
}  # fmt: skip
_ORIGINS_LIMIT = 8  # entries between an address and its declaration
_SCANNED_PER_STEP = 1 << 12  # bytes searched that cost as much as one read
_HITS_PER_STEP = 8  # places compared with addresses that cost as much as one read
_OP_ADDR = 0x03  # DW_OP_addr
_ARTIFICIAL = "<artificial>"  # gcc's name of units that link-time optimisation made


def declaration_files(elf: ElfFile, wanted: Iterable[int]) -> dict[int, str]:
    """Return the file that declares what lies at each address, as the compiler spells its path.

    ``wanted`` are run-time addresses. Those that no entry states, or that entries of several
    files do, are left out; so is 0, which ld writes for all that it discarded. Raises InputError
    where the debugging information is absent, damaged or more than can be read.
    """
    try:
        debug = debug_information(elf, (*SECTIONS, "debug_line"))
        if debug is None:
            raise DamageError("has no debugging information", "compile and link with -g")
        return _Search(debug, frozenset(wanted) - {0}).run()
    except DamageError as damage:
        raise InputError(elf.path, None, damage.what, damage.remedy) from None
    except PYELFTOOLS_FAILURES as failure:
        what = f"its debugging information is damaged ({type(failure).__name__}: {failure})"
        raise InputError(elf.path, None, what, "build it again") from None


@dataclass(slots=True)
class _Search:
    """One search for all addresses; ``files`` by address, ``tables`` and ``starts`` by unit."""

    debug: DebugInformation
    wanted: frozenset[int]
    units: list[Any] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    hits: list[int] = field(default_factory=list)
    tables: dict[int, SourceFiles] = field(default_factory=dict)
    files: dict[int, set[str]] = field(default_factory=lambda: defaultdict(set))

    def run(self) -> dict[int, str]:
        """Return the declaring source file of each wanted address that has one."""
        self.units = all_units(self.debug)
        self.starts = [unit.cu_offset for unit in self.units]
        self.hits = sorted(_places(self.debug, self.wanted))
        for unit in self.units:
            end = _end(unit)
            if self._holds(unit.cu_offset, end):
                self._walk(unit, end)
        known = {at: min(files) for at, files in self.files.items() if len(files) == 1}
        return {at: file for at, file in known.items() if file}

    def _holds(self, start: int, end: int) -> bool:
        return bisect_left(self.hits, start) < bisect_left(self.hits, end)

    def _walk(self, unit: Any, end: int) -> None:
        """Look at a unit's entries, but not inside those that hold no wanted address."""
        offset = unit.cu_die_offset
        while offset < end:
            entry = entry_at(self.debug, unit, offset)
            offset += entry.size
            if entry.is_null():
                continue
            self._note(entry, unit)
            sibling = reference_of(entry, unit, "DW_AT_sibling") if entry.has_children else 0
            if offset < sibling <= end and not self._holds(offset, sibling):
                offset = sibling

    def _note(self, entry: Any, unit: Any) -> None:
        address = _address(entry)
        if address is not None and address in self.wanted:
            self.files[address].add(self._declared(entry, unit))

    def _declared(self, entry: Any, unit: Any) -> str:
        """Return the file that the entry, or the first of its origins that says so, names."""
        file = ""
        for _ in range(_ORIGINS_LIMIT):
            attributes = entry.attributes
            number = attributes.get("DW_AT_decl_file")
            if number is not None and not file:
                file = self._table(unit).path(self.debug, number.value)
            origin = next((key for key in _ORIGINS if key in attributes), None)
            if origin is None or attributes[origin].form not in _REFERENCES:
                break
            at = reference_of(entry, unit, origin)
            unit = self.units[max(0, bisect_right(self.starts, at) - 1)]
            if not unit.cu_die_offset <= at < _end(unit):
                raise DamageError("has debugging information that refers outside its units")
            entry = entry_at(self.debug, unit, at)
        return file or _unit_name(unit)

    def _table(self, unit: Any) -> SourceFiles:
        if unit.cu_offset not in self.tables:
            self.tables[unit.cu_offset] = source_files(self.debug, unit)
        return self.tables[unit.cu_offset]


def _places(debug: DebugInformation, wanted: Iterable[int]) -> Iterator[int]:
    """Yield the offsets in .debug_info at which a wanted address may stand.

    Addresses of an image share their upper half, so that one search finds many of them.
    """
    config = debug.dwarf.config
    order: Literal["little", "big"] = "little" if config.little_endian else "big"
    size = config.default_address_size
    half = size // 2
    spelled = {address.to_bytes(size, order) for address in wanted if not address >> 8 * size}
    before = half if config.little_endian else 0
    information = debug.extent("debug_info")
    for upper in {word[before : before + half] for word in spelled}:
        debug.budget.spend(1 + len(information) // _SCANNED_PER_STEP)
        for count, found in enumerate(information.places(upper, len(information))):
            if not count % _HITS_PER_STEP:
                debug.budget.spend(1)
            start = information.start + found - before
            if information.buffer[start : start + size] in spelled:
                debug.budget.spend(1)  # each is kept
                yield found - before


def _address(entry: Any) -> int | None:
    """Return the one address that a function or variable states, None for all else."""
    if entry.tag == "DW_TAG_subprogram":
        low = entry.attributes.get("DW_AT_low_pc")
        return low.value if low is not None and low.form == "DW_FORM_addr" else None
    where = entry.attributes.get("DW_AT_location")
    if entry.tag != "DW_TAG_variable" or where is None or not isinstance(where.value, list):
        return None
    config = entry.cu.dwarfinfo.config
    if len(where.value) != 1 + config.default_address_size or where.value[0] != _OP_ADDR:
        return None
    return int.from_bytes(bytes(where.value[1:]), "little" if config.little_endian else "big")


def _end(unit: Any) -> int:
    return int(unit.cu_offset + unit["unit_length"] + unit.structs.initial_length_field_size())


def _unit_name(unit: Any) -> str:
    name = name_of(unit.get_top_DIE())
    return "" if name == _ARTIFICIAL else name
