"""Sizes of structures and values of constants, from an image's debugging information."""

import struct
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from elftools.common.exceptions import DWARFError, ELFError
from elftools.construct import ConstructError

from mapinspect.errors import InputError
from mapinspect.model.elf_file import ElfFile
from mapinspect.readers.dwarf_sections import DebugInformation, debug_information
from mapinspect.readers.dwarf_units import ANONYMOUS, Definition, definitions, units_naming
from mapinspect.readers.elf_damage import DamageError

# What pyelftools raises on damaged DWARF, beside its own errors: it looks things up, decodes and
# asserts without a check.
PYELFTOOLS_FAILURES = (
    ELFError, DWARFError, ConstructError, LookupError, ValueError, TypeError, AttributeError,
    AssertionError, ArithmeticError, NotImplementedError, RecursionError, struct.error,
)  # fmt: skip
_CLASSES = {"DW_TAG_structure_type", "DW_TAG_class_type", "DW_TAG_union_type"}
_CONSTANTS = {"DW_TAG_variable", "DW_TAG_member", "DW_TAG_enumerator", "DW_TAG_constant"}
_INDIRECT = {"DW_TAG_typedef", "DW_TAG_const_type"}
_INDIRECTIONS = 8  # typedefs and qualifiers between a name and its structure
# DW_LANG_C_plus_plus, …_03, …_11, …_14, …_17, …_20: one definition a name in the whole program.
_CPP = {0x04, 0x19, 0x1A, 0x21, 0x2B, 0x2C}
StructSize = tuple[int, int | None]
Fact = TypeVar("Fact")


def struct_sizes(
    elf: ElfFile, names: Iterable[str], unit: str | None = None
) -> dict[str, StructSize]:
    """Return size and alignment, in bytes, of the structures that the image's DWARF defines.

    A name may be qualified (``tflite::OpDataConv``, ``(anonymous namespace)::OpData``) or only
    its last parts; a typedef of a structure counts. ``unit`` restricts the search to the source
    file whose path ends so. Names that are not found, or that several structures of different
    size bear, are left out. The alignment is None unless the source states it. Raises
    InputError where the debugging information is damaged or more than can be read.

    >>> struct_sizes(elf, ["tflite::OpDataConv"])  # doctest: +SKIP
    {'tflite::OpDataConv': (52, None)}
    """
    return _unambiguous(elf, names, unit, _size)


def constants(elf: ElfFile, names: Iterable[str], unit: str | None = None) -> dict[str, int]:
    """Return the values of constants such as ``kTensorArenaSize`` that the compiler folded.

    ``constexpr`` and ``const`` variables, static members and enumerators; names, ``unit`` and
    errors as for ``struct_sizes``.
    """
    return _unambiguous(elf, names, unit, _value)


def _unambiguous(
    elf: ElfFile,
    names: Iterable[str],
    unit: str | None,
    fact_of: Callable[[Definition], Fact | None],
) -> dict[str, Fact]:
    try:
        debug = debug_information(elf)
        return _facts(debug, set(names), unit, fact_of) if debug else {}
    except DamageError as damage:
        raise InputError(elf.path, None, damage.what, damage.remedy) from None
    except PYELFTOOLS_FAILURES as failure:
        what = f"its debugging information is damaged ({type(failure).__name__}: {failure})"
        raise InputError(elf.path, None, what, "build it again, or strip it") from None


def _facts(
    debug: DebugInformation,
    names: set[str],
    unit: str | None,
    fact_of: Callable[[Definition], Fact | None],
) -> dict[str, Fact]:
    found: dict[str, set[Fact]] = {name: set() for name in names}
    last = {name: name.rpartition("::")[2] for name in names}
    inside = {part for name in names for part in name.split("::")[:-1]}
    for candidate in units_naming(debug, set(last.values())):
        if not last:
            break
        if unit is not None and not _path(candidate).endswith(f"/{unit}"):
            continue
        wanted = frozenset(last.values())
        for definition in definitions(debug, candidate, wanted, inside):
            fact = fact_of(definition)
            if fact is None:
                continue
            for name in list(_meant(definition.name, last)):
                found[name].add(fact)
                if len(found[name]) > 1 or (definition.name == name and _is_only(definition)):
                    del last[name]
    return {name: facts.pop() for name, facts in found.items() if len(facts) == 1}


def _is_only(definition: Definition) -> bool:
    """Return whether the program can have no other definition of this qualified name."""
    language = definition.unit.get_top_DIE().attributes.get("DW_AT_language")
    cpp = language is not None and language.value in _CPP
    return cpp and ANONYMOUS not in definition.name and definition.entry.tag in _CLASSES


def _meant(qualified: str, names: Iterable[str]) -> Iterator[str]:
    return (name for name in names if qualified == name or qualified.endswith("::" + name))


def _path(unit: Any) -> str:
    """Return the unit's source path with a slash in front and between folders."""
    attribute = unit.get_top_DIE().attributes.get("DW_AT_name")
    name = attribute.value if attribute is not None else b""
    return "/" + bytes(name).decode("utf-8", "surrogateescape").replace("\\", "/")


def _size(definition: Definition) -> StructSize | None:
    entry = definition.entry
    for _ in range(_INDIRECTIONS):
        attributes = entry.attributes
        if entry.tag in _CLASSES:
            size = attributes.get("DW_AT_byte_size")
            if size is None or not isinstance(size.value, int) or "DW_AT_declaration" in attributes:
                return None
            alignment = attributes.get("DW_AT_alignment")
            return size.value, alignment.value if alignment is not None else None
        if entry.tag not in _INDIRECT or "DW_AT_type" not in attributes:
            return None
        if attributes["DW_AT_type"].form == "DW_FORM_ref_sig8":
            return None  # pyelftools does not follow signatures into type units of DWARF 5
        entry = entry.get_DIE_from_attribute("DW_AT_type")
    return None


def _value(definition: Definition) -> int | None:
    attribute = definition.entry.attributes.get("DW_AT_const_value")
    if definition.entry.tag not in _CONSTANTS or attribute is None:
        return None
    if isinstance(attribute.value, int):
        return attribute.value
    little = definition.unit.dwarfinfo.config.little_endian
    if isinstance(attribute.value, list) and len(attribute.value) <= 8:
        return int.from_bytes(bytes(attribute.value), "little" if little else "big")
    return None
