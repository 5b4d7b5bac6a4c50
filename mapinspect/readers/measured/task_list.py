"""FreeRTOS' task list: a row for each task, whose figure is what was never used of its stack.

Source of the formats: ``vTaskList`` of FreeRTOS' and ESP-IDF's ``tasks.c``. After the task's name
stand its state, priority, unused stack and number. The core is added behind them (FreeRTOS: a mask
in hexadecimal, older ESP-IDF: a number) or in front of the unused stack (newer ESP-IDF).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from mapinspect.readers.measured.findings import Findings, Line
from mapinspect.readers.measured.settings import Settings

_ROW = re.compile(r"\s([XRBSD])\s+(\d{1,3}(?:\s+(?:0x[0-9a-fA-F]{1,8}|-?\d{1,10})){2,4})\s*\Z")
_BEGUN = re.compile(r"\t[XRBSD]\t\s*\d")
_CORES = ("-1", "0", "1", "2147483647")  # ESP32s have two; the last is tskNO_AFFINITY as it is
_BEHIND, _BEFORE = 1, 2  # place of the unused stack among the figures after the state


@dataclass(frozen=True, slots=True)
class _Task:
    line: Line
    name: str
    figures: tuple[str, ...]  # priority, then as the dialect has them

    def places(self) -> tuple[int, ...]:
        """Return where the unused stack may stand among the figures."""
        figures = self.figures
        if len(figures) == 3 or figures[-1].startswith("0x"):
            return (_BEHIND,)
        behind = (_BEHIND,) if figures[3] in _CORES else ()
        return (*behind, _BEFORE) if figures[1] in _CORES else behind


class TaskList:
    """The rows of a log; which figure is which may show only in another row."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._tasks: dict[tuple[object, ...], _Task] = {}

    def read(self, line: Line) -> bool:
        """Take in a row; raises InputError for one that is cut or has columns of its own.

        vTaskList writes tabs; a log that lost them is read where its unit says what it is.
        """
        tabs = _BEGUN.search(line.text)
        found = _ROW.search(line.text)
        figures = tuple(found[2].split()) if found else ()
        if not tabs and (self._settings.task_unit is None or not 3 <= len(figures) <= 4):
            return False
        task = _Task(line, line.text[: found.start()].strip() if found else "", figures)
        if not 3 <= len(figures) <= 4 or not task.places():
            raise line.refuse(
                "is no whole row of vTaskList: state, priority, unused stack and number, "
                "perhaps the core",
                "give whole rows, or print key = value lines such as stack.NAME.peak = 488",
            )
        self._keep(task)
        return True

    def _keep(self, task: _Task) -> None:
        """Keep of each task the rows with least and most unused: a log may have millions."""
        for place in task.places():
            value = int(task.figures[place])
            for sign in (1, -1):
                key = (task.name, task.places(), len(task.figures), place, sign)
                known = self._tasks.get(key)
                if known is None or sign * value < sign * int(known.figures[place]):
                    self._tasks[key] = task

    def finish(self, findings: Findings) -> None:
        """Take in all rows.

        Raises InputError where unit or size is not stated: a guess would be wrong by a factor of
        four. Raises it also where no row tells which figure is the core.
        """
        tasks = tuple(dict.fromkeys(self._tasks.values()))
        known = {place for task in tasks for place in _certain(task)}
        columns = {len(task.figures) for task in tasks}
        for task in tasks:
            places = [place for place in task.places() if len(task.places()) == 1 or place in known]
            if len(places) != 1 or len(columns) > 1:
                raise task.line.refuse(
                    f"task {task.name} has figures of which any may be its unused stack",
                    "give the whole list, with all tasks and all columns",
                )
            self._peak(task, int(task.figures[places[0]]), findings)

    def _peak(self, task: _Task, unused: int, findings: Findings) -> None:
        line, name, unit = task.line, task.name, self._settings.task_unit
        if unit is None:
            raise line.refuse(
                f"task {name} has {unused} unused of its stack, words or bytes?",
                "state the unit: bytes for ESP-IDF, else words and their size",
            )
        size = self._settings.stack_sizes.get(name)
        if size is None:
            raise line.refuse(f"the stack size of task {name} is not stated", "state it in bytes")
        free = unused * unit
        if not 0 <= free <= size:
            raise line.refuse(
                f"task {name} has {free} bytes unused of a stack of {size}", "check unit and size"
            )
        findings.peak(line, (f"stack.{name}.peak", "stack", name), size - free, size)


def _certain(task: _Task) -> Iterator[int]:
    """Yield the unused stack's place where a row with a core's number leaves no choice."""
    places = task.places()
    if len(places) == 1 and len(task.figures) == 4 and not task.figures[-1].startswith("0x"):
        yield places[0]
