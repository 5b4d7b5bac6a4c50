"""Bytes claimed by policy, not by contents: stacks and heaps."""

from dataclasses import dataclass

from mapinspect.model.image import Evidence, Span


@dataclass(frozen=True, slots=True)
class Reservation:
    """A stack or heap, in bytes, and the convention that says so.

    ``kind`` is "stack" or "heap"; ``elastic`` marks a heap that takes the rest of RAM: a reserve,
    not use. ``span`` is where it lies, None where only a size is known.
    """

    kind: str
    name: str
    bytes: int
    convention: str
    elastic: bool
    span: Span | None
    evidence: Evidence
