"""Values collected from one log: peaks by their ids, and facts about the run."""

from dataclasses import dataclass, field, replace
from typing import Any

from mapinspect.errors import InputError
from mapinspect.model.image import Evidence
from mapinspect.model.measurement import Measurement, Run

_COUNTED_UP = ("iterations", "duration", "failures", "heap_end")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a log: ``text`` is without colours and the logger's own prefix."""

    path: str
    number: int
    text: str
    cut: bool = False  # the file ends here, without an end of line: perhaps within a number

    def evidence(self) -> Evidence:
        """Return the line as evidence."""
        return Evidence(self.path, self.number, self.text.strip()[:200])

    def refuse(self, what: str, remedy: str) -> InputError:
        """Return the error for a line that cannot be used."""
        return InputError(self.path, self.number, what, remedy)


@dataclass(slots=True)
class Findings:
    """The largest value of each id, and the run; a log may report the same thing many times."""

    run: Run = field(default_factory=Run)
    peaks: dict[str, Measurement] = field(default_factory=dict)

    def peak(
        self,
        line: Line,
        name: tuple[str, str, str],
        used: int,
        size: int | None = None,
        *,
        notes: tuple[str, ...] = (),
    ) -> None:
        """Keep a peak when it is the largest of its id; ``name`` is id, kind and subject."""
        known = self.peaks.get(name[0])
        if known is None or used > known.bytes:
            self.replace(line, name, used, size, notes=notes)

    def replace(
        self,
        line: Line,
        name: tuple[str, str, str],
        used: int,
        size: int | None = None,
        *,
        notes: tuple[str, ...] = (),
    ) -> None:
        """Keep a value for what it is, whatever stood there under its id."""
        identity, kind, subject = name
        evidence = line.evidence()
        self.peaks[identity] = Measurement(
            identity, kind, subject, used, Run(), evidence, size, notes
        )

    def state(self, line: Line, fact: str, value: int | str) -> None:
        """Keep a fact about the run; two different values are two runs in one log.

        What a run counts up may be printed again and again: the last is the largest. Of the heap
        at the end the largest counts.
        """
        known = getattr(self.run, fact)
        if known == value:
            return
        if isinstance(known, int) and isinstance(value, int) and fact in _COUNTED_UP:
            if value < known and fact == "heap_end":
                return
            known = None if value > known else known
        if known is not None:
            raise line.refuse(
                f"{fact} is {value} here and {known} above", "give the log of one run at a time"
            )
        change: dict[str, Any] = {fact: value}
        self.run = replace(self.run, **change)

    def heap(self, start: int, end: int) -> None:
        """Take in what is allocated at the start and at the end, unless the log states it."""
        if self.run.heap_start is None and self.run.heap_end is None:
            self.run = replace(self.run, heap_start=start, heap_end=end)

    def measurements(self) -> tuple[Measurement, ...]:
        """Return every peak with the run it belongs to, in order of ids."""
        return tuple(replace(self.peaks[key], run=self.run) for key in sorted(self.peaks))
