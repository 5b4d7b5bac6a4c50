"""Rows about stack and heap: what is reserved today, or the least that should be."""

from typing import Final

from mapinspect.analysis.proposal.amounts import in_words, size_text
from mapinspect.analysis.proposal.networks import Rows
from mapinspect.analysis.proposal.policy import Memories
from mapinspect.model.inspection import Inspection
from mapinspect.model.proposal import Entry, ProposedRow
from mapinspect.model.reservation import Reservation

LEAST_STACK: Final = 2048  # bytes; interrupts, printf and an operator's frames rarely need less
_LEAST_SHARE: Final = 8  # of RAM, at most one part in so many: small parts have small stacks


def stack_rows(inspection: Inspection, memories: Memories) -> Rows:
    """Return a row that demands the stacks reserved today, or room where none is reserved."""
    rows = Rows()
    largest = memories.ram[0].span.size if memories.ram else LEAST_STACK
    least = min(LEAST_STACK, max(largest // _LEAST_SHARE, 1))
    fixed = _fixed(inspection, "stack")
    entries = [Entry("id", "stack"), Entry("kind", "stack")]
    if fixed:
        size = sum(item.bytes for item in fixed)
        entries.append(Entry("min", size_text(size), "what is reserved today"))
        rows.budgets.append(ProposedRow(tuple(entries), _named(fixed)))
    elif inspection.margins.room is not None:
        room = inspection.margins.room
        entries.append(Entry("min", size_text(least)))
        above = [f"nothing reserves the stack: {in_words(room)} are left for it"]
        if room < least:
            above[0] += ", so this fails until there is room"
            rows.defects += above
        rows.budgets.append(ProposedRow(tuple(entries), tuple(above)))
    return rows


def heap_rows(inspection: Inspection) -> Rows:
    """Return a row that holds the heap to what is reserved today."""
    rows = Rows()
    fixed = _fixed(inspection, "heap")
    if fixed:
        size = sum(item.bytes for item in fixed)
        entries = (
            Entry("id", "heap"),
            Entry("kind", "heap"),
            Entry("limit", size_text(size), "what is reserved today"),
        )
        rows.budgets.append(ProposedRow(entries, _named(fixed)))
    return rows


def _fixed(inspection: Inspection, kind: str) -> list[Reservation]:
    return [
        item
        for item in inspection.reservations
        if item.kind == kind and item.span is not None and item.bytes and not item.elastic
    ]


def _named(fixed: list[Reservation]) -> tuple[str, ...]:
    return tuple(f"{item.name}: {in_words(item.bytes)}, by {item.convention}" for item in fixed)
