"""What would bring a region under its limit. Sizes are bytes."""

from dataclasses import dataclass

from mapinspect.model.image import Evidence


@dataclass(frozen=True, slots=True)
class Move:
    """One change: what to do with ``subject``, and the ``bytes`` that it takes off the region.

    ``to`` is the region that takes the bytes and has room for them in one piece, None where
    they go for good or lie elsewhere already. ``enough`` says that it brings the region under its
    limit alone.
    """

    subject: str
    action: str
    bytes: int
    to: str | None
    enough: bool
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class Heavy:
    """An object that is large in the region, and why it is there or so large."""

    object: str
    bytes: int
    because: str


@dataclass(frozen=True, slots=True)
class Remedy:
    """The ways out for one region that is ``over`` its limit.

    ``moves`` are each enough alone, the cheapest first, or, where none is, those that are enough
    together, the largest first; ``enough`` is False where all that is known does not suffice.
    """

    region: str
    over: int
    moves: tuple[Move, ...]
    enough: bool
    heavy: tuple[Heavy, ...] = ()
