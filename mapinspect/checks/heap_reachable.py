"""heap-reachable: code that allocates from a heap is linked.

Inference should not depend on a heap: an allocation can fail after days, and fragmentation shows
in no build. The functions of the C library, the C++ runtime and RTOSes that hand out memory are
looked for among the linked symbols, and the map says who asked for them. They are shown as
information; a project that declares `heap = "none"` in `[project]` promises that none is linked,
and then one is a failure.

    error[heap-reachable]: malloc allocates from a heap and is linked: node.o asks for malloc

Mend it by removing the caller that the map names (`mapinspect why`), or by dropping the promise.
"""

from collections.abc import Iterator, Sequence

from mapinspect.checks.check import check
from mapinspect.model.finding import (
    Finding,
    Outcome,
    Severity,
    broken,
    holds,
    not_claimed,
    undecided,
)
from mapinspect.model.inspection import Inspection

_SHOWN = 4  # names in a message; more say nothing new


@check("heap-reachable", "no code that allocates from a heap is linked", __doc__)
def heap_reachable(inspection: Inspection) -> Iterator[Outcome]:
    """Name the linked allocators and who asked for them."""
    allocators = inspection.habits.allocators
    promised = inspection.table.heap == "none"
    if inspection.elf is None or inspection.elf.stripped:
        reason = "without symbols no allocator can be looked for"
        remedy = "give the ELF before it is stripped"
        yield undecided("heap", reason, (), remedy) if promised else not_claimed("heap", reason)
        return
    if not allocators:
        yield holds("heap") if promised else not_claimed("heap", "nothing that allocates is linked")
        return
    requests = inspection.habits.requests
    message = _message([item.name for item in allocators])
    if requests:
        message += f": {requests[0].text}"
    evidence = (*requests[:3], *(item.evidence for item in allocators[:3]))
    remedy = "remove the callers; mapinspect why names who pulls an object in"
    if promised:
        yield broken(allocators[0].name, message, evidence, remedy)
    else:
        finding = Finding(Severity.INFORMATION, "heap", message, evidence, remedy)
        yield not_claimed("heap", 'the table does not promise heap = "none"', finding)


def _message(names: Sequence[str]) -> str:
    if len(names) == 1:
        return f"{names[0]} allocates from a heap and is linked"
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"{', '.join(names[:_SHOWN])}{more} allocate from a heap and are linked"
