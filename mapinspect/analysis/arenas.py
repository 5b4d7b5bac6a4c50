"""What the models need of their arenas, against the symbols linked for them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from mapinspect.analysis.locate import Surroundings, symbols
from mapinspect.model.arena import ArenaNeed
from mapinspect.model.budget import ModelEntry
from mapinspect.model.elf_file import SymbolKind
from mapinspect.model.image import Evidence, Span
from mapinspect.model.inspection import ArenaFacts, Located

DEFAULT_SYMBOL = "*tensor_arena*"


def arena_facts(
    around: Surroundings, entries: Iterable[ModelEntry], needs: Mapping[str, ArenaNeed]
) -> tuple[ArenaFacts, ...]:
    """Return the facts about each arena; models whose arena is the same memory share it.

    Models that share an arena run one after the other: its head must hold the largest of
    theirs, its persistent tail all of them.
    """
    groups: dict[str | Span, tuple[_Wanted, list[ModelEntry]]] = {}
    for entry in entries:
        wanted = _look_for(around, entry.arena or DEFAULT_SYMBOL)
        places = wanted.candidates
        key = places[0].span if len(places) == 1 else wanted.name
        groups.setdefault(key, (wanted, []))[1].append(entry)
    return tuple(_facts(wanted, group, needs) for wanted, group in groups.values())


@dataclass(frozen=True, slots=True)
class _Wanted:
    """The symbols that can be the arena of this name, and those whose names come near it."""

    name: str
    candidates: tuple[Located, ...]
    near: tuple[str, ...]


def _look_for(around: Surroundings, name: str) -> _Wanted:
    found = [place for place in symbols(around, name) if not _is_function(around, place)]
    written = [place for place in found if place.section.writable]
    # What cannot be written is no arena, such as a constant that says how large the arena is.
    candidates = tuple(written or found)
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
            yield symbol.name


def _facts(wanted: _Wanted, group: list[ModelEntry], needs: Mapping[str, ArenaNeed]) -> ArenaFacts:
    known = [needs[entry.name] for entry in group if entry.name in needs]
    complete = len(known) == len(group)
    needed = None
    if known:
        shared = max(need.nonpersistent for need in known) + sum(need.persistent for need in known)
        needed = max([shared, *(need.smallest for need in known)])
    return ArenaFacts(
        models=tuple(entry.name for entry in group),
        wanted=wanted.name,
        candidates=wanted.candidates,
        near=wanted.near,
        needed=needed,
        head=max((need.nonpersistent for need in known), default=None),
        exact=complete and all(need.exact and need.refused is None for need in known),
        reasons=tuple(reason for need in known for reason in need.reasons),
        need_evidence=tuple(
            Evidence(
                entry.file, None, f"{entry.name} needs {needs[entry.name].smallest} bytes of arena"
            )
            for entry in group
            if entry.name in needs
        ),
    )
