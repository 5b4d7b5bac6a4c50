"""What a failed link's map tells about the failure. Sizes are bytes."""

from dataclasses import dataclass

from mapinspect.model.image import Evidence, Region, Role, Span


@dataclass(frozen=True, slots=True)
class Contributor:
    """A piece of an overflowing region; ``bytes`` is what it occupies there.

    ``owner`` is the object that brought it, None for what the linker script reserves or pads.
    ``role`` says whether it runs in the region or is only loaded from it.
    """

    name: str
    owner: str | None
    bytes: int
    role: Role
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class Overflow:
    """A region that the failed link overflowed, with what is largest in it, largest first."""

    region: Region
    used: int
    contributors: tuple[Contributor, ...]

    @property
    def over(self) -> int:
        """Return the bytes past the region's end, as ld states them."""
        return self.used - self.region.span.size


@dataclass(frozen=True, slots=True)
class Piece:
    """A variable as a map shows it: by the input section of its own, or as a common symbol.

    ``memory`` is the region it lies in while the program runs, ``loaded_from`` the one that holds
    its initial value where that is another place; None where no region does. The span is at most
    this unless ``exact``: maps do not show where a symbol ends, nor what is local behind it.
    """

    name: str
    owner: str
    span: Span
    memory: str | None
    loaded_from: str | None
    exact: bool
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class PlannedArena:
    """What models need of an arena, and the pieces of the map that seem to be it.

    ``needed`` is a lower bound unless ``exact``. No piece: the map does not show the arena, or it
    lies on the heap.
    """

    models: tuple[str, ...]
    wanted: str
    needed: int
    exact: bool
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class PlannedWeights:
    """A model's array that costs RAM besides Flash, since its initial value is copied there."""

    model: str
    piece: Piece


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What can be said without an ELF.

    ``doubt`` says why the map cannot be used (absent, empty, stale, cut), ``unread`` why the
    models were not compared with it; both None where nothing is in the way.
    """

    map: str
    doubt: str | None = None
    overflows: tuple[Overflow, ...] = ()
    arenas: tuple[PlannedArena, ...] = ()
    weights: tuple[PlannedWeights, ...] = ()
    unread: str | None = None
