"""measured-over-reserve: the device used more than was linked for it.

A stack that went deeper than its reserve, a heap or an arena whose peak is above its size: the
build works by chance, on whatever lies beside. Where allocations failed in the run, the peak shows
what there was, not what was wanted: that breaks too. A `[[budget]]` row of kind stack, heap or
arena may ask for `headroom` above the peak as well, in bytes or as a share of what is linked;
without a measurement of all that the row is about that claim cannot be decided. Undecided is also a
stack of which all was used, or of which no byte that was looked at kept its paint: it may have gone
deeper, or was never painted.

    error[measured-over-reserve]: main used 4600 of 4096 bytes, 504 more than linked

Mend it by reserving more, in the linker script or where the task is made.
"""

from collections.abc import Iterator

from mapinspect.checks.check import check
from mapinspect.checks.measurement_stale import by_file
from mapinspect.model.budget import BudgetRow
from mapinspect.model.budget_rows import RowNumbers
from mapinspect.model.finding import Outcome, broken, holds, not_claimed, undecided
from mapinspect.model.image import Evidence
from mapinspect.model.inspection import Inspection
from mapinspect.model.measurement import Weighed

_REMEDY = "reserve more, in the linker script or where it is made"


@check("measured-over-reserve", "no stack, heap or arena was used beyond what is linked", __doc__)
def measured_over_reserve(inspection: Inspection) -> Iterator[Outcome]:
    """Compare every peak with its reserve, then with what the table's rows demand."""
    peaks = [item for item in inspection.measured if item.counts and _reserve(item) is not None]
    if not peaks:
        yield not_claimed("measured", "nothing that is linked was measured")
    for item in peaks:
        yield _judge(item)
    yield from _failed(inspection)
    for row in inspection.table.budgets:
        if row.headroom is not None:
            yield from _headroom(row, inspection.line(row.id))
        if row.limit is not None:
            yield from _limit(inspection, row)


def _failed(inspection: Inspection) -> Iterator[Outcome]:
    """Break on each file of a run in which memory ran out, whatever peak it then shows."""
    counting = [item for item in inspection.measured if item.counts and item.item.run.failures]
    for file, items in by_file(counting).items():
        message = f"{items[0].item.run.failures} allocations failed in the run of {file}"
        remedy = "give the heap more, or find with the log who asks for too much"
        yield broken(file, message, (items[0].item.evidence,), remedy)


def _reserve(item: Weighed) -> int | None:
    return item.item.size if item.room is None else item.room


def _name(item: Weighed) -> str:
    return item.reserved or item.item.subject


def _evidence(item: Weighed) -> tuple[Evidence, ...]:
    return (item.item.evidence,) if item.place is None else (item.item.evidence, item.place)


def _judge(item: Weighed) -> Outcome:
    used, room, name = item.item.bytes, _reserve(item), _name(item)
    assert room is not None
    if used <= room and _has_no_bottom(item, room):
        return _undecided(item)
    if used <= room:
        return holds(name)
    message = f"{name} used {used} of {room} bytes, {used - room} more than linked"
    return broken(name, message, _evidence(item), _REMEDY)


def _has_no_bottom(item: Weighed, room: int) -> bool:
    """Return whether a stack's measurement saw only that all of it was used, at least."""
    return item.item.kind == "stack" and (item.item.is_full or item.item.bytes == room)


def _undecided(item: Weighed) -> Outcome:
    name, used = _name(item), item.item.bytes
    message = f"{name} used all {used} bytes that were looked at: it may have gone deeper"
    remedy = "look at more of it, state what it was painted with, or reserve more and run again"
    return undecided(name, message, _evidence(item), remedy)


def _headroom(row: BudgetRow, line: RowNumbers) -> Iterator[Outcome]:
    assert row.headroom is not None
    known = [item for item in line.peaks if _reserve(item) is not None]
    if not known or line.measured is None:
        which = "not all that it is about was" if known else "its peak was not"
        message = f"{row.id} must keep {row.headroom.text} above its peak: {which} measured"
        yield undecided(row.id, message, (row.declared,), "give a log of the device: --measured")
    for item in known:
        room = _reserve(item)
        assert room is not None
        least, free = row.headroom.at_least(room), room - item.item.bytes
        if free >= least:
            yield _undecided(item) if _has_no_bottom(item, room) else holds(row.id)
        else:
            name = _name(item)
            message = f"{name} keeps {free} of {room} bytes free, {least - free} fewer than wanted"
            yield broken(name, message, (row.declared, *_evidence(item)), _REMEDY)


def _limit(inspection: Inspection, row: BudgetRow) -> Iterator[Outcome]:
    """Judge a peak of what nothing limits in the image, such as a heap of all that is left."""
    line = inspection.line(row.id)
    if line.measured is None or line.limit is None or line.measured <= max(line.linked, line.limit):
        return
    message = f"{row.id} used {line.measured} of {line.limit} bytes on the device"
    evidence = (row.declared, *(item.item.evidence for item in inspection.measured))
    yield broken(row.id, message, evidence[:4], "use less, or allow more")
