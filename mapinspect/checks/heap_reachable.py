"""heap-reachable: code that allocates from a heap is linked.

Inference should not depend on a heap: an allocation can fail after days, and fragmentation shows
in no build. The functions of the C library, the C++ runtime and RTOSes that hand out memory are
looked for among the linked symbols. They are shown as information; a project that declares
`heap = "none"` in `[project]` promises that none is linked, and then one is a failure.

Mend it by removing the caller that the map names, or by dropping the promise.
"""

from collections.abc import Iterator

from mapinspect.checks.check import check
from mapinspect.model.finding import Finding, Outcome, Severity, broken, holds, not_claimed
from mapinspect.model.inspection import Inspection


@check("heap-reachable", "no code that allocates from a heap is linked", __doc__)
def heap_reachable(inspection: Inspection) -> Iterator[Outcome]:
    """Name the linked allocators and who asked for them."""
    allocators = inspection.habits.allocators
    if inspection.elf is None or inspection.elf.stripped:
        yield not_claimed("heap", "without symbols no allocator can be looked for")
        return
    if not allocators:
        yield holds("heap")
        return
    names = ", ".join(item.name for item in allocators)
    message = f"{names}: code that allocates from a heap is linked"
    evidence = (*inspection.habits.requests, *(item.evidence for item in allocators[:3]))
    remedy = "remove the callers, or see who pulls it in: mapinspect why malloc"
    if inspection.table.heap == "none":
        yield broken(allocators[0].name, message, evidence, remedy)
    else:
        finding = Finding(Severity.INFORMATION, "heap", message, evidence, remedy)
        yield not_claimed("heap", 'the table does not promise heap = "none"', finding)
