"""The numbers of every ``[[budget]]`` row: estimated, linked, limit, minimum; all bytes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from mapinspect.analysis.counting import Counted, Memory
from mapinspect.analysis.locate import Surroundings
from mapinspect.analysis.usage import cut, size_of, union
from mapinspect.analysis.weighing import Peaks
from mapinspect.model.budget import Amount, BudgetRow, BudgetTable
from mapinspect.model.budget_rows import RowNumbers
from mapinspect.model.image import Span
from mapinspect.model.inspection import ArenaFacts, ModelFacts
from mapinspect.model.reservation import Reservation


@dataclass(frozen=True, slots=True)
class Estimates:
    """What the models need, in bytes: None where unknown."""

    weights: int | None
    arena: int | None

    @classmethod
    def of(cls, models: Sequence[ModelFacts], arenas: Sequence[ArenaFacts]) -> "Estimates":
        """Sum up what the models need; unknown as soon as one arena's need is."""
        needs = [arena.needed for arena in arenas]
        known = [need for need in needs if need is not None]
        return cls(
            weights=sum(model.size for model in models) if models else None,
            arena=sum(known) if known and len(known) == len(needs) else None,
        )

    def for_kind(self, kind: str | None) -> int | None:
        """Return the estimate of a table row, or None where there is none."""
        return {"weights": self.weights, "arena": self.arena}.get(kind or "")


def row_numbers(
    table: BudgetTable,
    around: Surroundings,
    counts: Mapping[str, Counted],
    estimates: Estimates,
    reservations: Sequence[Reservation],
    *,
    peaks: Peaks,
    otherwise: Mapping[str, Counted] | None = None,
) -> tuple[RowNumbers, ...]:
    """Return the numbers of each row of the table, in its order; ``counts`` is what it counts.

    ``otherwise`` is what it counts by the other account that the addresses allow, if any.
    """
    others = counts if otherwise is None else otherwise
    return tuple(
        replace(
            _numbers(row, around, estimates, counts[row.id].bytes, reservations),
            **_measured(row, around, peaks),
            counts=_counts(row, table),
            mixed=counts[row.id].mixed,
            unsized=counts[row.id].unsized,
            thin=counts[row.id].thin,
            otherwise=_other(counts[row.id].bytes, others[row.id].bytes),
        )
        for row in table.budgets
    )


def _other(linked: int, otherwise: int) -> int | None:
    return None if linked == otherwise else otherwise


def _counts(row: BudgetRow, table: BudgetTable) -> str:
    """Return what a row counts, in words; the rest also by what is none of it."""
    words = [row.kind or ""]
    if row.match is not None:
        named = ((key.name, getattr(row.match, key.name)) for key in fields(row.match))
        words = [f"{key} {glob}" for key, glob in named if glob is not None]
    words += [f"in {key} {glob}" for key, glob in _where(row) if glob is not None]
    if row.kind == "rest":
        others = (_counts(other, table) for other in table.budgets if other.kind != "rest")
        words += [f"but {other}" for other in sorted(others)]
    return ", ".join(words)


def _where(row: BudgetRow) -> tuple[tuple[str, str | None], ...]:
    return (("region", row.region), ("bank", row.bank))


def _measured(row: BudgetRow, around: Surroundings, peaks: Peaks) -> dict[str, Any]:
    memory, kind = Memory.of(row), row.kind or ""

    def inside(span: Span) -> bool:
        """Return whether a span lies in the row's memory."""
        return _lies_in(memory, around, span)

    where = None if memory.is_all else inside
    return {"measured": peaks.total(kind, where), "peaks": peaks.within(kind, where)}


def _numbers(
    row: BudgetRow,
    around: Surroundings,
    estimates: Estimates,
    linked: int,
    reservations: Sequence[Reservation],
) -> RowNumbers:
    memory = Memory.of(row)
    whole = memory.whole(around)
    estimated = estimates.for_kind(row.kind)
    return RowNumbers(
        id=row.id,
        memory=memory.name,
        estimated=estimated,
        linked=linked,
        measured=None,
        limit=_at_most(row.limit, whole),
        warn=_at_most(row.warn, whole),
        minimum=estimated if row.min_estimate else _at_least(row.minimum, whole),
        image=around.image,
        whole=whole,
        available=max(linked, _set_aside(row, memory, around, reservations)),
    )


def _set_aside(
    row: BudgetRow, memory: Memory, around: Surroundings, reservations: Sequence[Reservation]
) -> int:
    """Return the bytes of all heaps, also of those that no section holds: the rest of RAM, a size.

    A stack that no section holds has only what is left: ``Margins.room``.
    """
    heaps = [item for item in reservations if item.kind == row.kind == "heap"]
    if memory.is_all:
        return sum(item.bytes for item in heaps)
    return sum(_bytes_in(memory, around, item.span) for item in heaps if item.span is not None)


def _bytes_in(memory: Memory, around: Surroundings, span: Span) -> int:
    """Return how many bytes of a span lie in a memory; those that regions share count once."""
    pieces = [
        piece
        for region in around.regions
        if span.overlap(region.span)
        for piece in memory.within(around, region.name, cut(span, region.span))
    ]
    return size_of(union(pieces))


def _lies_in(memory: Memory, around: Surroundings, span: Span) -> bool:
    regions = (region for region in around.regions if region.span.contains(Span(span.start, 1)))
    return any(memory.within(around, region.name, span) for region in regions)


def _at_most(amount: Amount | None, whole: int) -> int | None:
    """Return the limit in bytes; None where it is a share of a memory that is not known."""
    if amount is None or (amount.share is not None and not whole):
        return None
    return amount.at_most(whole)


def _at_least(amount: Amount | None, whole: int) -> int | None:
    if amount is None or (amount.share is not None and not whole):
        return None
    return amount.at_least(whole)
