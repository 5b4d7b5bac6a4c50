"""The table of builtin operators: which structures parsing and initialising them takes.

``operators.json`` gives for each operator that the runtime has a kernel for: ``params``, the
structure that parsing allocates; ``data``, the kernel's persistent record; ``views``, the tensors
of which preparing takes a temporary description (``"all"``, or positions: inputs from 0, outputs
as -1, -2, …), ``late_views`` those taken after its persistent buffers. ``types`` are the types of
the data that preparing accepts (none listed: any), ``pairs`` those of data and filter. Measured
with the runtime, one operator at a time.
"""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_ROWS = Path(__file__).with_name("operators.json")


@dataclass(frozen=True, slots=True)
class OperatorRow:
    """One row of the table; ``views`` is None for "all"."""

    params: str | None
    data: str | None
    views: tuple[int, ...] | None
    late_views: tuple[int, ...]
    types: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...]


@cache
def operator_rows() -> dict[str, OperatorRow]:
    """Return the table by operator name, read once."""
    rows = json.loads(_ROWS.read_text(encoding="utf-8"))
    return {
        code: OperatorRow(
            params=row.get("params"),
            data=row.get("data"),
            views=None if row["views"] == "all" else tuple(row["views"]),
            late_views=tuple(row.get("late_views", ())),
            types=tuple(row.get("types", ())),
            pairs=tuple((data, weights) for data, weights in row.get("pairs", ())),
        )
        for code, row in rows.items()
    }
