"""Values collected from one log: peaks by their ids, and facts about the run."""

from dataclasses import dataclass, field, replace
from typing import Any

from mapinspect.errors import InputError
from mapinspect.model.image import Evidence
from mapinspect.model.measurement import Measurement, Run


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a log: ``text`` is without colours and the logger's own prefix."""

    path: str
    number: int
    text: str

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
        self, line: Line, name: tuple[str, str, str], used: int, size: int | None = None
    ) -> None:
        """Keep a peak when it is the largest of its id; ``name`` is id, kind and subject."""
        identity, kind, subject = name
        known = self.peaks.get(identity)
        if known is None or used > known.bytes:
            self.peaks[identity] = Measurement(
                identity, kind, subject, used, Run(), line.evidence(), size
            )

    def state(self, line: Line, fact: str, value: int | str) -> None:
        """Keep a fact about the run; two different values are two runs in one log."""
        known = getattr(self.run, fact)
        if known is not None and known != value:
            raise line.refuse(
                f"{fact} is {value} here and {known} above", "give the log of one run at a time"
            )
        change: dict[str, Any] = {fact: value}
        self.run = replace(self.run, **change)

    def heap(self, allocated: int) -> None:
        """Take in how much is allocated now: the first and the last value show a drift."""
        if self.run.heap_start is None:
            self.run = replace(self.run, heap_start=allocated)
        self.run = replace(self.run, heap_end=allocated)

    def measurements(self) -> tuple[Measurement, ...]:
        """Return every peak with the run it belongs to, in order of ids."""
        return tuple(replace(self.peaks[key], run=self.run) for key in sorted(self.peaks))
