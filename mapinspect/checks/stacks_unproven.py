"""stacks-unproven: nobody measured the stacks of the tasks.

An RTOS gives every task a stack of its own, and no other check sees inside them. Stacks of tasks,
of interrupts and of further cores are named here, with their sum, as long as no measurement says
how deep they were used; thread-local variables are named with them, since the image holds one copy
and every thread gets its own. Once measurements are given, a stack that they leave out is a
warning.

    warning[stacks-unproven]: 2 stacks of 5120 bytes were not measured: camera_stack 4096, idle 1024

Mend it by a log of the device (`--measured`): a task list, a thread analyzer, a dump of RAM.
"""

from collections.abc import Iterator

from mapinspect.checks.check import check
from mapinspect.model.finding import Finding, Outcome, Severity, holds, not_claimed
from mapinspect.model.inspection import Inspection

_SHOWN = 6  # stacks in one line


@check("stacks-unproven", "every stack of a task was measured", __doc__, worst="warning")
def stacks_unproven(inspection: Inspection) -> Iterator[Outcome]:
    """Name the stacks beside the main one that no measurement is about."""
    stacks = [item for item in inspection.reservations if item.kind == "stack"]
    if len(stacks) < 2:
        yield not_claimed("stacks", "there is at most one stack")
        return
    measured = {(item.reserved, item.span) for item in inspection.measured if item.counts}
    unproven = [item for item in stacks if (item.name, item.place) not in measured]
    if not unproven:
        yield holds("stacks")
        return
    total = sum(item.bytes for item in unproven)
    names = ", ".join(f"{item.name} {item.bytes}" for item in unproven[:_SHOWN])
    more = ", …" if len(unproven) > _SHOWN else ""
    message = f"{len(unproven)} stacks of {total} bytes were not measured: {names}{more}"
    if inspection.habits.thread_local:
        message += f"; each thread has its own {inspection.habits.thread_local} thread-local bytes"
    evidence = tuple(item.evidence for item in unproven[:_SHOWN])
    remedy = "give a log of the device: --measured FILE"
    severity = Severity.WARNING if measured else Severity.INFORMATION
    finding = Finding(severity, unproven[0].name, message, evidence, remedy)
    if measured:
        yield holds("stacks", finding)
    else:
        yield not_claimed("stacks", "no measurement is about them", finding)
