"""Lines that Zephyr and TensorFlow Lite Micro print about stacks and arenas.

Source of the formats: Zephyr ``subsys/debug/thread_analyzer`` and its shell's ``kernel stacks``,
TensorFlow Lite Micro ``RecordingMicroAllocator::PrintAllocations``.
"""

import re

from mapinspect.readers.measured.findings import Findings, Line

# ``STACK:`` is there only with CONFIG_THREAD_RUNTIME_STATS; a thread's privileged stack has a line
# of its own, without the thread's name.
_THREAD = re.compile(r"(.*?):\s*(?:(PRIV_STACK|STACK):|(?=unused\s+\d+\s+usage\b))\s*")
_FIGURES = re.compile(r"unused\s+(\d{1,9})\s+usage\s+(\d{1,9})\s*/\s*(\d{1,9})\s*\(.*")
# The shell prints ``0x20000120 idle 00    (real size 320):``.
_NAME = re.compile(r"\s*(?:0x[0-9a-f]{4,16}\s+)?(\S.*?)\s*(?:\(real size\s+\d+\))?\s*")
_ALLOCATOR = "[RecordingMicroAllocator] "
_ALLOCATION = "Arena allocation "
_ARENA = re.compile(r"Arena allocation (total|head|tail) (\d{1,12}) bytes\s*")


class ThreadReport:
    """Zephyr's thread analyzer: a line for each thread, and one for its privileged stack."""

    def __init__(self) -> None:
        self._thread = ""

    def read(self, line: Line, findings: Findings) -> bool:
        """Take in a line; raises InputError for one that is cut or contradicts itself."""
        found = _THREAD.match(line.text)
        if found is None:
            return False
        figures = _FIGURES.fullmatch(line.text, found.end())
        if figures is None:
            raise line.refuse("is a cut line of the thread analyzer", "give whole lines")
        privileged = found[2] == "PRIV_STACK"
        if not privileged:
            name = _NAME.fullmatch(found[1])
            self._thread = name[1] if name else found[1].strip()
        unused, used, size = (int(number) for number in figures.groups())
        if unused + used != size:
            raise line.refuse(
                f"{unused} unused and {used} used are not the {size} of thread {self._thread}",
                "give the log as the device printed it",
            )
        findings.peak(line, self._subject(privileged=privileged), used, size)
        return True

    def _subject(self, *, privileged: bool) -> tuple[str, str, str]:
        """Return id, kind and subject; a privileged stack is none that a row or room is about."""
        name = self._thread
        if privileged:
            return (f"stack.{name}.privileged", "other", f"{name}, privileged")
        return (f"stack.{name}.peak", "stack", name)


class ArenaReport:
    """TFLM's recording allocator: the arena's total, then its head and tail, for each print."""

    def __init__(self) -> None:
        self._parts: dict[str, tuple[Line, int]] = {}

    def read(self, line: Line, findings: Findings) -> bool:
        """Take in a line; raises InputError for one that is cut or contradicts those above."""
        _, allocator, said = line.text.partition(_ALLOCATOR)
        found = _ARENA.fullmatch(said)
        if found is None:
            if said.startswith(_ALLOCATION):
                raise line.refuse("is a cut line of the recording allocator", "give whole lines")
            return bool(allocator)  # a line about one kind of record: part of the total
        part, size = found[1], int(found[2])
        if part in self._parts or part == "total":
            self._parts = {}
        self._parts[part] = (line, size)
        if part == "total":
            findings.peak(line, ("arena.used", "arena", "arena"), size)
        if len(self._parts) == 3:
            self._check(findings)
        return True

    def _check(self, findings: Findings) -> None:
        """Keep head and tail of the largest total; all three are of one print."""
        sizes = {part: size for part, (_, size) in self._parts.items()}
        line = self._parts["total"][0]
        if sizes["head"] + sizes["tail"] != sizes["total"]:
            raise line.refuse(
                f"an arena of {sizes['total']} bytes has a head of {sizes['head']} "
                f"and a tail of {sizes['tail']}",
                "give the log of one allocator at a time",
            )
        if findings.peaks["arena.used"].evidence == line.evidence():
            for part in ("head", "tail"):
                own, size = self._parts[part]
                findings.replace(own, (f"arena.{part}", "arena", "arena"), size)
