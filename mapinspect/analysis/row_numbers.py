"""The numbers of every ``[[budget]]`` row: estimated, linked, limit, minimum; all bytes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mapinspect.analysis.locate import Surroundings
from mapinspect.model.budget import Amount, BudgetRow, BudgetTable
from mapinspect.model.inspection import ArenaFacts, Matched, ModelFacts, RowNumbers, Use


@dataclass(frozen=True, slots=True)
class Estimates:
    """What the models need, in bytes: None where unknown."""

    weights: int | None
    arena: int | None
    arena_region: str | None

    @classmethod
    def of(cls, models: Sequence[ModelFacts], arenas: Sequence[ArenaFacts]) -> "Estimates":
        """Sum up what the models need; unknown as soon as one arena's need is."""
        needs = [arena.needed for arena in arenas]
        known = [need for need in needs if need is not None]
        regions = {arena.place.region for arena in arenas if arena.place}
        return cls(
            weights=sum(model.size for model in models) if models else None,
            arena=sum(known) if known and len(known) == len(needs) else None,
            arena_region=regions.pop() if len(regions) == 1 else None,
        )

    def for_kind(self, kind: str | None) -> int | None:
        """Return the estimate of a table row, or None where there is none."""
        return {"weights": self.weights, "arena": self.arena}.get(kind or "")


def row_numbers(
    table: BudgetTable,
    around: Surroundings,
    uses: Sequence[Use],
    estimates: Estimates,
    matches: Mapping[str, Matched],
) -> tuple[RowNumbers, ...]:
    """Return the numbers of each row of the table, in its order."""
    return tuple(
        _numbers(row, around, estimates, _linked(row, uses, matches)) for row in table.budgets
    )


def _numbers(row: BudgetRow, around: Surroundings, estimates: Estimates, linked: int) -> RowNumbers:
    whole = _whole(row, around)
    estimated = estimates.for_kind(row.kind)
    return RowNumbers(
        id=row.id,
        memory=row.region or "all",
        estimated=estimated,
        linked=linked,
        measured=None,
        limit=row.limit.at_most(whole) if row.limit else None,
        warn=row.warn.at_most(whole) if row.warn else None,
        minimum=estimated if row.min_estimate else _at_least(row.minimum, whole),
        image=around.image,
    )


def _linked(row: BudgetRow, uses: Sequence[Use], matches: Mapping[str, Matched]) -> int:
    if row.match is None:
        return sum(
            use.linked for use in uses if use.row == row.kind and row.region in (None, use.region)
        )
    places = matches[row.id].places
    if row.region is None:
        return matches[row.id].bytes
    return sum(place.span.size for place in places if place.region == row.region)


def _whole(row: BudgetRow, around: Surroundings) -> int:
    """Return what a percentage of this row is a share of: its region, or all of them."""
    return sum(region.span.size for region in around.regions if row.region in (None, region.name))


def _at_least(amount: Amount | None, whole: int) -> int | None:
    return None if amount is None else amount.at_least(whole)
