"""What a failed link's map tells about the failure."""

from dataclasses import dataclass

from mapinspect.model.arena import ArenaNeed
from mapinspect.model.image import Evidence, Region


@dataclass(frozen=True, slots=True)
class Contributor:
    """An input section of an overflowing region; ``bytes`` is what it occupies there."""

    name: str
    owner: str
    bytes: int
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class Overflow:
    """A region that the failed link overflowed, with what is largest in it, largest first."""

    region: Region
    used: int
    contributors: tuple[Contributor, ...]

    @property
    def over(self) -> int:
        """Return the bytes past the region's end."""
        return self.used - self.region.span.size


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What can be said without an ELF.

    ``doubt`` says why the map cannot be trusted (missing, empty, stale, damaged), or is None.
    ``needs`` are what the models' arenas need.
    """

    map: str
    doubt: str | None
    overflows: tuple[Overflow, ...]
    needs: tuple[ArenaNeed, ...]
