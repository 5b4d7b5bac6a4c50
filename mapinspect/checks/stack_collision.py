"""stack-collision: a stack runs into something, or a heap into it.

Stacks grow down without a word. Broken is what must go wrong: a section or another reserve lies in
the bytes of a stack, at its address or, where the part is known (`mcu`), at another one of the same
memory; a section lies in a heap, or where one begins that takes the rest of RAM; labels let a stack
or heap leave its memory; or nothing is left below the main stack's top. A warning is what goes
wrong one day: a heap with no limit but the stack pointer of the moment (`_sbrk` of many start-up
files), or with a limit beyond a section or stack that it meets before; or a main stack that nothing
is reserved for, while no `[[budget]]` row of kind stack demands a `min`: whatever is left is then
taken for enough. Information is what an overflow would hit at once where no guard is linked (MPU
region, stack limit, canary).

    error[stack-collision]: .persist lies in 256 bytes of the stack main, at 0x20017f00

Mend it by moving what lies there, by a limit such as `__HeapLimit` in the script, by a guard;
state what the stack needs by `min`.
"""

from collections.abc import Iterator, Sequence

from mapinspect.checks.check import check
from mapinspect.model.finding import Finding, Outcome, Severity, broken, holds, not_claimed
from mapinspect.model.habits import Collision
from mapinspect.model.image import Evidence, Span
from mapinspect.model.inspection import Inspection
from mapinspect.model.reservation import Neighbour, Reservation

_TOUCHING = 64  # bytes; a smaller gap is crossed by one call
_SHOWN = 4  # stacks in one line


@check("stack-collision", "nothing lies in a stack, and nothing grows into it", __doc__)
def stack_collision(inspection: Inspection) -> Iterator[Outcome]:
    """Judge every stack by what lies in it, above the heap and below itself."""
    stacks = [item for item in inspection.reservations if item.kind == "stack"]
    collisions = [item for item in inspection.margins.collisions if _is_used(inspection, item)]
    strays = [item for item in inspection.margins.strays if _is_used(inspection, item)]
    yield from map(_collision, collisions)
    yield from map(_stray, strays)
    hit = {item.reserve.name for item in collisions if item.reserve.kind == "stack"}
    if not stacks and inspection.margins.room is None and not strays:
        yield not_claimed("stack", "nothing says where a stack is")
        return
    if inspection.margins.room is not None and not _starts_in_one(inspection, stacks):
        yield _room(inspection)
    for warned in (_unbounded(inspection), _grows_over(inspection)):
        if warned is not None:
            yield holds("heap", warned)
    for stack in stacks:
        if stack.elastic and stack.name not in hit:
            yield holds(stack.name, *_unstated(inspection, stack.bytes, (stack.evidence,)))
    for finding in _reaching(inspection, stacks):
        yield holds(finding.subject, finding)
    free = [stack for stack in stacks if stack.name not in hit]
    if free:
        yield holds(free[0].name, *_touching(inspection, free))


def _is_used(inspection: Inspection, found: Collision) -> bool:
    """Return whether a collision does harm: a heap that only may grow needs someone who asks."""
    return not found.reserve.elastic or bool(inspection.habits.allocators)


def _collision(found: Collision) -> Outcome:
    reserve = found.reserve
    place = reserve.place
    seen = ""
    if place is not None and not place.contains(found.span):
        seen = ", another address of the same memory"
    size = f"{found.span.size} bytes" if not reserve.elastic else "the first byte"
    message = (
        f"{found.other} lies in {size} of the {reserve.kind} {reserve.name}, "
        f"at {found.span.start:#010x}{seen}"
    )
    evidence = (found.evidence, reserve.evidence)
    return broken(reserve.name, message, evidence, "move one of them in the linker script")


def _stray(found: Collision) -> Outcome:
    reserve = found.reserve
    message = (
        f"{found.span.size} bytes of the {reserve.kind} {reserve.name} lie outside {found.other}, "
        f"at {found.span.start:#010x}, where no memory is"
    )
    evidence = (reserve.evidence, found.evidence)
    return broken(reserve.name, message, evidence, "end it where the memory ends, in the script")


def _starts_in_one(inspection: Inspection, stacks: Sequence[Reservation]) -> bool:
    """Return whether the main stack starts in a stack that is reserved, as far as is known."""
    start = inspection.margins.start
    if not stacks or start is None or not start.is_loaded:
        return bool(stacks)
    first = Span(start.address - 1, 1)
    return any(item.place is None or item.place.contains(first) for item in stacks)


def _room(inspection: Inspection) -> Outcome:
    """Judge a stack of which only the top is known: some bytes must be left for it."""
    room, start = inspection.margins.room, inspection.margins.start
    evidence = () if start is None else (start.evidence,)
    if room:
        return holds("stack", *_unstated(inspection, room, evidence))
    message = "no byte is left below the stack's top"
    return broken("stack", message, evidence, "reserve it in the linker script")


def _unstated(
    inspection: Inspection, room: int, evidence: tuple[Evidence, ...]
) -> Iterator[Finding]:
    """Yield the warning of a stack of which nothing says how large it must be."""
    rows = inspection.table.budgets
    if any(row.kind == "stack" and row.minimum is not None for row in rows):
        return
    message = (
        f"nothing is reserved for the stack, and no row says what it needs: {room} bytes are left"
    )
    remedy = 'reserve it in the linker script, or demand a min in a [[budget]] row of kind "stack"'
    yield Finding(Severity.WARNING, "stack", message, evidence, remedy)


def _unbounded(inspection: Inspection) -> Finding | None:
    """Return the warning of a heap whose only limit is the stack pointer."""
    habits = inspection.habits
    heap = next(
        (item for item in inspection.reservations if item.convention == "sbrk" and item.elastic),
        None,
    )
    if heap is None or not habits.allocators or not habits.sbrk:
        return None
    if _has_limit(inspection, heap):
        return None
    message = (
        f"the heap grows from {heap.evidence.text.removeprefix('from ')} with no limit but the "
        f"stack pointer: {habits.sbrk[0]} knows no other"
    )
    evidence = (heap.evidence, habits.allocators[0].evidence)
    remedy = "define __HeapLimit in the script and let _sbrk stop there"
    return Finding(Severity.WARNING, heap.name, message, evidence, remedy)


def _has_limit(inspection: Inspection, heap: Reservation) -> bool:
    """Return whether the code of ``_sbrk`` has the address of a limit, whatever its name.

    The stack's top is none: a heap may then take all that the stack has.
    """
    start, place = inspection.margins.start, heap.place
    top = None if start is None else start.address
    return place is not None and any(
        place.start < word <= place.end and word != top for word in inspection.habits.sbrk_words
    )


def _grows_over(inspection: Inspection) -> Finding | None:
    """Return the warning of a heap that a section lies in the way of."""
    found = (item for item in inspection.reservations if item.grows_over is not None)
    heap = next(found, None)
    if heap is None or not inspection.habits.allocators:
        return None
    most = max(heap.bytes, heap.grows_to or 0)
    message = f"the heap {heap.name} grows over {heap.grows_over} once it has {most} bytes"
    evidence = (heap.evidence, inspection.habits.allocators[0].evidence)
    remedy = "let its limit end below that section, or move the section"
    return Finding(Severity.WARNING, heap.name, message, evidence, remedy)


def _reaching(inspection: Inspection, stacks: Sequence[Reservation]) -> Iterator[Finding]:
    """Yield a warning for each stack that a heap may grow into before its own limit stops it."""
    if not inspection.habits.allocators:
        return
    for heap in inspection.reservations:
        if heap.kind != "heap" or heap.place is None or not (heap.elastic or heap.grows_to):
            continue
        reach = Span(heap.place.start, max(heap.place.size, heap.grows_to or 0))
        for stack in stacks:
            if stack.place is None or stack.elastic or not reach.overlap(stack.place):
                continue
            message = (
                f"the heap {heap.name} may grow up to {reach.end:#010x}, into the stack "
                f"{stack.name} at {stack.place.start:#010x}"
            )
            evidence = (heap.evidence, stack.evidence)
            remedy = "end the heap where the stack begins, in the linker script"
            yield Finding(Severity.WARNING, heap.name, message, evidence, remedy)


def _touching(inspection: Inspection, stacks: Sequence[Reservation]) -> Iterator[Finding]:
    """Yield, as one line, what overflows hit at once where nothing would notice."""
    found = [
        (stack, stack.below)
        for stack in stacks
        if stack.below is not None and stack.below.gap < _TOUCHING
    ]
    if not found or inspection.habits.guards:
        return
    more = f", and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    hits = "; ".join(_hit(stack, below) for stack, below in found[:_SHOWN])
    message = f"an overflow goes unnoticed, no guard is linked: {hits}{more}"
    evidence = tuple(stack.evidence for stack, _ in found[:_SHOWN])
    remedy = "put an MPU region or the end of RAM below the stack, or build with a stack protector"
    yield Finding(Severity.INFORMATION, found[0][0].name, message, evidence, remedy)


def _hit(stack: Reservation, below: Neighbour) -> str:
    return f"{stack.name} would overwrite {below.name}"
