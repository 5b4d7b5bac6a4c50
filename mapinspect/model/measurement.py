"""What the device measured: peaks of stacks, heaps and arenas. Sizes are bytes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from mapinspect.model.image import Evidence, Span

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
        return tuple(found)


@dataclass(frozen=True, slots=True)
class Measurement:
    """A peak: ``bytes`` is the most that ``subject`` has used.

    ``kind`` is "stack", "heap", "arena" or "other"; ``id`` what a budget row calls it
    (``arena.used``, ``stack.peak``, ``stack.camera.peak``). ``size`` is the room there was, where
    the device says it, ``span`` where that lies, for what was read from a dump of RAM. ``notes``
    are doubts about this one value, beside those of its run.
    """

    id: str
    kind: str
    subject: str
    bytes: int
    run: Run
    evidence: Evidence
    size: int | None = None
    notes: tuple[str, ...] = ()
    span: Span | None = None

    @property
    def is_full(self) -> bool:
        """Return whether all the room was used that the measurement could see."""
        return self.size is not None and self.bytes >= self.size

    def doubts(self) -> tuple[str, ...]:
        """Return why the value may be too low, for reports to warn of."""
        reached = ("it reached its end: it may have needed more",) if self.is_full else ()
        return (*self.notes, *reached, *self.run.doubts())


@dataclass(frozen=True, slots=True)
class MeasuredFile:
    """One file of measurements; ``other_lines`` counts lines that say nothing about memory."""

    path: str
    run: Run
    measurements: tuple[Measurement, ...]
    other_lines: int = 0


@dataclass(frozen=True, slots=True)
class MeasuredRow:
    """``[[measured]]``: what a file of measurements cannot say about itself.

    For a dump of RAM: ``symbol`` is the stack's array, or ``bottom`` and ``top`` (symbols or
    addresses) say where it lies; ``base`` is the address of a ``.bin`` file's first byte, ``fill``
    what the stack was painted with as it lies in memory, None to find it. For a log: how many
    bytes a unit of FreeRTOS' stack figures has, and the sizes of its stacks. ``run`` is what the
    table says about the run; what the file says itself wins.
    """

    file: str
    subject: str | None
    symbol: str | None
    bottom: str | None
    top: str | None
    base: int | None
    fill: bytes | None
    task_unit: int | None
    run: Run
    declared: Evidence
    stack_sizes: Mapping[str, int] = field(default_factory=dict)

    @property
    def is_dump(self) -> bool:
        """Return whether the row tells where a stack lies in a dump."""
        return self.symbol is not None or self.top is not None

    @property
    def name(self) -> str:
        """Return what reports call the stack in a dump."""
        return self.subject or self.symbol or "main"


class Build(Enum):
    """Which build a measurement is of, by the build-id or hash that it carries."""

    SAME = "this build"
    OTHER = "another build"
    UNSTATED = "not stated"  # the measurement does not say
    UNKNOWN = "not known"  # the measurement says, but the ELF has nothing to compare with


@dataclass(frozen=True, slots=True)
class Weighed:
    """A measurement beside what was linked for it.

    ``reserved`` is the name of the stack, heap or arena and ``room`` its bytes, ``region`` where
    it lies; None where nothing of the image could be told to be it. ``place`` says where ``room``
    is from. Only what ``counts`` is compared with budgets: not that of another build.
    """

    item: Measurement
    build: Build
    reserved: str | None = None
    room: int | None = None
    region: str | None = None
    span: Span | None = None
    place: Evidence | None = None

    @property
    def counts(self) -> bool:
        """Return whether it is, as far as it says, a measurement of this image."""
        return self.build in (Build.SAME, Build.UNSTATED)

    def doubts(self) -> tuple[str, ...]:
        """Return why the value may be too low or of another image."""
        unstated = ("it does not say which build it is of",) if self.build is Build.UNSTATED else ()
        return (*self.item.doubts(), *unstated)
