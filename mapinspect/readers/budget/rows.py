"""``[[budget]]`` and ``[[placement]]`` → records; what all kinds of rows share."""

from typing import Any

from mapinspect.model.budget import Amount, BudgetRow, Growth, Match, PlacementRow, Slot
from mapinspect.model.image import Evidence, Span
from mapinspect.readers.budget.toml_lines import Path
from mapinspect.readers.budget.validate import Validator

_ESTIMATED = ("arena", "weights")  # the rows of which a model says how large they must be
_MEASURED = ("stack", "heap", "arena")  # the rows of which a device knows the peak


class Rows:
    """Makes rows of one table; ``text`` is the document, for evidence."""

    def __init__(self, path: str, text: str, validator: Validator) -> None:
        self._path = path
        self._text = text.split("\n")
        self._validator = validator

    def evidence(self, path: Path, key: str | None = None) -> Evidence:
        """Return the place of a row, or of one of its keys, with what its line says."""
        line = self._validator.line(path if key is None else (*path, key))
        return Evidence(self._path, line, self._text[line - 1].strip() if line else "")

    def budget(self, row: dict[str, Any], number: int) -> BudgetRow:
        """Return a ``[[budget]]`` row; raises InputError for one that cannot hold."""
        path: Path = ("budget", number)
        self.refuse_order(row, path)
        minimum = row.get("min")
        estimate = minimum == "estimate"
        if estimate and row.get("kind") not in _ESTIMATED:
            self._validator.refuse(
                (*path, "min"), "is an estimate", 'only kind = "arena" or "weights" has one'
            )
        if "headroom" in row and row.get("kind") not in _MEASURED:
            self._validator.refuse(
                (*path, "headroom"), "needs a peak", "only stack, heap and arena are measured"
            )
        first = next(key for key in ("limit", "min", "growth", "headroom") if key in row)
        return BudgetRow(
            id=row["id"],
            kind=row.get("kind"),
            match=Match(**row["match"]) if "match" in row else None,
            region=row.get("region"),
            limit=row.get("limit"),
            warn=row.get("warn"),
            minimum=None if estimate else minimum,
            min_estimate=estimate,
            optional=row.get("optional", False),
            declared=self.evidence(path, first),
            bank=row.get("bank"),
            growth=self.growth(row, path),
            headroom=row.get("headroom"),
            warn_declared=self.evidence(path, "warn") if "warn" in row else None,
            min_declared=self.evidence(path, "min") if "min" in row else None,
        )

    def placement(self, row: dict[str, Any], number: int) -> PlacementRow:
        """Return a ``[[placement]]`` row; raises InputError for one that cannot be meant."""
        path: Path = ("placement", number)
        if row.get("align") == 0:
            self._validator.refuse((*path, "align"), "is 0", "write a power of two")
        wanted = ("region", "bank", "section", "strategy", "slot", "dma", "contiguous")
        first = next((key for key in wanted if key in row), "id")
        return PlacementRow(
            id=row["id"],
            match=Match(**row["match"]),
            regions=row.get("region", ()),
            section=row.get("section"),
            align=row.get("align"),
            read_only=row.get("read-only"),
            optional=row.get("optional", False),
            declared=self.evidence(path, first),
            banks=row.get("bank", ()),
            contiguous=row.get("contiguous", False),
            dma=row.get("dma", False),
            strategy=row.get("strategy"),
            slot=self._slot(row["slot"], (*path, "slot")) if "slot" in row else None,
        )

    def _slot(self, slot: dict[str, Any], path: Path) -> Slot:
        """Return a slot; raises InputError where it does not begin and end on a sector."""
        span, sector = Span(slot["origin"], slot["length"]), slot["sector"]
        if not sector or not span.size:
            self._validator.refuse(path, "has no length or no sector", "write what the part has")
        if span.start % sector or span.size % sector:
            what = f"does not begin and end on sectors of {sector} bytes"
            self._validator.refuse(path, what, "an update erases whole sectors; move its bounds")
        return Slot(span, sector)

    def growth(self, row: dict[str, Any], path: Path) -> Growth | None:
        """Return the row's growth limit, or None where it has none."""
        if "growth" not in row:
            return None
        growth = row["growth"]
        declared = self.evidence(path, "growth")
        return Growth(growth.get("bytes"), growth.get("percent"), declared)

    def refuse_order(self, row: dict[str, Any], path: Path) -> None:
        """Raise InputError for a warning without or above its limit, a minimum above it."""
        limit, warn, minimum = row.get("limit"), row.get("warn"), row.get("min")
        if warn is not None and limit is not None and _exceeds(warn, limit):
            self._validator.refuse((*path, "warn"), "is above the limit", "write less than limit")
        if minimum is not None and limit is not None and _exceeds(minimum, limit):
            self._validator.refuse((*path, "min"), "is above the limit", "write at most the limit")


def _exceeds(one: object, other: object) -> bool:
    """Return whether one amount is above the other; unknown where only one is a share."""
    if not isinstance(one, Amount) or not isinstance(other, Amount):
        return False
    if one.bytes is not None and other.bytes is not None:
        return one.bytes > other.bytes
    if one.share is not None and other.share is not None:
        return one.share > other.share
    return False
