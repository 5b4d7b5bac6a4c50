"""The six rows of the memory budget: a partition of every region's bytes."""

from collections.abc import Iterable, Sequence
from typing import Final

from mapinspect.model.image import Role, Span
from mapinspect.model.inspection import ArenaFacts, ModelFacts, Usage, Use
from mapinspect.model.reservation import Reservation

ROWS: Final = ("static", "heap", "stack", "weights", "arena", "workspace")

_Claim = tuple[str, Span]


def uses(
    usages: Iterable[Usage],
    models: Sequence[ModelFacts],
    arenas: Sequence[ArenaFacts],
    reservations: Sequence[Reservation],
) -> tuple[Use, ...]:
    """Return the rows of every region; in each region they add up to the region's ``used``.

    A byte belongs to the first row that claims it (weights, arena, stack, heap); what nobody
    claims is static memory, padding and gaps included. Operator workspace lies inside the arena,
    so its row is empty unless a runtime keeps it apart.
    """
    claims = [
        *(("weights", copy.place.span) for model in models for copy in model.copies),
        *(
            ("arena", arena.place.span)
            for arena in arenas
            if arena.place is not None and not arena.is_pointer
        ),
        *((item.kind, item.span) for item in reservations if item.span and not item.elastic),
    ]
    return tuple(row for usage in usages for row in _region(usage, claims))


def _region(usage: Usage, claims: list[_Claim]) -> list[Use]:
    linked = dict.fromkeys(ROWS, 0)
    load_images = 0
    taken: list[Span] = []
    for placement in usage.placements:
        shift = placement.span.start - placement.section.vma
        for row, span in claims:
            moved = Span(span.start + shift, span.size)
            if placement.role is Role.LOAD and row in ("arena", "stack", "heap"):
                continue  # their initial values, if any, are static memory of the Flash
            for piece in _free_of(_cut(moved, placement.span), taken):
                linked[row] += piece.size
                taken.append(piece)
        if placement.role is Role.LOAD:
            load_images += placement.span.size
    linked["static"] = usage.used - sum(linked.values())
    parts = {"static": _static_parts(usage, load_images)}
    return [Use(row, usage.region.name, linked[row], parts.get(row, ())) for row in ROWS]


def _static_parts(usage: Usage, load_images: int) -> tuple[tuple[str, int], ...]:
    parts = (("load images", load_images), ("gaps", usage.used - usage.occupied))
    return tuple((name, size) for name, size in parts if size)


def _cut(span: Span, within: Span) -> Span:
    start = max(span.start, within.start)
    return Span(start, max(0, min(span.end, within.end) - start))


def _free_of(span: Span, taken: list[Span]) -> list[Span]:
    """Return the pieces of ``span`` that no span of ``taken`` covers."""
    pieces = [span] if span.size else []
    for other in taken:
        pieces = [left for piece in pieces for left in _without(piece, other)]
    return pieces


def _without(piece: Span, other: Span) -> list[Span]:
    if not piece.overlap(other):
        return [piece]
    before = Span(piece.start, max(0, other.start - piece.start))
    after = Span(other.end, max(0, piece.end - other.end))
    return [item for item in (before, after) if item.size]
