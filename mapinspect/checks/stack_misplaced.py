"""stack-misplaced: a stack lies where the processor cannot use it.

Every stack, the main one and those of RTOS tasks, must lie whole in a memory that can be written,
and the main stack must begin where the calling convention wants it: on a multiple of 8 bytes on
ARM, of 16 on RISC-V. A stack in Flash or across two banks faults at the first interrupt; a
misaligned one breaks `printf("%f")` and 64-bit loads. RTOSes align the stacks of their tasks.
What a Cortex-M loads as stack pointer at reset, the vector table's first word, counts before any
label: scripts are copied from larger parts, and a stack that begins past the RAM's end ends the
program with its first push.

    error[stack-misplaced]: the stack main begins at 0x20017ffc, no multiple of 8

Mend it in the linker script: `_estack = ORIGIN(RAM) + LENGTH(RAM);`.
"""

from collections.abc import Iterator
from typing import Final

from mapinspect.checks.check import check
from mapinspect.model.finding import Outcome, Status, broken, holds, not_claimed
from mapinspect.model.habits import StackStart
from mapinspect.model.image import Span
from mapinspect.model.inspection import Inspection
from mapinspect.model.region_kind import RAM_KINDS
from mapinspect.model.reservation import Reservation

# Bytes. Procedure Call Standard for the Arm Architecture, 6.2.1.2; RISC-V ELF psABI, 2.1.
_ALIGNMENTS: Final = {"ARM": 8, "AARCH64": 16, "RISCV": 16, "XTENSA": 16}
_MAIN: Final = ("main", "core 0")
_REMEDY: Final = "place it in a RAM region of the linker script"


@check("stack-misplaced", "every stack lies in RAM, aligned as the processor wants it", __doc__)
def stack_misplaced(inspection: Inspection) -> Iterator[Outcome]:
    """Judge the place of every stack whose place is known."""
    stacks = [item for item in inspection.reservations if item.kind == "stack" and item.place]
    start = inspection.margins.start
    if not stacks and (start is None or not inspection.regions):
        yield not_claimed("stack", "nothing says where a stack is")
    elif start is not None and inspection.regions and (start.is_loaded or not stacks):
        begins = _judge_start(inspection, start)
        if not stacks or begins.status is Status.BROKEN:
            yield begins
    for stack in stacks:
        assert stack.place is not None
        yield _judge(inspection, stack, stack.place)


def _judge_start(inspection: Inspection, start: StackStart) -> Outcome:
    """Judge the address that the stack pointer begins with, whatever is reserved below it."""
    at = f"{start.address:#010x}"
    if start.home is None:
        message = f"the stack begins at {at}, where no memory is"
        return broken("stack", message, (start.evidence,), _REMEDY)
    if inspection.kind(start.home) not in (*RAM_KINDS, None):
        message = f"the stack begins at {at} in {start.home}, no RAM"
        return broken("stack", message, (start.evidence,), _REMEDY)
    return holds("stack")


def _judge(inspection: Inspection, stack: Reservation, place: Span) -> Outcome:
    machine = inspection.elf.machine if inspection.elf else ""
    alignment = _ALIGNMENTS.get(machine, 1)
    home = next((item for item in inspection.regions if item.span.contains(place)), None)
    where = f"{place.start:#010x} to {place.end:#010x}"
    if home is None and inspection.regions:
        message = f"the stack {stack.name} lies in no one region, at {where}"
        return broken(stack.name, message, (stack.evidence,), _REMEDY)
    kinds = [inspection.kind(item.name) for item in inspection.regions if item.span.contains(place)]
    if kinds and not any(kind in (*RAM_KINDS, None) for kind in kinds):
        message = f"the stack {stack.name} lies in {home.name if home else ''}, no RAM, at {where}"
        return broken(stack.name, message, (stack.evidence,), _REMEDY)
    if stack.name in _MAIN and place.end % alignment:
        message = f"the stack {stack.name} begins at {place.end:#010x}, no multiple of {alignment}"
        return broken(stack.name, message, (stack.evidence,), "align its top in the linker script")
    return holds(stack.name)
