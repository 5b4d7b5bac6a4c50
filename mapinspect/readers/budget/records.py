"""The typed values of a budget table → its records, each with the line it stands on."""

from collections.abc import Sequence
from typing import Any

from mapinspect.model.budget import (
    Amount,
    BudgetTable,
    CheckRule,
    Inputs,
    ModelEntry,
    RegionRow,
    Waiver,
)
from mapinspect.model.measurement import MeasuredRow
from mapinspect.readers.budget.fields import ROW_KEYS, TABLE
from mapinspect.readers.budget.rows import Rows
from mapinspect.readers.budget.toml_lines import Path
from mapinspect.readers.budget.validate import Validator


class Records:
    """Makes the records of one table and refuses what cannot be meant."""

    def __init__(self, path: str, text: str, validator: Validator) -> None:
        self._path = path
        self._validator = validator
        self._rows = Rows(path, text, validator)

    def build(self, document: dict[str, Any]) -> BudgetTable:
        """Return the whole table, checked for duplicates and impossible combinations.

        Raises InputError with the line of the first fault.
        """
        values = self._validator.table(document, TABLE, ())
        self._refuse_duplicates(values)
        project = values.get("project", {})
        place = self._rows.evidence(("project", "mcu")) if "mcu" in project else None
        table = BudgetTable(
            path=self._path,
            name=project.get("name"),
            margin=self._margin(project),
            margin_declared=self._rows.evidence(("project", "margin"))
            if "margin" in project
            else None,
            margin_of=project.get("of", "region"),
            inputs=self._inputs(values.get("inputs", {})),
            regions=tuple(self._region(row, n) for n, row in enumerate(values.get("region", ()))),
            budgets=tuple(
                self._rows.budget(row, n) for n, row in enumerate(values.get("budget", ()))
            ),
            placements=tuple(
                self._rows.placement(row, n) for n, row in enumerate(values.get("placement", ()))
            ),
            waivers=tuple(self._waiver(row, n) for n, row in enumerate(values.get("waiver", ()))),
            measured=self._measured(values.get("measured", ())),
            rules=tuple(
                CheckRule(check, severity, self._rows.evidence(("checks", check)))
                for check, severity in values.get("checks", {}).items()
            ),
            part=project.get("mcu"),
            part_declared=place,
            heap=project.get("heap"),
        )
        if table.part is None:
            self._refuse_banks(values)
        return table

    def _margin(self, project: dict[str, Any]) -> Amount | None:
        if "margin" not in project:
            return None
        share = project["margin"]
        if share == 1:
            self._validator.refuse(("project", "margin"), "leaves nothing", "write less than 100%")
        return Amount(None, share, f"{float(share * 100):.12g}%")

    def _inputs(self, values: dict[str, Any]) -> Inputs:
        models = tuple(
            ModelEntry(
                row["name"],
                row["file"],
                row.get("symbol"),
                row.get("arena"),
                row.get("runtime"),
                self._rows.evidence(("inputs", "models", number)),
                row.get("target"),
                row.get("kernels"),
                arena_bytes=row.get("arena-bytes"),
                arena_reason=row.get("arena-reason", ""),
                slack=row.get("slack"),
            )
            for number, row in enumerate(values.get("models", ()))
        )
        return Inputs(
            elf=values.get("elf"),
            map=values.get("map"),
            models=models,
            baseline=values.get("baseline"),
            script=values.get("linker-script"),
            measured=values.get("measured", ()),
            stale=values.get("stale", "undecided"),
            runtimes=values.get("runtimes", ()),
        )

    def _measured(self, rows: Sequence[dict[str, Any]]) -> tuple[MeasuredRow, ...]:
        if not rows:
            return ()
        from mapinspect.readers.budget.measured_rows import measured_row  # noqa: PLC0415 - rare

        return tuple(
            measured_row(row, number, self._validator, self._rows.evidence(("measured", number)))
            for number, row in enumerate(rows)
        )

    def _region(self, row: dict[str, Any], number: int) -> RegionRow:
        path: Path = ("region", number)
        if row.get("length") == 0:
            self._validator.refuse((*path, "length"), "is 0", "write the memory's length")
        self._rows.refuse_order(row, path)
        return RegionRow(
            name=row["name"],
            kind=row.get("kind"),
            origin=row.get("origin"),
            length=row.get("length"),
            limit=row.get("limit"),
            warn=row.get("warn"),
            count=row.get("count", "extent"),
            optional=row.get("optional", False),
            declared=self._rows.evidence(path, "limit" if "limit" in row else "name"),
            growth=self._rows.growth(row, path),
            warn_declared=self._rows.evidence(path, "warn") if "warn" in row else None,
        )

    def _waiver(self, row: dict[str, Any], number: int) -> Waiver:
        declared = self._rows.evidence(("waiver", number), "match")
        return Waiver(row["check"], row["match"], row["reason"], row["expires"], declared)

    def _refuse_duplicates(self, values: dict[str, Any]) -> None:
        for kind, key in ROW_KEYS.items():
            path: Path = ("inputs", kind) if kind == "models" else (kind,)
            parent = values.get("inputs", {}) if kind == "models" else values
            seen: set[str] = set()
            for number, row in enumerate(parent.get(kind, ())):
                if row[key] in seen:
                    what = f"{row[key]!r} is given twice"
                    self._validator.refuse((*path, number, key), what, "keep one of the rows")
                seen.add(row[key])
        waived: set[tuple[str, str]] = set()
        for number, row in enumerate(values.get("waiver", ())):
            if (row["check"], row["match"]) in waived:
                what = f"{row['match']!r} is waived twice"
                self._validator.refuse(("waiver", number, "match"), what, "keep one")
            waived.add((row["check"], row["match"]))

    def _refuse_banks(self, values: dict[str, Any]) -> None:
        """Raise InputError for what only a part can tell, where no part is named."""
        for kind in ("budget", "placement"):
            for number, row in enumerate(values.get(kind, ())):
                match = row.get("match", {})
                asked: list[Path] = [("bank",)] if "bank" in row else []
                asked += [("match", "bank")] if "bank" in match else []
                asked += [("dma",)] if row.get("dma") else []
                for path in asked:
                    self._validator.refuse(
                        (kind, number, *path), "needs the part", 'add mcu = "PART" to [project]'
                    )
