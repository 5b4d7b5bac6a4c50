"""What a map alone tells, summed up for a reader. Sizes are bytes."""

from dataclasses import dataclass

from mapinspect.model.inspection import Unconserved, Usage
from mapinspect.model.link_map import LinkMap, MapSection, ObjectFile


@dataclass(frozen=True, slots=True)
class ObjectBytes:
    """What one object occupies in the sections that seem to be allocated."""

    owner: ObjectFile
    bytes: int


@dataclass(frozen=True, slots=True)
class MapSummary:
    """A map with its sums.

    ``usages`` are of the named regions, ``outside`` the sections that lie in none although there
    are some. ``objects`` and ``archives`` are sorted by size, then by name; an archive is a name
    and its bytes. ``discarded_bytes`` is the full size of what ld threw away.
    """

    link_map: LinkMap
    usages: tuple[Usage, ...]
    outside: tuple[MapSection, ...]
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
