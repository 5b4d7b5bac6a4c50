"""Which units of a DWARF may define a name, and their definitions, without reading the rest.

A debugger's way to a type reads every unit. Here the name is looked up among the strings; the
places in .debug_info that refer to it name the units worth a walk, and a walk enters only
scopes. Tags and attributes: DWARF 5, chapters 3 and 5, and appendix A.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal

from elftools.dwarf.die import DIE

from mapinspect.readers.dwarf_sections import DebugInformation
from mapinspect.readers.elf_damage import DamageError

UNIT_LIMIT = 1 << 15
STRING_LIMIT = 32  # places where one name may stand among the strings
HIT_LIMIT = 4096  # references looked at for one string
_CLASSES = {"DW_TAG_structure_type", "DW_TAG_class_type", "DW_TAG_union_type"}
_UNITS = {"DW_TAG_compile_unit", "DW_TAG_partial_unit", "DW_TAG_type_unit", "DW_TAG_skeleton_unit"}
_TRANSPARENT = _UNITS | {"DW_TAG_enumeration_type"}  # their names are no part of others
_ENTERED = _TRANSPARENT | {"DW_TAG_namespace"}
ANONYMOUS = "(anonymous namespace)"


@dataclass(frozen=True, slots=True)
class Definition:
    """A named entry of a unit: its qualified name and pyelftools' record of it."""

    name: str
    entry: Any
    unit: Any


def all_units(debug: DebugInformation) -> list[Any]:
    """Return the units in the order of the file; raises DamageError where they are too many."""
    units = list(islice(debug.dwarf.iter_CUs(), UNIT_LIMIT + 1))
    if len(units) > UNIT_LIMIT:
        raise DamageError(f"has more than {UNIT_LIMIT} units of debugging information", "strip it")
    return units


def units_naming(debug: DebugInformation, words: Iterable[str]) -> list[Any]:
    """Return the units that refer to one of the unqualified names, those with most first."""
    units = all_units(debug)
    if debug.extent("debug_str_offsets"):
        return units  # names are numbers of a table: any unit may hold them
    starts = [unit.cu_offset for unit in units]
    counted: Counter[int] = Counter()
    for word in words:
        found = {bisect_right(starts, hit) - 1 for hit in _references(debug, word)}
        counted.update(found - {-1})
    return [units[index] for index, _ in sorted(counted.items(), key=lambda each: (-each[1], each))]


def _references(debug: DebugInformation, word: str) -> Iterator[int]:
    """Yield the places in .debug_info that may refer to a name: as offset of a string, or in line.

    GNU ld lets a string begin inside a longer one that ends alike.
    """
    order: Literal["little", "big"] = "little" if debug.dwarf.config.little_endian else "big"
    spelled = word.encode("utf-8", "surrogateescape") + b"\0"
    information = debug.extent("debug_info")
    yield from information.places(spelled, HIT_LIMIT)
    for offset in debug.extent("debug_str").places(spelled, STRING_LIMIT):
        yield from information.places(offset.to_bytes(4, order), HIT_LIMIT)


def definitions(
    debug: DebugInformation, unit: Any, wanted: Container[str], inside: Container[str]
) -> Iterator[Definition]:
    """Yield the entries of a unit's scopes whose unqualified name is ``wanted``.

    Namespaces are entered, and enumerations and the classes named in ``inside``; never functions.
    """
    end = unit.cu_offset + unit["unit_length"] + unit.structs.initial_length_field_size()
    scopes: list[str] = []
    hidden = 0  # how many scopes deep in entries that do not matter
    declared: dict[int, str] = {}  # by offset: definitions elsewhere name these and no scope
    offset = unit.cu_die_offset
    while offset < end:
        entry = entry_at(debug, unit, offset)
        offset += entry.size
        if entry.is_null():
            if hidden:
                hidden -= 1
            elif len(scopes) > 1:
                scopes.pop()
            else:
                return
            continue
        name = name_of(entry)
        if not hidden and (name in wanted or _specified(entry, unit) in declared):
            scoped = "::".join([*filter(None, scopes), name])
            declared[entry.offset] = declared.get(_specified(entry, unit), scoped)
            yield Definition(declared[entry.offset], entry, unit)
        if not entry.has_children:
            continue
        if not hidden and _is_entered(entry, name, inside):
            scopes.append("" if entry.tag in _TRANSPARENT else name)
        elif offset < (sibling := _sibling(entry, unit)) <= end:
            offset = sibling
        else:
            hidden += 1


def entry_at(debug: DebugInformation, unit: Any, offset: int) -> Any:
    """Return pyelftools' record of the entry at an offset in .debug_info; its work is counted."""
    entry = DIE(unit, unit.dwarfinfo.debug_info_sec.stream, offset)
    if not entry.is_null():
        # Attributes without bytes of their own are work all the same.
        declared = unit.get_abbrev_table().get_abbrev(entry.abbrev_code)
        debug.budget.spend(len(declared["attr_spec"]))
    if entry.size < 1:
        raise DamageError("has debugging information that does not end", "build it again")
    return entry


def _is_entered(entry: Any, name: str, inside: Container[str]) -> bool:
    if entry.tag in _CLASSES:
        return name in inside
    return entry.tag in _ENTERED


def name_of(entry: Any) -> str:
    """Return the entry's own name, empty where it has none."""
    attribute = entry.attributes.get("DW_AT_name")
    if attribute is not None and isinstance(attribute.value, bytes):
        return attribute.value.decode("utf-8", "surrogateescape")
    return ANONYMOUS if entry.tag == "DW_TAG_namespace" else ""


def _sibling(entry: Any, unit: Any) -> int:
    """Return the offset of the entry behind the children, 0 where the entry does not say."""
    return reference_of(entry, unit, "DW_AT_sibling")


def _specified(entry: Any, unit: Any) -> int:
    """Return the offset of the declaration that the entry completes, 0 for most entries."""
    return reference_of(entry, unit, "DW_AT_specification")


def reference_of(entry: Any, unit: Any, name: str) -> int:
    """Return the offset in .debug_info that an attribute refers to, 0 where there is none."""
    attribute = entry.attributes.get(name)
    if attribute is None or not isinstance(attribute.value, int):
        return 0
    base = 0 if attribute.form == "DW_FORM_ref_addr" else unit.cu_offset
    return int(attribute.value) + base
