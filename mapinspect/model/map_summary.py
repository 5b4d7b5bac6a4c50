"""What a map alone tells, summed up for a reader. Sizes are bytes."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mapinspect.model.conservation import Unconserved
from mapinspect.model.link_map import LinkMap, MapSection, ObjectFile

if TYPE_CHECKING:  # start-up time: a summary without regions needs none of it
    from mapinspect.model.placed import Usage


@dataclass(frozen=True, slots=True)
class ObjectBytes:
    """What one object occupies in the sections that seem to be allocated."""

    owner: ObjectFile
    bytes: int


@dataclass(frozen=True, slots=True)
class MapSummary:
    """A map with its sums.

    ``objects`` and ``archives`` are sorted by size, then by name; an archive is a name and its
    bytes. ``discarded_bytes`` is the full size of what ld threw away.
    """

    link_map: LinkMap
    objects: tuple[ObjectBytes, ...]
    archives: tuple[tuple[str, int], ...]
    discarded_bytes: int
    unconserved: tuple[Unconserved, ...]

    @property
    def complete(self) -> bool:
        """Return whether every line is understood and every section adds up."""
        return self.link_map.complete and not self.unconserved

    @property
    def understood_lines(self) -> int:
        """Return how many lines of the map are understood."""
        return self.link_map.line_count - len(self.link_map.unknown)


@dataclass(frozen=True, slots=True)
class RegionUse:
    """What the named regions of a map hold; ``outside`` are the sections that lie in none."""

    usages: "tuple[Usage, ...]"
    outside: tuple[MapSection, ...]
