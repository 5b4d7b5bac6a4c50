"""free-block-too-small: what is allocated at run time does not fit one free block.

Total free RAM is not one block: 128 KiB in two banks hold no arena of 100 KiB. An arena that the
program allocates (its symbol is only a pointer, or a constant says how much is asked for) must fit
the largest heap, or the largest run of RAM that nothing takes where no heap is set aside; a
`[[budget]]` row of kind heap must find its `min` in one heap, in the memory that it names. The
`min` of a stack that nothing reserves is not free for either. A stack or heap of which only the
size is stated (`_Min_Heap_Size`) must fit what is left where it would begin.

    error[free-block-too-small]: the arena tensor_arena of kws needs 49152 bytes in one piece, the
    largest free block has 48128

Mend it by a smaller model, by an array in a bank of its own, or by moving what splits the RAM.
"""

from collections.abc import Iterator

from mapinspect.checks.check import check
from mapinspect.model.budget import BudgetRow
from mapinspect.model.finding import Outcome, broken, holds, not_claimed
from mapinspect.model.image import Evidence, Span
from mapinspect.model.inspection import ArenaFacts, Inspection
from mapinspect.model.reservation import Reservation

_Block = tuple[int, Evidence]  # bytes, and where they are


@check("free-block-too-small", "what is allocated at run time fits one free block", __doc__)
def free_block_too_small(inspection: Inspection) -> Iterator[Outcome]:
    """Compare arenas that no array holds, and heaps' minimums, with the largest block."""
    judged = [_judge(*claim) for claim in _claims(inspection)]
    found = [*_unplaced(inspection), *(outcome for outcome in judged if outcome is not None)]
    if not found:
        yield not_claimed("free RAM", "nothing that must be in one piece is known to be allocated")
    yield from found


def _judge(
    subject: str, what: str, needed: int, evidence: tuple[Evidence, ...], block: _Block | None
) -> Outcome | None:
    if block is None:
        return None
    size, place = block
    if needed <= size:
        return holds(subject)
    message = f"{what} needs {needed} bytes in one piece, the largest free block has {size}"
    remedy = "make it an array in a bank of its own, or free a larger block"
    return broken(subject, message, (*evidence, place), remedy)


def _unplaced(inspection: Inspection) -> Iterator[Outcome]:
    """Judge the stacks and heaps of a stated size for which there is no place in memory."""
    run, room = inspection.margins.largest_free, inspection.margins.room
    if run is None:
        return
    for item in inspection.reservations:
        if item.elastic or item.place is not None:
            continue
        size = run.size if room is None or item.kind == "heap" else room
        if item.bytes <= size:
            yield holds(item.name)
            continue
        message = (
            f"the {item.kind} {item.name} needs {item.bytes} bytes in one piece, {size} are free"
        )
        remedy = f"lower {item.rests_on[0] if item.rests_on else item.name}, or free RAM"
        yield broken(item.name, message, (item.evidence,), remedy)


def _claims(
    inspection: Inspection,
) -> Iterator[tuple[str, str, int, tuple[Evidence, ...], _Block | None]]:
    """Yield subject, words, bytes, evidence of what must lie in one piece, and the largest one."""
    anywhere = _largest(inspection)
    for arena in inspection.arenas:
        needed = _needed(arena)
        if needed is not None and (arena.is_pointer or arena.size_constant is not None):
            what = f"the arena {arena.wanted} of {', '.join(arena.models)}"
            yield arena.wanted, what, needed, arena.need_evidence, anywhere
    for row in inspection.table.budgets:
        minimum = inspection.line(row.id).minimum
        if row.kind == "heap" and minimum:
            yield row.id, f"{row.id}, a heap,", minimum, (row.declared,), _largest(inspection, row)


def _needed(arena: ArenaFacts) -> int | None:
    """Return the least that the arena takes: what is needed, or what the program asks for."""
    asked = arena.size_constant[0] if arena.size_constant else None
    return max((size for size in (arena.needed, asked) if size is not None), default=None)


def _largest(inspection: Inspection, row: BudgetRow | None = None) -> _Block | None:
    """Return the largest heap, or the largest free run of RAM where no heap is known.

    Of a row that names a memory the heaps in it; where none is, there is nothing to compare.
    """
    run = inspection.margins.largest_free
    heaps = [
        item
        for item in inspection.reservations
        if item.kind == "heap" and (item.place or run is None or item.bytes <= run.size)
    ]
    if heaps and row is not None:
        heaps = [item for item in heaps if _is_in(inspection, row, item)]
        if not heaps:
            return None
    if heaps:
        size, heap = max(
            ((_can_hold(inspection, item), item) for item in heaps),
            key=lambda pair: pair[0],
        )
        return size, heap.evidence
    if run is None or inspection.elf is None:
        return None
    text = f"{run.size} bytes are free from {run.start:#010x}"
    return _beside_stack(inspection, run), Evidence(inspection.elf.path, None, text)


def _can_hold(inspection: Inspection, heap: Reservation) -> int:
    """Return the most bytes that a heap can have."""
    size = max(heap.bytes, heap.grows_to or 0)
    if heap.place is None or (not heap.elastic and heap.grows_to is None):
        return size
    least = 0 if heap.elastic else heap.bytes
    return max(_beside_stack(inspection, Span(heap.place.start, size)), least)


def _beside_stack(inspection: Inspection, run: Span) -> int:
    """Return the bytes of a run, without what rows demand for a stack that nothing reserves."""
    start, room = inspection.margins.start, inspection.margins.room or 0
    free = Span(start.address - room, room) if start is not None else Span(0, 0)
    if not free.overlap(run):
        return run.size
    wanted = [
        inspection.line(row.id).minimum or 0
        for row in inspection.table.budgets
        if inspection.unreserved_stack(row) is not None
    ]
    return min(run.size, free.end - max(wanted, default=0) - run.start)


def _is_in(inspection: Inspection, row: BudgetRow, heap: Reservation) -> bool:
    """Return whether a heap begins in the memory that a row names, if any."""
    if row.region is None and row.bank is None:
        return True
    return heap.place is not None and inspection.is_in(row, Span(heap.place.start, 1))
