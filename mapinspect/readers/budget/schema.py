"""The declared keys as a JSON Schema, for editors; the parser is made from the same declaration.

A schema says what a table looks like. What takes arithmetic (a fraction of a byte, a warning above
its limit), names (two rows of one id) or the image, only the parser and the checks can say. JSON
Schema calls 16.0 an integer; the parser does not.
"""

from collections.abc import Iterable
from typing import Any, Final

from mapinspect.readers.budget import values
from mapinspect.readers.budget.fields import TABLE, Field, Kind, Needs, Rule

_TEXT: Final = {"type": "string", "pattern": r"\S"}
_SIZE_TEXT: Final = f"(?:{values.SIZE_PATTERN}|{values.HEX_PATTERN})"


def _text(pattern: str) -> dict[str, Any]:
    return {"type": "string", "pattern": rf"^\s*{pattern}\s*$"}


def _any(*schemas: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": list(schemas)}


def _reference(name: str) -> dict[str, Any]:
    return {"$ref": f"#/$defs/{name}"}


_WHOLE: Final = {"type": "integer", "minimum": 0, "maximum": values.SIZE_LIMIT - 1}
_DEFINITIONS: Final[dict[str, dict[str, Any]]] = {
    "name": _TEXT,
    "size": _any(_WHOLE, _text(_SIZE_TEXT)),
    "share": _text(f"(?:{values.PERCENT_PATTERN})"),
    "amount": _any(_reference("size"), _reference("share")),
    "date": {"type": "string", "format": "date", "pattern": f"^{values.DATE_PATTERN}$"},
}
_BY_KIND: Final[dict[Kind, dict[str, Any]]] = {
    Kind.VERSION: {"type": "integer", "const": 1},
    Kind.TEXT: {"type": "string"},
    Kind.NAME: _reference("name"),
    Kind.SIZE: _reference("size"),
    Kind.ADDRESS: _reference("size"),
    Kind.SHARE: _reference("share"),
    Kind.AMOUNT: _reference("amount"),
    Kind.MINIMUM: _any({"const": "estimate"}, _reference("amount")),
    Kind.MORE: _any(_WHOLE, _text(rf"\+?\s*{_SIZE_TEXT}")),
    Kind.PERCENT: _any(
        {"type": "integer", "minimum": 0, "maximum": values.PERCENT_LIMIT}, _reference("share")
    ),
    Kind.DATE: _reference("date"),
    Kind.BOOLEAN: {"type": "boolean"},
    Kind.NAMED_SIZES: {
        "type": "object",
        "propertyNames": _reference("name"),
        "additionalProperties": _reference("size"),
    },
    Kind.NAMES: _any(
        _reference("name"), {"type": "array", "items": _reference("name"), "minItems": 1}
    ),
}


def json_schema(checks: Iterable[str] = ()) -> dict[str, Any]:
    """Return the schema of ``mapinspect.toml``; ``checks`` are the ids that ``[checks]`` knows."""
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "mapinspect budget table, version 1",
    }
    schema = {**head, **table_schema(TABLE), "$defs": _DEFINITIONS}
    known = sorted(checks)
    if known:
        for owner in (schema, schema["properties"]["profile"]["additionalProperties"]):
            owner["properties"]["checks"]["propertyNames"] = {"enum": known}
        schema["properties"]["waiver"]["items"]["properties"]["check"] = {"enum": known}
    return schema


def table_schema(fields: dict[str, Field], rules: tuple[Rule, ...] = ()) -> dict[str, Any]:
    """Return the schema of one table; its references are to the definitions of the whole."""
    schema: dict[str, Any] = {
        "type": "object",
        "additionalProperties": False,
        "properties": {name: _field(field) for name, field in fields.items()},
    }
    required = [name for name, field in fields.items() if field.required]
    if required:
        schema["required"] = required
    every = [_rule(rule) for rule in rules]
    if every:
        schema["allOf"] = every
    return schema


def _rule(rule: Rule) -> dict[str, Any]:
    each = [{"required": [key]} for key in rule.keys]
    first, *others = rule.keys
    if rule.needs is Needs.ONE:
        return {"oneOf": each}
    if rule.needs is Needs.ANY:
        return {"anyOf": each}
    if rule.needs is Needs.ALL:
        return {"dependentRequired": {key: list(rule.keys) for key in rule.keys}}
    return {"dependentRequired": {key: [first] for key in others}}


def _field(field: Field) -> dict[str, Any]:
    return {"description": field.doc, **_value(field)}


def _value(field: Field) -> dict[str, Any]:
    if field.kind is Kind.CHOICE:
        return {"enum": list(field.choices)}
    if field.kind is Kind.TABLE:
        return table_schema(field.table, field.rules)
    if field.kind is Kind.TABLES:
        return {"type": "array", "items": table_schema(field.table, field.rules)}
    if field.kind is Kind.NAMED_TABLES:
        return _named(table_schema(field.table, field.rules))
    if field.kind is Kind.NAMED_CHOICES:
        return _named({"enum": list(field.choices)})
    return _BY_KIND[field.kind]


def _named(value: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "propertyNames": _reference("name"), "additionalProperties": value}
