"""Structure sizes that an image's debug information gives, under the names of our table.

Most structures have the name of their row; some kernels name theirs plainly ``OpData``, so the
source file decides. ``dwarf_structs.json`` lists those.
"""

import json
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from mapinspect.analysis.arena.structs import StructSizes, struct_sizes
from mapinspect.model.arena import StructSize

_ROWS = Path(__file__).with_name("dwarf_structs.json")


@cache
def _special() -> dict[str, tuple[str, tuple[str, ...]]]:
    rows = json.loads(_ROWS.read_text(encoding="utf-8"))
    return {row: (entry["name"], tuple(entry["units"])) for row, entry in rows.items()}


def wanted_structs() -> tuple[tuple[str, str], ...]:
    """Return the structures to look for: unqualified name, and the end of the unit's path.

    The unit is empty where any will do.
    """
    plain = sorted(set(struct_sizes("arm").sizes) - set(_special()))
    special = {(name, unit) for name, units in _special().values() for unit in units}
    return (*((name, "") for name in plain), *sorted(special))


def measured_sizes(
    structs: Iterable[StructSize], sizes: StructSizes
) -> tuple[Mapping[str, tuple[int, int]], tuple[str, ...]]:
    """Return the rows that ``structs`` give sizes for, and the names they contradict each other in.

    A row's alignment stays that of ``sizes``, lowered to what the size is a multiple of.
    """
    found: dict[str, set[int]] = {}
    for struct in structs:
        if row := _row(struct, sizes):
            found.setdefault(row, set()).add(struct.size)
    unclear = tuple(sorted(row for row, values in found.items() if len(values) > 1))
    clear = {row: min(values) for row, values in found.items() if len(values) == 1}
    return {
        row: (size, _alignment(size, sizes.alignment(row))) for row, size in clear.items()
    }, unclear


def _row(struct: StructSize, sizes: StructSizes) -> str | None:
    name = struct.name.rsplit("::", 1)[-1]
    for row, (special, units) in _special().items():
        if name == special and any(struct.unit.endswith(unit) for unit in units):
            return row
    return name if name in sizes.sizes and name not in _special() else None


def _alignment(size: int, largest: int) -> int:
    alignment = largest
    while alignment > 1 and size % alignment:
        alignment //= 2
    return alignment
