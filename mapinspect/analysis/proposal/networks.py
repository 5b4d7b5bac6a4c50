"""Rows about weights and arenas: the recommended place for each, whatever the image does today."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from mapinspect.analysis.proposal.amounts import (
    glob_of,
    identifier,
    in_words,
    limit_above,
    size_text,
)
from mapinspect.analysis.proposal.policy import Memories
from mapinspect.model.inspection import Inspection, Located, ModelFacts
from mapinspect.model.proposal import Entry, ProposedRow
from mapinspect.model.symbol_names import is_nameless, readable_name

_ALIGNMENT = 16  # bytes; what TFLM and vector loads expect of models and arenas


@dataclass(slots=True)
class Rows:
    """Rows in the making: of a budget and of placements, and what is wrong today."""

    budgets: list[ProposedRow] = field(default_factory=list)
    placements: list[ProposedRow] = field(default_factory=list)
    defects: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Found:
    """Something that was taken for weights or an arena: where it lies, and why it was taken."""

    place: Located
    because: str


def weight_rows(inspection: Inspection, memories: Memories, found: Sequence[Found]) -> Rows:
    """Return the rows about weights; ``found`` are those that no model file speaks of."""
    rows = Rows()
    places = [copy.place for model in inspection.models for copy in model.copies[:1]]
    homes: dict[str | None, list[ModelFacts]] = {}
    for model in inspection.models:
        for copy in model.copies[:1]:
            own = next(iter(memories.for_weights(copy.place.region)), None)
            homes.setdefault(own, []).append(model)
    for home, models in homes.items():
        name = "weights" if len(homes) == 1 else f"weights-in-{identifier(home or 'none')}"
        size, spare = _weights(inspection, home, models)
        entries = [Entry("id", name), Entry("kind", "weights")]
        entries += [Entry("region", glob_of(home))] if home else []
        entries += _limit(inspection, size, home, "once" if spare else "today")
        again = f"{in_words(spare)} of them twice: this fails until each model is linked once"
        rows.budgets.append(ProposedRow(tuple(entries), (again,) if spare else ()))
    for item in found:
        entries = [Entry("id", _row_id(item.place)), _match(item.place)]
        entries += _limit(inspection, item.place.span.size, None)
        rows.budgets.append(ProposedRow(tuple(entries), (item.because,)))
    for place in (*places, *(item.place for item in found)):
        _place_weights(rows, memories, place)
    return rows


def _weights(
    inspection: Inspection, region: str | None, models: Sequence[ModelFacts]
) -> tuple[int, int]:
    """Return the bytes of weights in a region, each model once, and those of further copies.

    ``models`` are those whose home it is, wherever they lie today.
    """
    counted = sum(
        use.linked
        for use in inspection.uses
        if use.row == "weights" and region in (None, use.region)
    )
    given = sum(model.size for model in models)
    spare = sum(
        model.size
        for model in models
        for copy in model.copies[1:]
        if region in (None, copy.place.region, copy.place.load_region)
    )
    return max(given, counted - spare), spare


def _place_weights(rows: Rows, memories: Memories, place: Located) -> None:
    """Add the row about one place; no row can match what has no symbol, a check judges that."""
    home = memories.for_weights(place.region)
    entries = [Entry("id", f"{_row_id(place)}-in-flash"), _match(place)]
    entries += [Entry("region", tuple(glob_of(name) for name in home))] if home else []
    right = place.region in home and not place.section.writable
    if right:
        entries.append(Entry("section", glob_of(place.section.name)))
    entries += [Entry("align", _ALIGNMENT), Entry("read-only", value=True)]
    above = []
    if not right:
        above = [_fault(place, f"lies in {_where(place)}", "weights belong in Flash, as const")]
    if place.span.start % _ALIGNMENT:
        above.append(_fault(place, f"is aligned to {place.alignment}", f"it needs {_ALIGNMENT}"))
    rows.defects += above
    if not is_nameless(place.name):
        rows.placements.append(ProposedRow(tuple(entries), tuple(above)))


def arena_rows(inspection: Inspection, memories: Memories, found: Sequence[Found]) -> Rows:
    """Return the rows about arenas; ``found`` are those that no model file speaks of."""
    rows = Rows()
    known = [arena for arena in inspection.arenas if arena.place is not None]
    known = [arena for arena in known if not arena.is_pointer]
    if known:
        size = sum(arena.place.span.size for arena in known if arena.place)
        entries = [Entry("id", "arena"), Entry("kind", "arena"), *_limit(inspection, size, None)]
        entries.append(Entry("min", "estimate", "at least what the models need"))
        rows.budgets.append(ProposedRow(tuple(entries)))
    for arena in known:
        assert arena.place is not None
        needed = arena.needed or arena.place.span.size
        _place_arena(rows, memories, arena.place, needed, aligns=arena.aligns)
    for item in found:
        entries = [Entry("id", _row_id(item.place)), _match(item.place)]
        entries += _limit(inspection, item.place.span.size, None)
        rows.budgets.append(ProposedRow(tuple(entries), (item.because,)))
        _place_arena(rows, memories, item.place, item.place.span.size)
    return rows


def _place_arena(
    rows: Rows, memories: Memories, place: Located, needed: int, *, aligns: bool = False
) -> None:
    """Add the row of an arena; ``aligns`` says that its runtime takes it as it is aligned."""
    home = memories.for_arena(place.region, needed)
    entries = [Entry("id", f"{_row_id(place)}-in-ram"), _match(place)]
    entries += [Entry("region", tuple(glob_of(name) for name in home))] if home else []
    # Without the model nothing else demands that an arena is not stored with contents.
    entries += [Entry("section", ".bss*")] if place.section.has_contents else []
    skewed = bool(place.span.start % _ALIGNMENT)
    entries += [] if skewed and aligns else [Entry("align", _ALIGNMENT)]
    above = []
    if home and place.region not in home:
        advice = f"the main RAM is {home[0]}"
        advice += f"; name {place.region} here if that is meant" if place.region else ""
        above.append(_fault(place, f"lies in {_where(place)}", advice))
    if place.section.has_contents:
        above.append(_fault(place, f"is stored in {place.section.name}", "it belongs in .bss"))
    if skewed and not aligns:
        above.append(_fault(place, f"is aligned to {place.alignment}", f"it needs {_ALIGNMENT}"))
    rows.defects += above
    rows.placements.append(ProposedRow(tuple(entries), tuple(above)))


def _row_id(place: Located) -> str:
    return identifier(readable_name(place.name))


def _match(place: Located) -> Entry:
    return Entry("match", {"symbol": glob_of(readable_name(place.name))})


def _limit(
    inspection: Inspection, size: int, region: str | None, when: str = "today"
) -> Iterator[Entry]:
    whole = sum(
        item.span.size for item in inspection.regions if region is None or item.name == region
    )
    yield Entry("limit", size_text(limit_above(size, whole)), f"{in_words(size)} {when}")


def _where(place: Located) -> str:
    return f"{place.section.name}, {place.region or 'no region'}"


def _fault(place: Located, what: str, advice: str) -> str:
    return f"{readable_name(place.name)} {what}: this fails until it is mended ({advice})"
