"""A parsed TOML document against the declared keys: typed values out, or the first fault."""

import difflib
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NoReturn

from mapinspect.errors import InputError
from mapinspect.readers.budget import values
from mapinspect.readers.budget.fields import Field, Kind, Needs, Rule
from mapinspect.readers.budget.toml_lines import Path, line_of
from mapinspect.readers.budget.values import BadValueError


class Validator:
    """Turns one document's values into typed ones, naming file and line of the first fault."""

    def __init__(self, path: str, lines: dict[Path, int]) -> None:
        self._path = path
        self._lines = lines

    def line(self, path: Path) -> int | None:
        """Return the line where ``path`` stands."""
        return line_of(self._lines, path)

    def table(
        self, value: object, fields: dict[str, Field], path: Path, rules: tuple[Rule, ...] = ()
    ) -> dict[str, Any]:
        """Return the typed values of a table.

        Raises InputError for an unknown or missing key, a bad value and a broken rule.
        """
        if not isinstance(value, dict):
            self.refuse(path, f"is {values.describe(value)}, not a table", "write it as a table")
        for key in value:
            if key not in fields:
                self._unknown(key, fields, path)
        for key, field in fields.items():
            if field.required and key not in value:
                name = ".".join(part for part in path if isinstance(part, str)) or "the table"
                raise InputError(
                    self._path, self.line(path), f"{name} has no {key}", f"add {key} ({field.doc})"
                )
        for rule in rules:
            self._rule(value, rule, path)
        return {key: self._value(value[key], fields[key], (*path, key)) for key in value}

    def refuse(self, path: Path, what: str, remedy: str) -> NoReturn:
        """Raise InputError for the value at ``path``."""
        name = next((str(part) for part in reversed(path) if isinstance(part, str)), "value")
        raise InputError(self._path, self.line(path), f"{name} {what}", remedy)

    def _unknown(self, key: str, fields: dict[str, Field], path: Path) -> NoReturn:
        # Keys are written in lower case, with dashes: LIMIT and read_only are near, not unlike.
        plain = key.lower().replace("_", "-")
        near = difflib.get_close_matches(plain, fields, n=1, cutoff=0.5)
        remedy = f"did you mean {near[0]}?" if near else f"use one of {', '.join(fields)}"
        where = f" in {path[0]}" if path else ""
        raise InputError(self._path, self.line((*path, key)), f"unknown key {key!r}{where}", remedy)

    def _value(self, value: object, field: Field, path: Path) -> Any:
        if field.kind is Kind.TABLE:
            return self.table(value, field.table, path, field.rules)
        if field.kind is Kind.TABLES:
            return self._tables(value, field, path)
        if field.kind in _EACH:
            return self._named(value, field, path)
        try:
            return _READ[field.kind](value, field)
        except BadValueError as fault:
            self.refuse(path, fault.what, fault.remedy)

    def _tables(self, value: object, field: Field, path: Path) -> list[dict[str, Any]]:
        if not isinstance(value, list):
            self.refuse(path, f"is {values.describe(value)}, not a list of tables", "use [[ ]]")
        return [
            self.table(item, field.table, (*path, index), field.rules)
            for index, item in enumerate(value)
        ]

    def _rule(self, value: dict[str, Any], rule: Rule, path: Path) -> None:
        fault = _broken(rule, [key for key in rule.keys if key in value])
        if fault is None:
            return
        named = next((key for key in ("id", "name") if key in value), None)
        place = path if named is None else (*path, named)
        what = str(next(part for part in reversed(path) if isinstance(part, str)))
        subject = what if named is None else f"{what} {value[named]!r}"
        raise InputError(self._path, self.line(place), f"{subject} {fault[0]}", fault[1])

    def _named(self, value: object, field: Field, path: Path) -> dict[str, Any]:
        if not isinstance(value, dict):
            self.refuse(path, f"is {values.describe(value)}, not a table", "write it as a table")
        each = replace(field, kind=_EACH[field.kind])
        for name in value:
            if not name.strip():
                line = self.line((*path, name))
                raise InputError(self._path, line, f"{path[-1]} has an empty key", "name it")
        return {name: self._value(item, each, (*path, name)) for name, item in value.items()}


_EACH = {  # what the values are of a table whose keys are free names
    Kind.NAMED_TABLES: Kind.TABLE,
    Kind.NAMED_CHOICES: Kind.CHOICE,
    Kind.NAMED_SIZES: Kind.SIZE,
}


def _broken(rule: Rule, there: list[str]) -> tuple[str, str] | None:
    """Return what is wrong with the keys that are there, and the remedy; None where nothing is."""
    keys, first = rule.keys, rule.keys[0]
    if rule.needs is Needs.ONE and len(there) > 1:
        return f"has {' and '.join(there)}", "keep one of them"
    if rule.needs in (Needs.ONE, Needs.ANY) and not there:
        return f"has none of {', '.join(keys)}", "add one"
    if rule.needs is Needs.ALL and 0 < len(there) < len(keys):
        missing = next(key for key in keys if key not in there)
        return f"has {there[0]} and no {missing}", f"add {missing}"
    if rule.needs is Needs.FIRST and there and first not in there:
        return f"has {there[0]} and no {first}", f"add {first}"
    return None


def _text(value: object, _field: Field) -> str:
    if not isinstance(value, str):
        raise BadValueError(f"is {values.describe(value)}, not text", "write it in quotes")
    return value


def _name(value: object, field: Field) -> str:
    text = _text(value, field)
    if not text.strip():
        raise BadValueError("is empty", f"write {field.doc}")
    return text


def _names(value: object, field: Field) -> tuple[str, ...]:
    if isinstance(value, str):
        return (_name(value, field),)
    if not isinstance(value, list) or not value:
        raise BadValueError(f"is {values.describe(value)}, not a list of names", 'write ["NAME"]')
    return tuple(_name(item, field) for item in value)


def _boolean(value: object, _field: Field) -> bool:
    if not isinstance(value, bool):
        raise BadValueError(
            f"is {values.describe(value)}, not true or false", "write true or false"
        )
    return value


def _choice(value: object, field: Field) -> str:
    if value not in field.choices:
        raise BadValueError(f"is {value!r}", f"write one of {', '.join(field.choices)}")
    return str(value)


def _version(value: object, _field: Field) -> int:
    if isinstance(value, bool) or value != 1 or not isinstance(value, int):
        raise BadValueError(f"is {value!r}", "this mapinspect reads version = 1")
    return 1


def _minimum(value: object, _field: Field) -> object:
    return value if value == "estimate" else values.amount(value)


_READ: dict[Kind, Callable[[object, Field], Any]] = {
    Kind.VERSION: _version,
    Kind.TEXT: _text,
    Kind.NAME: _name,
    Kind.NAMES: _names,
    Kind.BOOLEAN: _boolean,
    Kind.CHOICE: _choice,
    Kind.MINIMUM: _minimum,
    Kind.SIZE: lambda value, _field: values.size(value),
    Kind.ADDRESS: lambda value, _field: values.size(value),
    Kind.MORE: lambda value, _field: values.more(value),
    Kind.PERCENT: lambda value, _field: values.percent(value),
    Kind.DATE: lambda value, _field: values.day(value),
    Kind.SHARE: lambda value, _field: values.share(value),
    Kind.AMOUNT: lambda value, _field: values.amount(value),
}
