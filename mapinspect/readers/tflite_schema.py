"""Facts of the .tflite schema: names of operators, types and options, slots and defaults."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_FACTS = Path(__file__).with_name("tflite_schema.json")


@dataclass(frozen=True, slots=True)
class TensorType:
    """A tensor type: bits per element in the file, bytes per element in RAM.

    Both are None where elements have no fixed size (strings, variants); ``stored_bits`` also for
    resources, which are never stored.
    """

    name: str
    stored_bits: int | None
    ram_bytes: int | None


@dataclass(frozen=True, slots=True)
class OptionField:
    """A field of an options table: its slot, its kind (``"i32"``, ``"[i64]"``, ``"string"``).

    ``names`` are the values of its enumeration by number, empty for plain numbers.
    """

    slot: int
    name: str
    kind: str
    default: int | float | bool
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Schema:
    """The schema: lists are indexed by the number that stands in the file."""

    operators: tuple[str, ...]
    types: tuple[TensorType, ...]
    options: tuple[str, ...]
    options_2: tuple[str, ...]
    tables: dict[str, tuple[OptionField, ...]]


@cache
def schema() -> Schema:
    """Return the facts, read once from ``tflite_schema.json``."""
    facts = json.loads(_FACTS.read_text(encoding="utf-8"))
    names = {name: tuple(values) for name, values in facts["enums"].items()}
    names["TensorType"] = tuple(entry["name"] for entry in facts["types"])
    tables = {
        table: tuple(
            OptionField(
                slot=field["slot"],
                name=field["name"],
                kind=field["kind"],
                default=field.get("default", 0),
                names=names.get(field.get("enum", ""), ()),
            )
            for field in fields
        )
        for table, fields in facts["tables"].items()
    }
    return Schema(
        operators=tuple(facts["operators"]),
        types=tuple(TensorType(**entry) for entry in facts["types"]),
        options=tuple(facts["options"]),
        options_2=tuple(facts["options_2"]),
        tables=tables,
    )
