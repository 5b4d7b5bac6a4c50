"""A JSON report of an earlier build → the numbers that growth limits compare with."""

import json
from typing import Any

from mapinspect.model.baseline import Baseline, BaselineRegion
from mapinspect.model.finding import ABOUT_THE_MAP
from mapinspect.model.image import Span

_FORMAT = "mapinspect-report"
_VERSION = 1
# Bytes. A report of a large firmware has some hundred thousand; parsed JSON takes up to 25 times
# its text, so this bounds what a foreign file can cost.
_SIZE_LIMIT = 16 * 1024 * 1024


def read_baseline(path: str, content: bytes) -> Baseline:
    """Return the earlier report's numbers; one that cannot be used says why in ``fault``.

    Never raises: what a missing or foreign baseline means is a matter of the check.
    """
    try:
        return _read(path, content)
    except _UnusableError as fault:
        return Baseline(path, fault=str(fault))


class _UnusableError(Exception):
    """The file is no report that can be compared with."""


def _read(path: str, content: bytes) -> Baseline:
    document = _document(content)
    if document.get("format") != _FORMAT:
        raise _UnusableError("is no report of mapinspect")
    version = document.get("version")
    if isinstance(version, bool) or version != _VERSION:
        raise _UnusableError(f"is a report of version {version!r}, not {_VERSION}")
    if not document.get("regions"):
        raise _UnusableError("is a report of a run that measured nothing")
    if any(_is_doubt(finding) for finding in _rows(document, "findings")):
        raise _UnusableError("is a report of a map that was in doubt")
    regions = {
        name: BaselineRegion(
            Span(_size(row, "origin"), _size(row, "length")),
            # What counts against limits; reports without it have no elastic or bare reserves.
            _size(row, "charged" if "charged" in row else "used"),
            _size(row, "charged_occupied" if "charged_occupied" in row else "occupied"),
        )
        for name, row in _by(_rows(document, "regions"), "name").items()
    }
    rows = _rows(document, "rows")
    return Baseline(
        path,
        regions=regions,
        rows={name: _size(row, "linked") for name, row in _by(rows, "id").items()},
        counts={_text(row, "id"): _text(row, "counts") for row in rows if "counts" in row},
        tool=_said(document, "tool", "version"),
        target=_said(document, "target", "name"),
        part=_said(document, "target", "part"),
    )


def _is_doubt(finding: dict[str, Any]) -> bool:
    """Return whether a finding says that the report's figures may be of another image."""
    unproven = finding.get("severity") in ("error", "undecided")
    return unproven and finding.get("check") in ABOUT_THE_MAP


def _said(document: dict[str, Any], table: str, key: str) -> str | None:
    """Return what a report says about itself; None where it does not."""
    row = document.get(table)
    value = row.get(key) if isinstance(row, dict) else None
    return value if isinstance(value, str) else None


def _document(content: bytes) -> dict[str, Any]:
    if len(content) > _SIZE_LIMIT:
        raise _UnusableError(f"is larger than {_SIZE_LIMIT // 2**20} MiB")
    try:
        document = json.loads(content)
    except (ValueError, RecursionError):
        raise _UnusableError("is not JSON") from None
    if not isinstance(document, dict):
        raise _UnusableError("is no report of mapinspect")
    return document


def _rows(document: dict[str, Any], key: str) -> list[dict[str, Any]]:
    rows = document.get(key, [])
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise _UnusableError(f"has {key} of another form")
    return rows


def _by(rows: list[dict[str, Any]], key: str) -> dict[str, dict[str, Any]]:
    """Return the rows by their names; of two rows of one name nobody knows which counts."""
    named: dict[str, dict[str, Any]] = {}
    for row in rows:
        name = _text(row, key)
        if name in named:
            raise _UnusableError(f"has two rows whose {key} is {name}")
        named[name] = row
    return named


def _text(row: dict[str, Any], key: str) -> str:
    value = row.get(key)
    if not isinstance(value, str):
        raise _UnusableError(f"has a row without {key}")
    return value


def _size(row: dict[str, Any], key: str) -> int:
    value = row.get(key)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise _UnusableError(f"has a row whose {key} is no size")
    return value
