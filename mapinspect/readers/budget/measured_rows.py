"""``[[measured]]`` → records: where a stack lies in a dump, what a log does not say."""

import re
from typing import Any, Final

from mapinspect.model.image import Evidence
from mapinspect.model.measurement import MeasuredRow
from mapinspect.readers.budget.toml_lines import Path
from mapinspect.readers.budget.validate import Validator
from mapinspect.readers.measured.table import stated_run

_FILL = re.compile(r"(?:0[xX])?((?:[0-9A-Fa-f]{2}){1,8})")
_DUMP: Final = ("base", "fill", "subject")
_LOG: Final = ("task-unit", "stack-sizes")


def measured_row(
    row: dict[str, Any], number: int, validator: Validator, declared: Evidence
) -> MeasuredRow:
    """Return a ``[[measured]]`` row; raises InputError for keys that do not go together."""
    path: Path = ("measured", number)
    _refuse_mixture(row, path, validator)
    return MeasuredRow(
        file=row["file"],
        subject=row.get("subject"),
        symbol=row.get("symbol"),
        bottom=row.get("bottom"),
        top=row.get("top"),
        base=row.get("base"),
        fill=_fill(row, path, validator),
        task_unit=row.get("task-unit"),
        run=stated_run(validator, row, path),
        declared=declared,
        stack_sizes=row.get("stack-sizes", {}),
    )


def _refuse_mixture(row: dict[str, Any], path: Path, validator: Validator) -> None:
    if "symbol" in row and "top" in row:
        validator.refuse((*path, "top"), "is given beside symbol", "keep one of them")
    is_dump = "symbol" in row or "top" in row
    for key in _LOG if is_dump else _DUMP:
        if key in row:
            other = "a log, not for a dump" if is_dump else "a dump: add symbol, or bottom and top"
            validator.refuse((*path, key), f"is for {other}", "remove one of them")
    if row.get("task-unit") == 0:
        validator.refuse((*path, "task-unit"), "is 0", "write 1 for bytes, 4 for 32-bit words")


def _fill(row: dict[str, Any], path: Path, validator: Validator) -> bytes | None:
    if "fill" not in row:
        return None
    found = _FILL.fullmatch(row["fill"])
    if found is None:
        validator.refuse(
            (*path, "fill"), f"is {row['fill']!r}", 'write its bytes as they lie: "0xA5"'
        )
    return bytes.fromhex(found[1])
