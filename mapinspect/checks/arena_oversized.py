"""arena-oversized: a tensor arena is much larger than its models need.

An arena is the largest single block of RAM in most firmware; what it has too much, nobody else
can use. A little more than needed is no waste: up to a tenth, at least 1 KiB, or what the model's
entry allows (`slack = "20%"`). Where the need is a range, its upper end counts; where only a lower
bound is known, nothing is said.

    warning[arena-oversized]: tensor_arena has 8192 bytes more than the 12000 it needs

Mend it by making the array smaller, or allow the slack in the model's entry.
"""

from collections.abc import Iterator

from mapinspect.checks.check import check
from mapinspect.model.arena_room import lost, slack_allowed
from mapinspect.model.finding import Finding, Outcome, Severity, holds, not_claimed
from mapinspect.model.inspection import ArenaFacts, Inspection, Located


@check(
    "arena-oversized",
    "no tensor arena is much larger than its models need",
    __doc__,
    worst="warning",
)
def arena_oversized(inspection: Inspection) -> Iterator[Outcome]:
    """Compare what each arena has too much with what is allowed."""
    if not inspection.arenas:
        yield not_claimed("arena", "no model is given")
    for arena in inspection.arenas:
        allowed, place = slack_allowed(arena), arena.place
        if place is None or arena.is_pointer or not place.span.size:
            yield not_claimed(arena.wanted, "the arena is no array whose size is known")
        elif allowed is None or arena.sufficient is None:
            yield not_claimed(place.name, "only a lower bound of the need is known")
        else:
            yield _judge(arena, place, max(arena.sufficient, _declared(arena)), allowed)


def _declared(arena: ArenaFacts) -> int:
    return 0 if arena.required is None else arena.required[0]


def _judge(arena: ArenaFacts, place: Located, needed: int, allowed: int) -> Outcome:
    more = place.span.size - lost(arena) - needed
    if more <= allowed:
        return holds(place.name)
    message = f"{place.name} has {more} bytes more than the {needed} it needs"
    evidence = (*arena.need_evidence, place.evidence)
    remedy = f"make it {needed} bytes, or allow it: slack in the model's entry"
    return holds(place.name, Finding(Severity.WARNING, place.name, message, evidence, remedy))
