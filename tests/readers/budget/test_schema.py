"""The published schema and the parser say the same of what a table may look like."""

from datetime import date
from typing import Any

import jsonschema
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from mapinspect.checks import CATALOGUE
from mapinspect.errors import InputError
from mapinspect.readers.budget.fields import TABLE, Field, Kind, Needs, Rule
from mapinspect.readers.budget.schema import json_schema, table_schema
from mapinspect.readers.budget.validate import Validator
from tests.good_firmware import FOLDER

SCHEMA = json_schema()
VALIDATOR = jsonschema.Draft202012Validator(
    SCHEMA, format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER
)
# What no schema can say: these values have the right form.
ARITHMETIC = ("no whole number of bytes", "does not fit 64 bits")

SIZES = st.one_of(
    st.integers(0, 2**64 - 1),
    st.sampled_from(["0", "16", "1.5K", "512 KiB", " 2M", "0x2000_0000", "0X1f", "64 B", "1 MiB "]),
)
SHARES = st.sampled_from(["0%", "15%", "99.999 %", "100%", "100.0%", " 7%", "007%"])
GOOD: dict[Kind, st.SearchStrategy[Any]] = {
    Kind.VERSION: st.just(1),
    Kind.TEXT: st.text(max_size=5),
    Kind.NAME: st.sampled_from(["RAM", "g_*", " x", "ü", "a\tb"]),
    Kind.SIZE: SIZES,
    Kind.ADDRESS: SIZES,
    Kind.SHARE: SHARES,
    Kind.AMOUNT: SIZES | SHARES,
    Kind.MINIMUM: SIZES | SHARES | st.just("estimate"),
    Kind.MORE: SIZES | st.sampled_from(["+4K", " + 16", "+0x10"]),
    Kind.PERCENT: st.integers(0, 100) | SHARES,
    Kind.DATE: st.dates(date(1000, 1, 1)).map(str),
    Kind.BOOLEAN: st.booleans(),
    Kind.NAMES: st.sampled_from(["RAM", ["RAM"], ["a", "b"]]),
}
ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 200),
    st.just(2**64),
    st.floats(allow_nan=True).filter(lambda number: not number.is_integer()),
    st.text(max_size=6),
    st.sampled_from(
        [
            "16kB",
            "1 MB",
            "0x",
            "0x_1",
            "-1",
            "+ +1",
            "1.",
            ".5K",
            "101%",
            "100.1%",
            "5",
            "%",
            "5 % %",
        ]
    ),
    st.sampled_from(["estimate", "2027-02-30", "2027-2-3", "20270101", " \n", "K", "1e3", "١K"]),
    st.just([]),
    st.just([""]),
    st.just({}),
    st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
    st.lists(st.integers(), max_size=2),
)


def values(field: Field) -> st.SearchStrategy[Any]:
    """Values of a key, most of them good."""
    if field.kind is Kind.CHOICE:
        good: st.SearchStrategy[Any] = st.sampled_from(field.choices)
    elif field.kind is Kind.TABLE:
        good = tables(field.table, field.rules)
    elif field.kind is Kind.TABLES:
        good = st.lists(tables(field.table, field.rules), max_size=2)
    elif field.kind is Kind.NAMED_TABLES:
        good = st.dictionaries(st.sampled_from(["debug", " "]), tables(field.table), max_size=1)
    elif field.kind is Kind.NAMED_CHOICES:
        choices = st.sampled_from(field.choices)
        good = st.dictionaries(st.sampled_from(["a", ""]), choices | ODD, max_size=2)
    elif field.kind is Kind.NAMED_SIZES:
        good = st.dictionaries(st.sampled_from(["IDLE", ""]), SIZES | ODD, max_size=2)
    else:
        good = GOOD[field.kind]
    return st.integers(0, 24).flatmap(lambda die: ODD if die == 0 else good)


def tables(fields: dict[str, Field], rules: tuple[Rule, ...] = ()) -> st.SearchStrategy[Any]:
    """Tables of these keys: the required ones seldom left out, unknown ones seldom put in."""

    @st.composite
    def table(draw: st.DrawFn) -> dict[str, Any]:
        wanted = [name for name, field in fields.items() if field.required]
        wanted += [
            draw(st.sampled_from(rule.keys)) for rule in rules if rule.needs is not Needs.ALL
        ]
        wanted += draw(st.lists(st.sampled_from(sorted(fields)), max_size=3))
        if draw(st.integers(0, 14)) == 0:
            wanted = wanted[1:]
        made = {name: draw(values(fields[name])) for name in wanted}
        if draw(st.integers(0, 24)) == 0:
            made["limt"] = 1
        return made

    return table()


def parser_accepts(document: object) -> bool | None:
    """Whether the parser takes a document's form; None where only arithmetic is at fault."""
    try:
        Validator("b.toml", {}).table(document, TABLE, ())
    except InputError as error:
        return None if any(words in error.what for words in ARITHMETIC) else False
    return True


@settings(max_examples=600, deadline=None, suppress_health_check=list(HealthCheck))
@given(tables(TABLE))
@example({"version": 1})
@example({"version": True})
@example({"version": 2})
def test_the_parser_accepts_what_the_schema_accepts(document: dict[str, Any]) -> None:
    accepted = parser_accepts(document)
    if accepted is not None:
        assert VALIDATOR.is_valid(document) is accepted


def each_field(fields: dict[str, Field], path: str = "") -> list[Any]:
    found = []
    for name, field in fields.items():
        here = f"{path}.{name}".strip(".")
        if field.table:
            found += each_field(field.table, here)
        else:
            found.append(pytest.param(name, field, id=here))
    return found


@pytest.mark.parametrize(("name", "field"), each_field(TABLE))
def test_key_by_key(name: str, field: Field) -> None:
    """Every key alone, since a whole random table seldom gets to the point."""
    fields = {name: field}

    @settings(max_examples=60, deadline=None)
    @given(st.one_of(values(field), ODD))
    def agree(value: object) -> None:
        schema = {"$defs": SCHEMA["$defs"], **table_schema(fields)}
        try:
            Validator("b.toml", {}).table({name: value}, fields, ())
            accepted = True
        except InputError as error:
            if any(words in error.what for words in ARITHMETIC):
                return
            accepted = False
        checker = jsonschema.Draft202012Validator.FORMAT_CHECKER
        valid = jsonschema.Draft202012Validator(schema, format_checker=checker)
        assert valid.is_valid({name: value}) is accepted

    agree()


def test_the_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(json_schema(check.id for check in CATALOGUE))


def test_check_ids_are_in_the_schema() -> None:
    schema = json_schema(["a-check"])
    valid = jsonschema.Draft202012Validator(schema)
    assert valid.is_valid({"version": 1, "checks": {"a-check": "warn"}})
    assert not valid.is_valid({"version": 1, "checks": {"b-check": "warn"}})
    assert not valid.is_valid({"version": 1, "profile": {"x": {"checks": {"b-check": "warn"}}}})


def test_every_key_is_documented() -> None:
    def documented(schema: dict[str, Any]) -> None:
        for name, value in schema.get("properties", {}).items():
            assert value["description"], name
            documented(value.get("items", value))

    documented(SCHEMA)


@pytest.mark.parametrize("path", sorted(FOLDER.parent.glob("*/mapinspect.toml")), ids=str)
def test_shipped_tables_are_valid(path: Any) -> None:
    import tomllib  # noqa: PLC0415 - only here

    VALIDATOR.validate(tomllib.loads(path.read_text(encoding="utf-8")))
