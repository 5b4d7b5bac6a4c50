"""Profiles: what ``[profile.NAME]`` overrides, laid over the table with its lines."""

import difflib
from typing import Any

from mapinspect.errors import InputError
from mapinspect.readers.budget.fields import ROW_KEYS
from mapinspect.readers.budget.toml_lines import Path, line_of

Lines = dict[Path, int]


def overlaid(
    path: str, document: dict[str, Any], lines: Lines, profile: str
) -> tuple[dict[str, Any], Lines]:
    """Return the table with the profile's values, and the line of each.

    Rows are found by their name or id; the keys given replace the row's. Raises InputError for a
    row that the table does not have. The document must have the declared form.
    """
    overlay = _Overlay(path, lines, ("profile", profile))
    merged = overlay.table(document, document["profile"][profile], (), ("profile", profile))
    return merged, overlay.lines


class _Overlay:
    """Lays tables over tables and keeps the line of each value: where it is overridden."""

    def __init__(self, path: str, lines: Lines, profile: Path) -> None:
        self._path = path
        self._profile = profile
        self._given = lines
        self.lines = dict(lines)

    def table(
        self, base: dict[str, Any], over: dict[str, Any], at: Path, source: Path
    ) -> dict[str, Any]:
        """Return ``base`` with the keys of ``over``, which stands at ``source`` in the document."""
        merged = dict(base)
        for key, value in over.items():
            here, there = (*at, key), (*source, key)
            if key in ROW_KEYS:
                merged[key] = self._rows(base.get(key, []), value, here, there)
            elif not at and isinstance(value, dict):
                self.lines.setdefault(here, line_of(self._given, there) or 0)
                merged[key] = self.table(base.get(key, {}), value, here, there)
            else:
                merged[key] = value
                self._move(here, there)
        return merged

    def _rows(
        self, base: list[dict[str, Any]], over: list[dict[str, Any]], at: Path, source: Path
    ) -> list[dict[str, Any]]:
        name = ROW_KEYS[str(at[-1])]
        merged = list(base)
        places = {row[name]: number for number, row in enumerate(base)}
        seen: set[str] = set()
        for index, row in enumerate(over):
            there = (*source, index)
            if row[name] not in places or row[name] in seen:
                self._refuse(row[name], list(places), str(at[-1]), (*there, name), seen)
            seen.add(row[name])
            number = places[row[name]]
            merged[number] = {**merged[number], **row}
            for key in row:
                self._move((*at, number, key), (*there, key))
        return merged

    def _move(self, here: Path, there: Path) -> None:
        """Let the value at ``here``, and what lies in it, have its line from ``there``."""
        for place in [place for place in self.lines if place[: len(here)] == here]:
            del self.lines[place]
        self.lines[here] = line_of(self._given, there) or 0
        for place, line in self._given.items():
            if place[: len(there)] == there:
                self.lines[here + place[len(there) :]] = line

    def _refuse(self, row: str, known: list[str], kind: str, place: Path, seen: set[str]) -> None:
        line = line_of(self._given, place)
        profile = self._profile[1]
        if row in seen:
            what = f"profile {profile} overrides {kind} {row!r} twice"
            raise InputError(self._path, line, what, "keep one of the rows")
        near = difflib.get_close_matches(row, known, n=1, cutoff=0.4)
        guess = f"did you mean {near[0]!r}?" if near else "add the row to the table itself"
        what = f"profile {profile} overrides {kind} {row!r}, which the table does not have"
        raise InputError(self._path, line, what, guess)
