"""The words of a linked image that map, ELF and budget share: spans, regions, evidence."""

from dataclasses import dataclass
from enum import Enum


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A half-open run of addresses: ``start`` is in it, ``end`` is not. Sizes are bytes."""

    start: int
    size: int

    @property
    def end(self) -> int:
        """Return the first address past the span."""
        return self.start + self.size

    def contains(self, other: "Span") -> bool:
        """Return whether every byte of ``other`` lies in this span."""
        return self.start <= other.start and other.end <= self.end

    def overlap(self, other: "Span") -> int:
        """Return how many bytes both spans share."""
        return max(0, min(self.end, other.end) - max(self.start, other.start))


class Role(Enum):
    """Why an output section takes up bytes of a region."""

    RUN = "run"  # at its VMA, while the program executes
    LOAD = "load"  # at its LMA, where start-up code copies it from


@dataclass(frozen=True, slots=True)
class Evidence:
    """Where a number comes from: the file, its line where it has lines, and what it says there."""

    file: str
    line: int | None
    text: str


@dataclass(frozen=True, slots=True)
class Region:
    """One memory region: a line of the linker script's ``MEMORY`` block.

    ``attributes`` are the letters that ld prints (``xr``); ``declared`` is where the region was
    found: the map's memory table, the budget, a linker script or a part's data.
    """

    name: str
    span: Span
    attributes: str
    declared: Evidence
