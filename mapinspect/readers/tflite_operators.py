"""Operators of a .tflite model: their codes, options and tensor indices."""

from dataclasses import dataclass

from mapinspect.model.network import Operator, OptionValue
from mapinspect.readers.flatbuffer import FlatBuffer, Table
from mapinspect.readers.flexbuffer import read_map
from mapinspect.readers.tflite_schema import OptionField, schema

ABSENT = -1  # an optional input that is not given
CUSTOM = "CUSTOM"


@dataclass(frozen=True, slots=True)
class OperatorCode:
    """One entry of the model's list of operator kinds."""

    code: str
    custom: str | None
    version: int


def read_codes(buffer: FlatBuffer, model: Table) -> tuple[OperatorCode, ...]:
    """Return the operator kinds in file order; raise InputError for codes without a name."""
    return tuple(_read_code(buffer, table) for table in model.children(1, "operator code"))


def _read_code(buffer: FlatBuffer, table: Table) -> OperatorCode:
    # Old writers fill only the 8-bit field, new ones both; the larger one counts (schema 3a).
    number = max(table.integer(0, "i8"), table.integer(3, "i32"))
    names = schema().operators
    if not 0 <= number < len(names):
        raise buffer.fault(f"{table.what} is builtin {number}, which the schema does not name")
    custom = table.text(1, f"the name of {table.what}")
    return OperatorCode(
        code=names[number],
        custom=(custom or "") if names[number] == CUSTOM else None,
        version=table.integer(2, "i32", 1),
    )


def read_operator(
    table: Table, index: int, place: str, codes: tuple[OperatorCode, ...], tensors: int
) -> Operator:
    """Return operator ``index`` of subgraph ``place``, which has ``tensors`` tensors.

    Raises InputError for codes, options and indices that the model does not have.
    """
    buffer = table.buffer
    what = f"{place} operator {index}"
    number = table.integer(0, "u32")
    if number >= len(codes):
        raise buffer.fault(f"{what} names operator code {number} of {len(codes)}")
    kind, options = _read_options(buffer, table, what)
    code = codes[number]
    inputs = read_indices(table, 1, f"the inputs of {what}", tensors, optional=True)
    outputs = read_indices(table, 2, f"the outputs of {what}", tensors)
    intermediates = read_indices(table, 8, f"the intermediates of {what}", tensors)
    return Operator(
        index=index,
        code=code.code,
        custom=code.custom,
        version=code.version,
        inputs=inputs,
        outputs=outputs,
        intermediates=intermediates,
        options=options,
        options_type=kind,
    )


def read_indices(
    table: Table, slot: int, what: str, count: int, *, optional: bool = False
) -> tuple[int, ...]:
    """Return the tensor indices of field ``slot``, each of them below ``count``.

    Raises InputError for any other; -1 is allowed where ``optional``.
    """
    indices = table.integers(slot, "i32", what) or ()
    for index in indices:
        if not 0 <= index < count and not (optional and index == ABSENT):
            raise table.buffer.fault(f"{what} name tensor {index} of {count}")
    return indices


def _read_options(
    buffer: FlatBuffer, table: Table, what: str
) -> tuple[str, dict[str, OptionValue]]:
    facts = schema()
    for type_slot, slot, names in ((3, 4, facts.options), (11, 12, facts.options_2)):
        number = table.integer(type_slot, "u8")
        if number >= len(names):
            raise buffer.fault(f"{what} has options of the unknown type {number}")
        options = table.child(slot, f"the options of {what}") if number else None
        if options is not None:
            fields = facts.tables.get(names[number], ())
            return names[number], {field.name: _value(options, field) for field in fields}
    span = table.span(5, 1, f"the custom options of {what}")
    if span is None:
        return "NONE", {}
    start, length = span
    buffer.unfold(length, f"the custom options of {what}")
    return "NONE", read_map(buffer.content[start : start + length]) or {}


def _value(options: Table, field: OptionField) -> OptionValue:
    what = f"{field.name} in {options.what}"
    if field.kind == "string":
        return options.text(field.slot, what) or ""
    if field.kind.startswith("["):
        return _list(options, field, what)
    if field.kind == "bool":
        return options.boolean(field.slot, bool(field.default))
    if field.kind in ("f32", "f64"):
        return options.real(field.slot, field.kind, field.default)
    number = options.integer(field.slot, field.kind, int(field.default))
    if not field.names:
        return number
    if not 0 <= number < len(field.names):
        raise options.buffer.fault(f"{what} has the unknown value {number}")
    return field.names[number]


def _list(options: Table, field: OptionField, what: str) -> OptionValue:
    kind = field.kind.strip("[]")
    if kind in ("f32", "f64"):
        return options.reals(field.slot, kind, what) or ()
    return options.integers(field.slot, kind, what) or ()
