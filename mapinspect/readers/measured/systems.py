"""Lines that RTOSes and runtimes print about stacks, heaps and arenas.

Source of the formats: FreeRTOS ``vTaskList``, Zephyr's thread analyzer, ESP-IDF
``heap_caps_print_heap_info``, TensorFlow Lite Micro's ``RecordingMicroAllocator``.
"""

import re

from mapinspect.readers.measured.findings import Findings, Line
from mapinspect.readers.measured.settings import Settings

# After the task's name: state (X R B S D), priority, unused stack, number, and perhaps the core.
_TASK = re.compile(r"\s([XRBSD])\s+(\d{1,3})\s+(\d{1,9})\s+(\d{1,5})(?:\s+-?\d{1,2})?\s*\Z")
_STACK = ": STACK:"
_THREAD = re.compile(r"\s*unused\s+(\d{1,9})\s+usage\s+(\d{1,9})\s*/\s*(\d{1,9})\s*\(.*")
_TOTALS = re.compile(r"\s*Totals:\s*")
_HEAP = re.compile(
    r"\s*free\s+(\d{1,12})\s+allocated\s+(\d{1,12})\s+min_free\s+(\d{1,12})"
    r"\s+largest_free_block\s+(\d{1,12})\b.*"
)
_ALLOCATOR = "[RecordingMicroAllocator] "
_ARENA = re.compile(r"Arena allocation (total|head|tail) (\d{1,12}) bytes\s*")


def read_task(line: Line, findings: Findings, settings: Settings) -> bool:
    """Take in a row of FreeRTOS' task list, whose figure is what was never used of the stack.

    Raises InputError where its unit or the stack's size is not stated: a guess would be wrong by
    a factor of four.
    """
    found = _TASK.search(line.text)
    # vTaskList writes tabs; a log that lost them is read where its unit says what it is.
    if found is None or (settings.task_unit is None and "\t" not in line.text):
        return False
    name, unused = line.text[: found.start()].strip(), int(found[3])
    if settings.task_unit is None:
        raise line.refuse(
            f"task {name} has {unused} unused of its stack, words or bytes?",
            "state the unit: bytes for ESP-IDF, else words and their size",
        )
    size = settings.stack_sizes.get(name)
    if size is None:
        raise line.refuse(f"the stack size of task {name} is not stated", "state it in bytes")
    free = unused * settings.task_unit
    if free > size:
        raise line.refuse(
            f"task {name} has {free} bytes unused of a stack of {size}", "check unit and size"
        )
    findings.peak(line, (f"stack.{name}.peak", "stack", name), size - free, size)
    return True


def read_thread(line: Line, findings: Findings) -> bool:
    """Take in a line of Zephyr's thread analyzer; raises InputError when it contradicts itself."""
    name, stack, figures = line.text.partition(_STACK)
    found = _THREAD.fullmatch(figures) if stack else None
    if found is None:
        return False
    name, (unused, used, size) = name.strip(), (int(number) for number in found.groups())
    if unused + used != size:
        raise line.refuse(
            f"{unused} unused and {used} used are not the {size} of thread {name}",
            "give the log as the device printed it",
        )
    findings.peak(line, (f"stack.{name}.peak", "stack", name), used, size)
    return True


class HeapReport:
    """ESP-IDF's heap report: the figures stand on the line after ``Totals:``."""

    def __init__(self) -> None:
        self._expected = False

    def read(self, line: Line, findings: Findings) -> bool:
        """Take in a line; return whether it belongs to the totals of a report."""
        if _TOTALS.fullmatch(line.text):
            self._expected = True
            return True
        if not self._expected or not line.text.strip():
            return False
        self._expected = False
        found = _HEAP.fullmatch(line.text)
        if found is None:
            raise line.refuse("totals of a heap report are not here", "give the whole report")
        free, allocated, least, _largest = (int(number) for number in found.groups())
        size = free + allocated
        if least > free:
            raise line.refuse(
                f"min_free {least} is more than free {free}", "give the report as it was printed"
            )
        findings.peak(line, ("heap.peak", "heap", "heap_caps"), size - least, size)
        findings.heap(allocated)
        return True


def read_arena(line: Line, findings: Findings) -> bool:
    """Take in a line of TFLM's recording allocator: the arena's total, head and tail."""
    _, allocator, said = line.text.partition(_ALLOCATOR)
    found = _ARENA.fullmatch(said)
    if not allocator or found is None:
        return bool(allocator)  # a line about one kind of record: part of the total
    name = {"total": "arena.used", "head": "arena.head", "tail": "arena.tail"}[found[1]]
    findings.peak(line, (name, "arena", "arena"), int(found[2]))
    return True
