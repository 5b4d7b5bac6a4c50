"""What the models need of their arenas, against the symbols linked for them."""

from collections.abc import Iterable, Mapping

from mapinspect.analysis.locate import Surroundings, symbols
from mapinspect.model.arena import ArenaNeed
from mapinspect.model.budget import ModelEntry
from mapinspect.model.image import Evidence
from mapinspect.model.inspection import ArenaFacts

DEFAULT_SYMBOL = "*tensor_arena*"


def arena_facts(
    around: Surroundings, entries: Iterable[ModelEntry], needs: Mapping[str, ArenaNeed]
) -> tuple[ArenaFacts, ...]:
    """Return the facts about each arena; models that name the same one share it.

    Models that share an arena run one after the other: its head must hold the largest of
    theirs, its persistent tail all of them.
    """
    groups: dict[str, list[ModelEntry]] = {}
    for entry in entries:
        groups.setdefault(entry.arena or DEFAULT_SYMBOL, []).append(entry)
    return tuple(_facts(around, wanted, group, needs) for wanted, group in groups.items())


def _facts(
    around: Surroundings, wanted: str, group: list[ModelEntry], needs: Mapping[str, ArenaNeed]
) -> ArenaFacts:
    known = [needs[entry.name] for entry in group if entry.name in needs]
    complete = len(known) == len(group)
    needed = None
    if known:
        shared = max(need.nonpersistent for need in known) + sum(need.persistent for need in known)
        needed = max([shared, *(need.smallest for need in known)])
    return ArenaFacts(
        models=tuple(entry.name for entry in group),
        wanted=wanted,
        candidates=symbols(around, wanted),
        needed=needed,
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
