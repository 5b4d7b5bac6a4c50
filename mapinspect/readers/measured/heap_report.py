"""ESP-IDF's heap reports, as ``heap_caps_print_heap_info`` prints them.

A report names the capabilities it is about, lists its heaps with their lengths, and ends with the
totals. What is neither free nor allocated are the headers of blocks: use is what was never free.
"""

import re
from dataclasses import dataclass, replace

from mapinspect.readers.measured.findings import Findings, Line

_HEAD = re.compile(r"\s*Heap summary for capabilities (0x[0-9A-Fa-f]{1,16}):.*")
_ONE = re.compile(
    r"\s*At 0x[0-9a-f]+ len (\d{1,12}) free \d{1,12} allocated \d{1,12} min_free \d{1,12}\b.*"
)
_BEGUN = re.compile(r"\s*(?:At 0x[0-9a-f]+ len |free\s+\d)")
_TOTALS = re.compile(
    r"\s*free\s+(\d{1,12})\s+allocated\s+(\d{1,12})\s+min_free\s+(\d{1,12})"
    r"\s+largest_free_block\s+(\d{1,12})\b.*"
)
_NO_HEADERS = "the headers of its blocks are not counted: the report does not list its heaps"


@dataclass(frozen=True, slots=True)
class _Report:
    """The figures of one kind of memory over time, in bytes; ``line`` shows the highest use."""

    line: Line
    used: int
    size: int
    start: int
    end: int
    listed: bool

    def later(self, other: "_Report") -> "_Report":
        """Return both reports in one: the highest use, and what was allocated first and last."""
        highest = other if other.used > self.used else self
        listed = self.listed and other.listed
        return replace(highest, start=self.start, end=other.end, listed=listed)


class HeapReport:
    """The reports of a log, by the capabilities they are about; other lines may lie between."""

    def __init__(self) -> None:
        self._open: Line | None = None
        self._memory = ""
        self._length = 0
        self._reports: dict[str, _Report] = {}

    def read(self, line: Line) -> bool:
        """Take in a line; raises InputError for a report that is cut or contradicts itself."""
        if head := _HEAD.fullmatch(line.text):
            self._refuse_open()
            self._open, self._memory, self._length = line, head[1], 0
        elif one := _ONE.fullmatch(line.text):
            self._open, self._length = self._open or line, self._length + int(one[1])
        elif totals := _TOTALS.fullmatch(line.text):
            free, allocated, least, _largest = (int(number) for number in totals.groups())
            self._take(line, free, allocated, least)
        elif self._open is not None and _BEGUN.match(line.text):
            raise line.refuse("is a cut line of a heap report", "give the whole report")
        else:
            return False
        return True

    def _take(self, line: Line, free: int, allocated: int, least: int) -> None:
        if least > free:
            raise line.refuse(
                f"min_free {least} is more than free {free}", "give the report as it was printed"
            )
        listed = self._length >= free + allocated
        size = self._length if listed else free + allocated
        report = _Report(line, size - least, size, allocated, allocated, listed)
        known = self._reports.get(self._memory)
        self._reports[self._memory] = known.later(report) if known else report
        self._open, self._length = None, 0

    def _refuse_open(self) -> None:
        if self._open is not None:
            raise self._open.refuse("the totals of a heap report are missing", "give all of it")

    def finish(self, findings: Findings) -> None:
        """Take in the reports; those of several kinds of memory share bytes, and are no sum."""
        self._refuse_open()
        alone = len(self._reports) == 1
        for memory, report in sorted(self._reports.items()):
            name = ("heap.peak", "heap", "heap_caps")
            if not alone:
                name = (f"heap.{memory}.peak", "other", f"heap_caps {memory}".strip())
            notes = () if report.listed else (_NO_HEADERS,)
            findings.peak(report.line, name, report.used, report.size, notes=notes)
        if self._reports:
            worst = max(self._reports.values(), key=lambda item: item.end - item.start)
            findings.heap(worst.start, worst.end)
