"""What the device measured: peaks of stacks, heaps and arenas. Sizes are bytes."""

from dataclasses import dataclass

from mapinspect.model.image import Evidence

ENOUGH_ITERATIONS = 1000  # inferences; the stress test of the project's acceptance steps


@dataclass(frozen=True, slots=True)
class Run:
    """The circumstances of a measurement; None where they are not stated.

    ``build_id`` is the image's, in hexadecimal; ``duration`` seconds; ``heap_start`` and
    ``heap_end`` the bytes allocated before the first and after the last iteration; ``failures``
    how many allocations failed.
    """

    build_id: str | None = None
    iterations: int | None = None
    duration: int | None = None
    conditions: str | None = None
    heap_start: int | None = None
    heap_end: int | None = None
    failures: int | None = None

    def doubts(self) -> tuple[str, ...]:
        """Return why the measurements of this run may be too low; empty when they may stand."""
        found = []
        if self.iterations is None:
            found.append("the number of iterations is not stated")
        elif self.iterations < ENOUGH_ITERATIONS:
            found.append(f"{self.iterations} iterations are fewer than {ENOUGH_ITERATIONS}")
        if self.heap_start is not None and self.heap_end is not None:
            drift = self.heap_end - self.heap_start
            if drift > 0:
                found.append(
                    f"the heap drifts upward: {self.heap_start} bytes at the start, "
                    f"{self.heap_end} at the end"
                )
        if self.failures:
            found.append(f"{self.failures} allocations failed")
        return tuple(found)


@dataclass(frozen=True, slots=True)
class Measurement:
    """A peak: ``bytes`` is the most that ``subject`` has used.

    ``kind`` is "stack", "heap", "arena" or "other"; ``id`` what a budget row calls it
    (``arena.used``, ``stack.peak``, ``stack.camera.peak``). ``size`` is the room there was, where
    the device says it. ``notes`` are doubts about this one value, beside those of its run.
    """

    id: str
    kind: str
    subject: str
    bytes: int
    run: Run
    evidence: Evidence
    size: int | None = None
    notes: tuple[str, ...] = ()

    def doubts(self) -> tuple[str, ...]:
        """Return why the value may be too low, for reports to warn of."""
        full = self.size is not None and self.bytes >= self.size
        reached = ("it reached its end: it may have needed more",) if full else ()
        return (*self.notes, *reached, *self.run.doubts())


@dataclass(frozen=True, slots=True)
class MeasuredFile:
    """One file of measurements; ``other_lines`` counts lines that say nothing about memory."""

    path: str
    run: Run
    measurements: tuple[Measurement, ...]
    other_lines: int = 0
