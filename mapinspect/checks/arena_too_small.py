"""arena-too-small: a tensor arena is smaller than its models need.

The need is planned from the model: every activation tensor gets an offset, and the highest end is
what the arena must hold. An arena that does not start on a 16-byte boundary loses the bytes up to
the next one. What an image leaves open about its runtime makes the need a range: an arena below it
is broken, one above it holds, one inside is undecided. Where only a lower bound is known, a
measurement of this very build, marked with its build-id, decides, or a requirement that the table
declares, with its reason. An arena on the heap is judged by the constant that names its size
(`kTensorArenaSize`), which debug information keeps; where the heap puts it nobody knows, so that up
to 30 bytes of it may be lost.

    error[arena-too-small]: tensor_arena has 8192 usable bytes and needs 12000, 3808 too few

Mend it by raising the array's size to the need stated; when the need is a lower bound, name the
runtime, target and kernels in the model's entry, give a log with `arena_used` and `build_id`, or
declare `arena-bytes` with `arena-reason`.
"""

from collections.abc import Iterator

from mapinspect.checks.check import check
from mapinspect.model.arena_room import ARENA_ALIGNMENT, lost
from mapinspect.model.finding import Outcome, broken, holds, not_claimed, undecided
from mapinspect.model.image import Evidence
from mapinspect.model.inspection import ArenaFacts, Inspection, Located
from mapinspect.model.measurement import Build, Weighed

# What an arena at any address has less than one that begins and ends at a multiple of 16.
_UNALIGNED = 2 * (ARENA_ALIGNMENT - 1)


@check("arena-too-small", "every tensor arena is as large as its models need", __doc__)
def arena_too_small(inspection: Inspection) -> Iterator[Outcome]:
    """Compare each arena's usable bytes with what its models need."""
    if not inspection.arenas:
        yield not_claimed("arena", "no model is given")
    for arena in inspection.arenas:
        place = arena.place
        if arena.size_constant is not None and arena.needed is not None:
            yield _on_heap(arena, *arena.size_constant)
        elif place is None:
            yield _not_found(inspection, arena)
        elif place.span.size == 0:
            message = f"{place.name} has no size in the ELF"
            yield undecided(place.name, message, (place.evidence,), "define the arena as an array")
        elif arena.needed is None:
            message = f"what {', '.join(arena.models)} needs of {place.name} is unknown"
            yield undecided(place.name, message, (place.evidence,), "give the model file")
        else:
            yield _compare(arena, place, arena.needed, _measured(inspection, place))


def _not_found(inspection: Inspection, arena: ArenaFacts) -> Outcome:
    if not arena.candidates:
        image = inspection.elf.path if inspection.elf else inspection.table.path
        message = f"no symbol matches {arena.wanted}, so the arena's size is unknown"
        evidence = (Evidence(image, None, f"no symbol matches {arena.wanted}"),)
        remedy = 'name it: models = [{ …, arena = "SYMBOL" }]; an arena on the heap has no symbol'
        if arena.near:
            remedy = f"did you mean {arena.near[0]}? write it as arena of the model's entry"
        return undecided(arena.wanted, message, evidence, remedy)
    names = ", ".join(place.name for place in arena.candidates)
    message = f"{len(arena.candidates)} symbols could be the arena {arena.wanted}: {names}"
    candidates = tuple(place.evidence for place in arena.candidates)
    return undecided(arena.wanted, message, candidates, "name the one that is the arena")


def _measured(inspection: Inspection, place: Located) -> Weighed | None:
    """Return the highest peak of the arena that was measured on this very build."""
    own = [
        item
        for item in inspection.measured
        if item.build is Build.SAME and item.item.kind == "arena" and item.span == place.span
    ]
    return max(own, key=lambda item: item.item.bytes, default=None)


def _compare(arena: ArenaFacts, place: Located, needed: int, measured: Weighed | None) -> Outcome:
    missed = lost(arena)
    # A symbol may state more bytes than its section holds; what lies behind belongs to others.
    room = min(place.span.end, place.section.vma + place.section.size) - place.span.start
    usable = max(0, room - missed)
    evidence = (*arena.need_evidence, place.evidence)
    if arena.is_pointer:
        message = f"{place.name} is {place.span.size} bytes, a pointer: the arena is elsewhere"
        return undecided(place.name, message, evidence, "name the arena's array, not its pointer")
    if usable < needed:
        at_least = "" if arena.exact else "at least "
        loss = f" ({missed} lost to alignment)" if missed else ""
        message = (
            f"{place.name} has {usable} usable bytes{loss} and needs {at_least}{needed}, "
            f"{needed - usable} too few"
        )
        remedy = f"make the arena at least {needed} bytes, aligned to {ARENA_ALIGNMENT}"
        return broken(place.name, message, evidence, remedy)
    # A peak may be of one alone of the models that share the arena; below the bound it surely is.
    alone = arena.required is None and len(arena.models) == 1
    if alone and measured is not None and measured.item.bytes >= needed:
        return holds(place.name)
    return _above_the_bound(arena, place.name, usable, evidence)


def _above_the_bound(
    arena: ArenaFacts, name: str, usable: int, evidence: tuple[Evidence, ...]
) -> Outcome:
    """Judge an arena that is not below what is computed, where that may be a lower bound."""
    if arena.required is not None:
        return _declared(arena, name, usable, arena.required)
    if arena.sufficient is not None and usable >= arena.sufficient:
        return holds(name)
    reasons = "; ".join(arena.reasons) or "not every part of the need is known"
    remedy = "name runtime, target and kernels in the model's entry, or declare arena-bytes"
    if arena.sufficient is None:
        message = f"{name} needs at least {arena.needed} bytes: {reasons}"
        return undecided(name, message, evidence, remedy)
    needs = f"{arena.needed} to {arena.sufficient}"
    message = f"{name} has {usable} usable bytes and needs {needs}: {reasons}"
    remedy = f"make the arena {arena.sufficient} bytes, or {remedy}"
    return undecided(name, message, evidence, remedy)


def _declared(arena: ArenaFacts, name: str, usable: int, required: tuple[int, Evidence]) -> Outcome:
    """Judge by the requirement of the table, unless the computed need contradicts it."""
    size, declared = required
    evidence = (declared, *arena.need_evidence)
    if arena.needed is not None and size < arena.needed:
        at_least = "" if arena.exact else "at least "
        message = f"{name} needs {at_least}{arena.needed} bytes, the table declares only {size}"
        return undecided(name, message, evidence, "mend arena-bytes in the model's entry")
    if usable < size:
        message = f"{name} has {usable} usable bytes, {size - usable} fewer than the table declares"
        return broken(name, message, evidence, f"make the arena at least {size} bytes")
    if arena.refused:
        message = f"no size of {name} is enough by what is computed: {'; '.join(arena.refused)}"
        return undecided(name, message, evidence, "mend the model, or give a log of this build")
    return holds(name)


def _on_heap(arena: ArenaFacts, size: int, constant: Evidence) -> Outcome:
    """Judge an arena that is taken at run time by the constant that says how large it is."""
    name = arena.place.name if arena.place else arena.wanted
    evidence = (*arena.need_evidence, constant)
    assert arena.needed is not None
    if size < arena.needed:
        message = f"{name} on the heap is {size} bytes, {arena.needed - size} too few"
        return broken(name, message, evidence, f"allocate at least {arena.needed} bytes")
    suffices = arena.required[0] if arena.required else arena.sufficient
    if suffices is not None and suffices <= size < suffices + _UNALIGNED:
        message = (
            f"{name} on the heap is {size} bytes and needs {suffices} between multiples of "
            f"{ARENA_ALIGNMENT}; where the heap puts it is not known"
        )
        remedy = f"allocate {suffices + _UNALIGNED} bytes, or make it an array"
        return undecided(name, message, evidence, remedy)
    return _above_the_bound(arena, name, size, evidence)
