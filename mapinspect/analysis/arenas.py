"""What the models need of their arenas, against the symbols linked for them."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from mapinspect.analysis.locate import Surroundings, symbols
from mapinspect.model.arena import ArenaNeed
from mapinspect.model.arena_room import ARENA_ALIGNMENT
from mapinspect.model.budget import ModelEntry
from mapinspect.model.elf_file import SymbolKind
from mapinspect.model.image import Evidence, Span
from mapinspect.model.inspection import POINTER_SIZES, ArenaFacts, Located
from mapinspect.model.runtime import Recognised
from mapinspect.model.symbol_names import readable_name

DEFAULT_SYMBOL = "*tensor_arena*"


def no_sizes() -> Mapping[str, int]:
    """Return that nothing says how large an arena on the heap is."""
    return {}


@dataclass(frozen=True, slots=True)
class ArenaClues:
    """What tells an arena besides its name in the table: patterns, and constants of the program."""

    recognised: Sequence[Recognised] = ()
    sizes: Callable[[], Mapping[str, int]] = no_sizes


def arena_facts(
    around: Surroundings,
    entries: Iterable[ModelEntry],
    needs: Mapping[str, ArenaNeed],
    clues: ArenaClues = ArenaClues(),
) -> tuple[ArenaFacts, ...]:
    """Return the facts about each arena; models whose arena is the same memory share it.

    Models that share an arena run one after the other: its head must hold the largest of
    theirs, its persistent tail all of them.
    """
    groups: dict[str | Span, tuple[_Wanted, list[ModelEntry]]] = {}
    for entry in entries:
        wanted = _look_for(around, entry.arena, clues)
        places = wanted.candidates
        key = places[0].span if len(places) == 1 else wanted.name
        groups.setdefault(key, (wanted, []))[1].append(entry)
    return tuple(
        _with_constant(around, _facts(wanted, group, needs), clues)
        for wanted, group in groups.values()
    )


@dataclass(frozen=True, slots=True)
class _Wanted:
    """The symbols that can be the arena of this name, and those whose names come near it."""

    name: str
    candidates: tuple[Located, ...]
    near: tuple[str, ...]


def _look_for(around: Surroundings, named: str | None, clues: ArenaClues) -> _Wanted:
    name = named or DEFAULT_SYMBOL
    found = [place for place in symbols(around, name) if not _is_function(around, place)]
    written = [place for place in found if place.section.writable]
    # What cannot be written is no arena, such as a constant that says how large the arena is.
    candidates = tuple(written or found)
    if not candidates and named is None:
        candidates = tuple(_recognised(around, clues))
    return _Wanted(name, candidates, () if candidates else tuple(_near(around, name)))


def _is_function(around: Surroundings, place: Located) -> bool:
    assert around.elf is not None
    named = around.elf.symbols.named(place.name)
    return all(symbol.kind is SymbolKind.FUNCTION for symbol in named)


def _near(around: Surroundings, name: str) -> Iterator[str]:
    """Yield the variables that hold ``name`` in theirs: C++ puts namespaces around it."""
    if around.elf is None or not name.strip("*?"):
        return
    for symbol in around.elf.symbols:
        if name in symbol.name and symbol.kind is SymbolKind.OBJECT and symbol.size:
            yield readable_name(symbol.name)


def _recognised(around: Surroundings, clues: ArenaClues) -> Iterator[Located]:
    """Yield the variables that the runtimes' patterns take for arenas."""
    for item in clues.recognised:
        if item.role == "arena":
            yield from (place for place in symbols(around, item.name) if place.span == item.span)


def _with_constant(around: Surroundings, facts: ArenaFacts, clues: ArenaClues) -> ArenaFacts:
    """Return the facts with the program's own figure where no array is the arena.

    A name in the table that is nowhere leaves open what the constant is about.
    """
    if not facts.is_pointer and (facts.candidates or facts.wanted != DEFAULT_SYMBOL):
        return facts
    sizes = clues.sizes()
    if len(set(sizes.values())) != 1:
        return facts
    name, size = next(iter(sorted(sizes.items())))
    text = f"{name} is {size}, by debug information"
    return replace(facts, size_constant=(size, Evidence(around.image, None, text)))


def _facts(wanted: _Wanted, group: list[ModelEntry], needs: Mapping[str, ArenaNeed]) -> ArenaFacts:
    known = [_ending_at(needs[entry.name], wanted) for entry in group if entry.name in needs]
    complete = len(known) == len(group)
    reasons = [reason for need in known for reason in need.reasons]
    refused = [
        f"the runtime would refuse {need.model}: {need.refused}" for need in known if need.refused
    ]
    reasons += refused
    return ArenaFacts(
        models=tuple(entry.name for entry in group),
        wanted=wanted.name,
        candidates=wanted.candidates,
        near=wanted.near,
        needed=_smallest(known),
        head=max((need.nonpersistent for need in known), default=None),
        exact=complete and all(need.exact and need.refused is None for need in known),
        reasons=tuple(dict.fromkeys(reasons)),
        need_evidence=tuple(
            _need_evidence(entry, needs[entry.name]) for entry in group if entry.name in needs
        ),
        enough=_enough(known) if complete else None,
        required=_required(group),
        slack=next((entry.slack for entry in group if entry.slack is not None), None),
        refused=tuple(dict.fromkeys(refused)),
        aligns=all(entry.runtime != "plan-only" for entry in group),
    )


def _ending_at(need: ArenaNeed, wanted: _Wanted) -> ArenaNeed:
    """Return the need, no exact one where the arena ends elsewhere than it was computed for.

    Up to 15 bytes at the arena's end then may be padding; without them it ends as computed.
    """
    places = wanted.candidates
    if need.end is None or len(places) != 1 or places[0].span.size in POINTER_SIZES:
        return need
    end = places[0].span.end % ARENA_ALIGNMENT
    if end == need.end:
        return need
    reason = f"{places[0].name} ends {end} bytes past a multiple of {ARENA_ALIGNMENT}"
    enough = None if need.enough is None or need.end else need.enough + end
    return replace(need, exact=False, enough=enough, reasons=(*need.reasons, reason))


def _need_evidence(entry: ModelEntry, need: ArenaNeed) -> Evidence:
    text = f"{entry.name} needs {need.smallest} bytes of arena"
    if need.enough is not None and need.enough != need.smallest:
        text = f"{entry.name} needs {need.smallest} to {need.enough} bytes of arena"
    return Evidence(entry.file, None, text)


def _smallest(needs: Sequence[ArenaNeed]) -> int | None:
    """Return the least arena in which the models can take turns; None without any model.

    Heads overlap, tails add up; while a model starts, the tails of those before it are there.
    """
    before, smallest = 0, 0
    for need in needs:
        smallest = max(smallest, before + need.smallest)
        before += need.persistent
    head = max((need.nonpersistent for need in needs), default=0)
    return max(smallest, before + head) if needs else None


def _enough(needs: Sequence[ArenaNeed]) -> int | None:
    """Return an arena that suffices whatever is in doubt; None where a need has no such figure.

    For several models that are not exact it is the sum, as if each had an arena of its own.
    """
    bounds = [need.enough for need in needs if need.enough is not None and not need.refused]
    if len(bounds) < len(needs):
        return None
    if all(need.exact for need in needs):
        return _smallest(needs)
    return sum(bounds)


def _required(group: Sequence[ModelEntry]) -> tuple[int, Evidence] | None:
    """Return what the table says that the arena needs: the most that one of its models asks for."""
    declared = [(entry.arena_bytes, entry) for entry in group if entry.arena_bytes is not None]
    if not declared:
        return None
    size, entry = max(declared, key=lambda pair: pair[0])
    place = entry.declared
    text = f"{entry.name} needs {size} bytes of arena, by {entry.arena_reason}"
    return size, Evidence(place.file, place.line, text)
