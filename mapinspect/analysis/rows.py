"""The six rows of the memory budget: a partition of every region's bytes."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from mapinspect.analysis.usage import cut, without
from mapinspect.model.budget_rows import Use
from mapinspect.model.embedded import EmbeddedModel
from mapinspect.model.image import Role, Span
from mapinspect.model.inspection import ArenaFacts, ModelFacts, Usage
from mapinspect.model.reservation import Reservation

ROWS: Final = ("static", "heap", "stack", "weights", "arena", "workspace")

_Claim = tuple[str, Span]


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of a region's bytes that one of the six rows counts."""

    row: str
    region: str
    span: Span


def pieces(
    usages: Iterable[Usage],
    models: Sequence[ModelFacts],
    arenas: Sequence[ArenaFacts],
    reservations: Sequence[Reservation],
    others: Sequence[EmbeddedModel] = (),
) -> tuple[Piece, ...]:
    """Return which row counts each byte of each region; no byte is counted twice.

    A byte belongs to the first row that claims it (weights, arena, stack, heap); what nobody
    claims is static memory, padding and gaps included. Operator workspace lies inside the arena,
    so its row is empty unless a runtime keeps it apart. ``others`` are models that nobody named.
    """
    claims = [
        *(("weights", copy.place.span) for model in models for copy in model.copies),
        *(("weights", part.span) for model in models for part in model.parts),
        *(("weights", other.place.span) for other in others),
        *(
            ("arena", arena.place.span)
            for arena in arenas
            if arena.place is not None and not arena.is_pointer
        ),
        *((item.kind, item.span) for item in reservations if item.span and not item.elastic),
    ]
    return tuple(piece for usage in usages for piece in _pieces(usage, claims))


def _pieces(usage: Usage, claims: list[_Claim]) -> list[Piece]:
    region = usage.region.name
    found: list[Piece] = []
    taken: list[Span] = []
    for placement in usage.placements:
        shift = placement.span.start - placement.section.vma
        for row, span in claims:
            if placement.role is Role.LOAD and row in ("arena", "stack", "heap"):
                continue  # their initial values, if any, are static memory of the Flash
            moved = cut(Span(span.start + shift, span.size), placement.span)
            if moved.size:
                fresh = without([moved], taken)
                found += [Piece(row, region, piece) for piece in fresh]
                taken += fresh
    extent = Span(usage.region.span.start, usage.used)
    return [*found, *(Piece("static", region, span) for span in without([extent], taken))]


def uses(usages: Iterable[Usage], found: Sequence[Piece]) -> tuple[Use, ...]:
    """Return the rows of every region; in each region they add up to the region's ``used``."""
    linked: Counter[tuple[str, str]] = Counter()
    for piece in found:
        linked[piece.region, piece.row] += piece.span.size
    return tuple(
        Use(
            row,
            usage.region.name,
            linked[usage.region.name, row],
            _static_parts(usage) if row == "static" else (),
        )
        for usage in usages
        for row in ROWS
    )


def _static_parts(usage: Usage) -> tuple[tuple[str, int], ...]:
    images = sum(item.span.size for item in usage.placements if item.role is Role.LOAD)
    parts = (("load images", images), ("gaps", usage.used - usage.occupied))
    return tuple((name, size) for name, size in parts if size)
