"""Bytes claimed by policy, not by contents: stacks and heaps. Sizes are bytes."""

from dataclasses import dataclass

from mapinspect.model.image import Evidence, Region, Span


@dataclass(frozen=True, slots=True)
class Neighbour:
    """What lies immediately below a stack, so what an overflow hits.

    ``gap`` is the free bytes between its end and the stack; 0 where they touch.
    """

    name: str
    span: Span
    gap: int


@dataclass(frozen=True, slots=True)
class Reservation:
    """A stack or heap, in bytes, and the convention that says so.

    ``kind`` is "stack" or "heap"; ``elastic`` marks one that takes the rest of RAM: a reserve,
    not use. ``span`` is the bytes of the image that the linker keeps for it, None where only a
    size is known. ``runs_at`` is where it lies at run time, where that is elsewhere: scripts
    often keep a stack's bytes behind the variables only to see whether they fit, while the stack
    itself begins at the end of RAM. ``grows_to`` is how large a heap of a stated minimum may
    become. ``below`` is what an overflow of a stack hits; None where nothing is known below.
    ``rests_on`` names the symbols and sections that the figure is made of. ``grows_over`` is the
    section that a heap meets before its own limit: no room beyond that is its.
    """

    kind: str
    name: str
    bytes: int
    convention: str
    elastic: bool
    span: Span | None
    evidence: Evidence
    runs_at: Span | None = None
    grows_to: int | None = None
    below: Neighbour | None = None
    rests_on: tuple[str, ...] = ()
    grows_over: str | None = None

    @property
    def place(self) -> Span | None:
        """Return where it lies at run time."""
        return self.runs_at or self.span


@dataclass(frozen=True, slots=True)
class RamLeft:
    """The largest run of a writable region that no section and no fixed reservation takes.

    ``span`` is that run; an image without a reservation for its stack has only this for it.
    """

    region: Region
    span: Span


@dataclass(frozen=True, slots=True)
class Reservations:
    """Every stack and heap of an image, stacks first, and what RAM is left beside them."""

    items: tuple[Reservation, ...]
    left: tuple[RamLeft, ...]

    def of_kind(self, kind: str) -> tuple[Reservation, ...]:
        """Return the reservations of one kind, "stack" or "heap"."""
        return tuple(item for item in self.items if item.kind == kind)
