"""The six rows of the memory budget: a partition of every region's bytes."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from mapinspect.analysis.usage import cut, size_of, without
from mapinspect.model.budget_rows import Piece, Use
from mapinspect.model.embedded import EmbeddedModel
from mapinspect.model.image import Role, Span
from mapinspect.model.inspection import ArenaFacts, ModelFacts, Usage
from mapinspect.model.reservation import Reservation
from mapinspect.model.runtime import Recognised

ROWS: Final = ("static", "heap", "stack", "weights", "arena", "workspace")
_AT_RUN_TIME: Final = ("arena", "stack", "heap", "workspace")
_SURE: Final = ("high", "medium")  # confidences on which a byte changes its row


Parts = tuple[tuple[str, int], ...]
"""What a row consists of: names and bytes."""


@dataclass(frozen=True, slots=True)
class Claim:
    """Bytes that one of the rows counts; ``reserved`` where they count without a section."""

    row: str
    span: Span
    reserved: bool = False


def claims(
    models: Iterable[ModelFacts],
    arenas: Iterable[ArenaFacts],
    reservations: Iterable[Reservation],
    recognised: Iterable[Recognised] = (),
    others: Iterable[EmbeddedModel] = (),
) -> tuple[Claim, ...]:
    """Return what claims bytes, the surest first: of two claims to a byte the first counts.

    What was recognised by its name claims only what nothing else does. ``others`` are models
    that were found by their content and that nobody named.
    """
    named = tuple(models)
    found = [Claim("weights", copy.place.span) for model in named for copy in model.copies]
    found += [Claim("weights", part.span) for model in named for part in model.parts]
    found += [Claim("weights", other.place.span) for other in others]
    found += [
        Claim("arena", arena.place.span)
        for arena in arenas
        if arena.place is not None and not arena.is_pointer
    ]
    found += [
        Claim(item.kind, item.span, reserved=True)
        for item in reservations
        if item.span and not item.elastic
    ]
    found += [
        Claim(item.role, item.span)
        for item in recognised
        if item.span.size and not item.pointer and item.confidence in _SURE
    ]
    return tuple(found)


def pieces(
    usages: Sequence[Usage], claims: Sequence[Claim], spare: Sequence[Span]
) -> tuple[Piece, ...]:
    """Return which row counts each byte of each region; no byte is counted twice.

    What nobody claims is static memory, padding and gaps included, but for ``spare``: the bytes
    that only an elastic heap or stack takes, which no row counts. A fixed reserve counts also
    where no section holds it. Operator workspace mostly lies inside the arena, so its row is
    empty unless a runtime keeps it apart.
    """
    held = [item.span for usage in usages for item in usage.placements if item.role is Role.RUN]
    found: list[Piece] = []
    for usage in usages:
        own = list(_held(usage, claims))
        own += _reserved(usage, claims, [*held, *(piece.span for piece in own)], usages)
        extent = Span(usage.region.span.start, usage.used)
        taken = [*(piece.span for piece in own), *spare]
        static = (Piece("static", usage.region.name, span) for span in without([extent], taken))
        found += [*own, *static]
    return tuple(found)


def _held(usage: Usage, claims: Iterable[Claim]) -> Iterator[Piece]:
    """Yield the claimed bytes that sections of a region hold, where they run and are stored."""
    taken: list[Span] = []
    for placement in usage.placements:
        shift = placement.span.start - placement.section.vma
        for claim in claims:
            if placement.role is Role.LOAD and claim.row in _AT_RUN_TIME:
                continue  # their initial values, if any, are static memory of the Flash
            span = Span(claim.span.start + shift, claim.span.size)
            moved = cut(span, placement.span)
            if moved.size:
                fresh = without([moved], taken)
                yield from (Piece(claim.row, usage.region.name, piece) for piece in fresh)
                taken += fresh


def _reserved(
    usage: Usage, claims: Iterable[Claim], held: Sequence[Span], usages: Sequence[Usage]
) -> Iterator[Piece]:
    """Yield the bytes of fixed reserves in a region that no section holds."""
    taken = list(held)
    for claim in claims:
        share = _share(claim.span, usage, usages) if claim.reserved else None
        if share is not None:
            fresh = without([share], taken)
            yield from (Piece(claim.row, usage.region.name, span) for span in fresh)
            taken += fresh


def _share(span: Span, usage: Usage, usages: Sequence[Usage]) -> Span | None:
    """Return the bytes of a reserve that count in a region; it may lie in several, one by one."""
    home = _home(span, usages)
    if home is not None:
        return span if home == usage.region.name else None
    piece = cut(span, usage.region.span)
    own = piece.size and _home(Span(piece.start, 1), usages) == usage.region.name
    return piece if own else None


def _home(span: Span, usages: Iterable[Usage]) -> str | None:
    """Return the smallest region that holds a span."""
    holding = [usage.region for usage in usages if usage.region.span.contains(span)]
    smallest = min(holding, key=lambda region: region.span.size, default=None)
    return smallest.name if smallest else None


def with_reserves(usages: Iterable[Usage], found: Sequence[Piece]) -> tuple[Usage, ...]:
    """Return the usages with what is elastic in them and what is reserved outside of them."""
    return tuple(_with_reserves(usage, found) for usage in usages)


def _with_reserves(usage: Usage, found: Sequence[Piece]) -> Usage:
    extent = Span(usage.region.span.start, usage.used)
    own = [piece.span for piece in found if piece.region == usage.region.name]
    inside = sum(cut(span, extent).size for span in own)
    sections = [item.span for item in usage.placements if item.role is Role.RUN]
    elastic = [span for span in without([extent], own) if span.size]
    fixed = [cut(piece.span, extent) for piece in found if _is_reserve(piece, usage)]
    return replace(
        usage,
        elastic=usage.used - inside,
        elastic_occupied=size_of(elastic) - size_of(without(elastic, sections)),
        reserved=size_of(own) - inside,
        reserved_between=size_of(without(fixed, (item.span for item in usage.placements))),
    )


def _is_reserve(piece: Piece, usage: Usage) -> bool:
    return piece.region == usage.region.name and piece.row in ("stack", "heap")


def uses(
    usages: Iterable[Usage], found: Iterable[Piece], arenas: Iterable[ArenaFacts]
) -> tuple[Use, ...]:
    """Return the rows of every region; in each they add up to what the region is charged."""
    return tuple(use for usage in usages for use in _uses(usage, tuple(found), tuple(arenas)))


def _uses(usage: Usage, found: Sequence[Piece], arenas: Sequence[ArenaFacts]) -> Iterator[Use]:
    region = usage.region.name
    spans: dict[str, list[Span]] = {row: [] for row in ROWS}
    for piece in found:
        if piece.region == region:
            spans[piece.row].append(piece.span)
    parts = {"static": _static_parts(usage, spans["static"]), "arena": _arena_parts(region, arenas)}
    for row in ROWS:
        linked = size_of(spans[row])
        yield Use(row, region, linked, parts.get(row, ()) if linked else ())


def _static_parts(usage: Usage, static: Sequence[Span]) -> Parts:
    images = [item.span for item in usage.placements if item.role is Role.LOAD]
    every = [item.span for item in usage.placements]
    whole = size_of(static)
    # Images of weights are weights, and a gap may be a stack's: those are other rows' bytes.
    parts = (
        ("load images", whole - size_of(without(static, images))),
        ("gaps", size_of(without(static, every))),
    )
    return tuple((name, size) for name, size in parts if size)


def _arena_parts(region: str, arenas: Sequence[ArenaFacts]) -> Parts:
    """Return what the only arena of a region holds; unknown as soon as its need is."""
    own = [item for item in arenas if item.place is not None and item.place.region == region]
    if len(own) != 1 or own[0].needed is None or own[0].head is None or own[0].place is None:
        return ()
    arena, place, needed = own[0], own[0].place, own[0].needed
    assert arena.head is not None
    slack = place.span.size - needed
    parts = (
        ("tensors", arena.head),
        ("records", needed - arena.head),
        ("slack" if arena.exact else "slack at most", slack),
    )
    return tuple((name, size) for name, size in parts if size > 0) if slack >= 0 else ()
