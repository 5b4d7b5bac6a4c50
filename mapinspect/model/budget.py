"""The budget table: what the firmware may use, and where things must be. Sizes are bytes."""

from dataclasses import dataclass, field
from datetime import date
from fractions import Fraction

from mapinspect.model.image import Evidence, Span
from mapinspect.model.measurement import MeasuredRow


@dataclass(frozen=True, slots=True)
class Amount:
    """A size in bytes, or an exact share of a whole; ``text`` is how the table writes it.

    Shares are fractions, never floats: 99.999 % of a region is compared exactly.
    """

    bytes: int | None
    share: Fraction | None
    text: str

    def at_most(self, whole: int) -> int:
        """Return the largest whole number of bytes that this amount of ``whole`` allows."""
        if self.share is None:
            assert self.bytes is not None
            return self.bytes
        return int(self.share * whole)

    def at_least(self, whole: int) -> int:
        """Return the smallest whole number of bytes that reaches this amount of ``whole``."""
        if self.share is None:
            return self.at_most(whole)
        return -int(-self.share * whole // 1)


@dataclass(frozen=True, slots=True)
class Growth:
    """How many bytes more than in the baseline are allowed: the least of ``bytes`` and ``share``.

    ``share`` is of the baseline's bytes; None where only the other is given.
    """

    bytes: int | None
    share: Fraction | None
    declared: Evidence

    def at_most(self, before: int) -> int:
        """Return the most bytes allowed now, where the baseline had ``before``."""
        allowed = [] if self.bytes is None else [before + self.bytes]
        if self.share is not None:
            allowed.append(before + int(self.share * before))
        return min(allowed)


@dataclass(frozen=True, slots=True)
class Match:
    """What a row speaks of; all the globs given must match. None matches anything.

    ``region`` is a memory region of the linker script, ``bank`` a memory bank of the part.
    """

    symbol: str | None = None
    section: str | None = None
    object: str | None = None
    archive: str | None = None
    region: str | None = None
    bank: str | None = None


@dataclass(frozen=True, slots=True)
class ModelEntry:
    """A model that the firmware embeds: its file, and how to find it and its arena.

    ``runtime`` names what the arena must satisfy: ``plan-only`` needs exactly the head of the
    greedy plan, ``tflite-micro`` what TensorFlow Lite Micro allocates. None: what is seen in the
    image decides. ``target`` and ``kernels`` name the runtime's build where the image does not
    tell it. ``arena_bytes`` is what its arena needs by the project's own word, ``arena_reason``
    where that comes from; ``slack`` how much larger than needed the arena may be.
    """

    name: str
    file: str
    symbol: str | None
    arena: str | None
    runtime: str | None
    declared: Evidence
    target: str | None = None
    kernels: str | None = None
    arena_bytes: int | None = None
    arena_reason: str = ""
    slack: Amount | None = None


@dataclass(frozen=True, slots=True)
class Inputs:
    """The files that the table names, relative to its own folder.

    ``baseline`` is the JSON report of an earlier build, which growth limits compare with;
    ``script`` the linker script, for an image without a map. ``measured`` are globs on logs of the
    device; ``stale`` says what becomes of those of another build: "undecided" or "refuse".
    """

    elf: str | None = None
    map: str | None = None
    models: tuple[ModelEntry, ...] = ()
    baseline: str | None = None
    script: str | None = None
    measured: tuple[str, ...] = ()
    stale: str = "undecided"
    runtimes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RegionRow:
    """``[[region]]``: a memory region's limits; origin and length where no map gives them.

    ``declared`` is the line of its limit, ``warn_declared`` of its warning.
    """

    name: str
    kind: str | None
    origin: int | None
    length: int | None
    limit: Amount | None
    warn: Amount | None
    count: str
    optional: bool
    declared: Evidence
    growth: Growth | None = None
    warn_declared: Evidence | None = None


@dataclass(frozen=True, slots=True)
class BudgetRow:
    """``[[budget]]``: limits for one kind of use, or for whatever ``match`` selects.

    ``kind`` is a row of the six, or "rest": what no other row of the table counts. ``region`` and
    ``bank`` are globs: where bytes count; in a memory load images count too, without one every
    byte counts once. ``min_estimate`` is True for ``min = "estimate"``: at least what the model
    needs. ``headroom`` is what must stay free above the measured peak. ``declared`` is the line of
    its limit, or of its first claim; ``warn_declared`` and ``min_declared`` are the others'.
    """

    id: str
    kind: str | None
    match: Match | None
    region: str | None
    limit: Amount | None
    warn: Amount | None
    minimum: Amount | None
    min_estimate: bool
    optional: bool
    declared: Evidence
    bank: str | None = None
    growth: Growth | None = None
    headroom: Amount | None = None
    warn_declared: Evidence | None = None
    min_declared: Evidence | None = None


@dataclass(frozen=True, slots=True)
class Slot:
    """A run of Flash that an update replaces as a whole; ``sector`` is its erase unit, in bytes."""

    span: Span
    sector: int


@dataclass(frozen=True, slots=True)
class PlacementRow:
    """``[[placement]]``: where whatever ``match`` selects must lie, first to last byte.

    ``regions`` and ``banks`` are globs, any one of each must hold the place. ``strategy`` is
    "xip", "copied", "on-demand" or "psram". False claims nothing for ``contiguous`` and ``dma``.
    """

    id: str
    match: Match
    regions: tuple[str, ...]
    section: str | None
    align: int | None
    read_only: bool | None
    optional: bool
    declared: Evidence
    banks: tuple[str, ...] = ()
    contiguous: bool = False
    dma: bool = False
    strategy: str | None = None
    slot: Slot | None = None


@dataclass(frozen=True, slots=True)
class Waiver:
    """``[[waiver]]``: a known defect that is accepted until a day.

    ``check`` is the id of the check, ``subject`` a glob on what it names. ``expires`` is the last
    day on which the waiver counts.
    """

    check: str
    subject: str
    reason: str
    expires: date
    declared: Evidence


@dataclass(frozen=True, slots=True)
class CheckRule:
    """A line of ``[checks]``: how much one check matters, "ignore", "warn" or "error"."""

    check: str
    severity: str
    declared: Evidence


@dataclass(frozen=True, slots=True)
class BudgetTable:
    """One budget file, every value checked.

    ``margin`` is the share kept free: of the region (``margin_of`` "region": use at most
    length x (1 - margin)) or added to the sum of use ("sum": use x (1 + margin) at most length).
    ``margin_declared`` is its line. ``part`` is the name of the microcontroller, ``part_declared``
    its line. ``heap`` is "none" where the project promises that nothing that allocates is linked.
    ``profile`` is the profile in force, ``profiles`` all that the table has.
    """

    path: str
    name: str | None = None
    margin: Amount | None = None
    margin_of: str = "region"
    margin_declared: Evidence | None = None
    heap: str | None = None
    inputs: Inputs = field(default_factory=Inputs)
    regions: tuple[RegionRow, ...] = ()
    budgets: tuple[BudgetRow, ...] = ()
    placements: tuple[PlacementRow, ...] = ()
    waivers: tuple[Waiver, ...] = ()
    measured: tuple[MeasuredRow, ...] = ()
    rules: tuple[CheckRule, ...] = ()
    part: str | None = None
    part_declared: Evidence | None = None
    profile: str | None = None
    profiles: tuple[str, ...] = ()
