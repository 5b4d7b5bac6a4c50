"""static-constructors: code runs before main, and may allocate there.

C++ objects with static storage are constructed before `main`, when neither clocks nor memories nor
the heap's lock are set up, and in an order that no source states. They are shown as information
by the names in the constructor tables (`.init_array`, `.ctors`); where code that allocates from a
heap is linked too, one of them may call it, and that is a warning. With `heap = "none"` in
`[project]` the allocator itself is the failure.

    warning[static-constructors]: 2 functions run before main and malloc is linked: _GLOBAL__sub_I_x

Mend it by making the objects `constinit` or local, or by constructing them in `main`.
"""

from collections.abc import Iterator

from mapinspect.checks.check import check
from mapinspect.model.finding import Finding, Outcome, Severity, holds, not_claimed
from mapinspect.model.inspection import Inspection

_SHOWN = 4  # names in a message


@check(
    "static-constructors", "nothing that may allocate runs before main", __doc__, worst="warning"
)
def static_constructors(inspection: Inspection) -> Iterator[Outcome]:
    """Name the constructors; they matter more where something allocates."""
    found, allocators = inspection.habits.constructors, inspection.habits.allocators
    if inspection.elf is None:
        yield not_claimed("constructors", "no ELF is given")
        return
    if not found:
        yield holds("constructors")
        return
    names = ", ".join(found[:_SHOWN]) + (", …" if len(found) > _SHOWN else "")
    plural = "functions run" if len(found) > 1 else "function runs"
    besides = f" and {allocators[0].name} is linked" if allocators else ""
    message = f"{len(found)} {plural} before main{besides}: {names}"
    severity = Severity.WARNING if allocators else Severity.INFORMATION
    evidence = tuple(item.evidence for item in allocators[:1])
    remedy = "construct them in main, or make them constinit"
    yield holds("constructors", Finding(severity, found[0], message, evidence, remedy))
