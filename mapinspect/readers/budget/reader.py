"""``mapinspect.toml`` (or ``[tool.mapinspect]`` of a pyproject.toml) → ``BudgetTable``."""

import re
import tomllib
from typing import Any

from mapinspect.errors import InputError
from mapinspect.model.budget import (
    Amount,
    BudgetRow,
    BudgetTable,
    Inputs,
    Match,
    ModelEntry,
    PlacementRow,
    RegionRow,
)
from mapinspect.model.image import Evidence
from mapinspect.readers.budget.fields import TABLE
from mapinspect.readers.budget.toml_lines import Path, key_lines
from mapinspect.readers.budget.validate import Validator

_AT_LINE = re.compile(r"\(at line (\d+), column \d+\)")


def read_budget(path: str, content: bytes) -> BudgetTable:
    """Read a budget table; ``path`` is its name in messages.

    Raises InputError, with the line, for malformed TOML and for anything the declared keys do
    not allow.
    """
    document, text = _parse(path, content)
    lines = key_lines(text)
    prefix: Path = ()
    if path.endswith("pyproject.toml"):
        document, prefix = _tool_table(path, document), ("tool", "mapinspect")
    own_lines = {
        key[len(prefix) :]: line for key, line in lines.items() if key[: len(prefix)] == prefix
    }
    return _Builder(path, text, Validator(path, own_lines)).build(document)


def _parse(path: str, content: bytes) -> tuple[dict[str, Any], str]:
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        bad = content[: error.start].count(b"\n") + 1
        raise InputError(path, bad, "is not UTF-8 text", "save the table as UTF-8") from None
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    try:
        return tomllib.loads(text), text
    except tomllib.TOMLDecodeError as error:
        place = _AT_LINE.search(str(error))
        what = _AT_LINE.sub("", str(error)).strip()
        line = int(place[1]) if place else None
        raise InputError(path, line, f"is not valid TOML: {what}", "mend the line") from None
    except (RecursionError, ValueError):
        raise InputError(path, None, "nests or counts beyond reason", "write it plainly") from None


def _tool_table(path: str, document: dict[str, Any]) -> dict[str, Any]:
    tool = document.get("tool")
    table = tool.get("mapinspect") if isinstance(tool, dict) else None
    if not isinstance(table, dict):
        raise InputError(path, None, "has no table [tool.mapinspect]", "add it, or use --config")
    return table


class _Builder:
    """Makes the records of one table, each with the line it stands on."""

    def __init__(self, path: str, text: str, validator: Validator) -> None:
        self._path = path
        self._text = text.split("\n")
        self._validator = validator

    def build(self, document: dict[str, Any]) -> BudgetTable:
        """Return the whole table, checked for duplicates and impossible combinations."""
        values = self._validator.table(document, TABLE, ())
        project = values.get("project", {})
        table = BudgetTable(
            path=self._path,
            name=project.get("name"),
            margin=self._margin(project),
            margin_of=project.get("of", "region"),
            heap=project.get("heap"),
            inputs=self._inputs(values.get("inputs", {})),
            regions=tuple(self._region(row, n) for n, row in enumerate(values.get("region", ()))),
            budgets=tuple(self._budget(row, n) for n, row in enumerate(values.get("budget", ()))),
            placements=tuple(
                self._placement(row, n) for n, row in enumerate(values.get("placement", ()))
            ),
        )
        self._refuse_duplicates(table)
        return table

    def _evidence(self, path: Path, key: str | None = None) -> Evidence:
        line = self._validator.line(path if key is None else (*path, key))
        text = self._text[line - 1].strip() if line else ""
        return Evidence(self._path, line, text)

    def _margin(self, project: dict[str, Any]) -> Amount | None:
        if "margin" not in project:
            if "of" in project:
                self._validator.refuse(("project", "of"), "has no margin", "add margin")
            return None
        share = project["margin"]
        if share == 1:
            self._validator.refuse(("project", "margin"), "leaves nothing", "write less than 100%")
        return Amount(None, share, f"{float(share * 100):g}%")

    def _inputs(self, values: dict[str, Any]) -> Inputs:
        models = tuple(
            ModelEntry(
                row["name"],
                row["file"],
                row.get("symbol"),
                row.get("arena"),
                row.get("runtime"),
                self._evidence(("inputs", "models", number)),
                row.get("target"),
                row.get("kernels"),
            )
            for number, row in enumerate(values.get("models", ()))
        )
        return Inputs(values.get("elf"), values.get("map"), models)

    def _region(self, row: dict[str, Any], number: int) -> RegionRow:
        path: Path = ("region", number)
        if ("origin" in row) != ("length" in row):
            missing = "length" if "origin" in row else "origin"
            self._validator.refuse((*path, "name"), f"has no {missing}", "give both or neither")
        declared = self._evidence(path, "limit" if "limit" in row else "name")
        return RegionRow(
            name=row["name"],
            kind=row.get("kind"),
            origin=row.get("origin"),
            length=row.get("length"),
            limit=row.get("limit"),
            warn=row.get("warn"),
            count=row.get("count", "extent"),
            optional=row.get("optional", False),
            declared=declared,
        )

    def _budget(self, row: dict[str, Any], number: int) -> BudgetRow:
        path: Path = ("budget", number)
        if ("kind" in row) == ("match" in row):
            self._validator.refuse(
                (*path, "id"), "needs a kind or a match, not both", "say what the row counts"
            )
        if not row.keys() & {"limit", "min"}:
            self._validator.refuse((*path, "id"), "has neither limit nor min", "add one")
        minimum = row.get("min")
        estimate = minimum == "estimate"
        if estimate and row.get("kind") not in ("arena", "weights"):
            self._validator.refuse(
                (*path, "min"), "is an estimate", 'only kind = "arena" or "weights" has one'
            )
        return BudgetRow(
            id=row["id"],
            kind=row.get("kind"),
            match=self._match(row["match"], (*path, "match")) if "match" in row else None,
            region=row.get("region"),
            limit=row.get("limit"),
            warn=row.get("warn"),
            minimum=None if estimate else minimum,
            min_estimate=estimate,
            optional=row.get("optional", False),
            declared=self._evidence(path, "limit" if "limit" in row else "min"),
        )

    def _placement(self, row: dict[str, Any], number: int) -> PlacementRow:
        path: Path = ("placement", number)
        if not row.keys() & {"region", "section", "align", "read-only"}:
            self._validator.refuse((*path, "id"), "claims nothing", "add region, section or align")
        if row.get("align") == 0:
            self._validator.refuse((*path, "align"), "is 0", "write a power of two")
        return PlacementRow(
            id=row["id"],
            match=self._match(row["match"], (*path, "match")),
            regions=row.get("region", ()),
            section=row.get("section"),
            align=row.get("align"),
            read_only=row.get("read-only"),
            optional=row.get("optional", False),
            declared=self._evidence(path, "region" if "region" in row else "id"),
        )

    def _match(self, values: dict[str, Any], path: Path) -> Match:
        if not values:
            self._validator.refuse(path, "is empty", 'write match = { symbol = "…" }')
        return Match(**values)

    def _refuse_duplicates(self, table: BudgetTable) -> None:
        named = {
            "region": [row.name for row in table.regions],
            "budget": [row.id for row in table.budgets],
            "placement": [row.id for row in table.placements],
        }
        for kind, names in named.items():
            for number, name in enumerate(names):
                if name in names[:number]:
                    key = "name" if kind == "region" else "id"
                    self._validator.refuse(
                        (kind, number, key), f"{name!r} is given twice", "keep one of the rows"
                    )
        models = [model.name for model in table.inputs.models]
        if len(models) != len(set(models)):
            self._validator.refuse(("inputs", "models"), "name one model twice", "rename one")
