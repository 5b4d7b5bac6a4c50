"""The numbers of the budget table's rows: the six of every region, and the table's own. Bytes."""

from dataclasses import dataclass

from mapinspect.model.image import Span
from mapinspect.model.measurement import Weighed


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of a region's bytes that one of the six rows counts."""

    row: str
    region: str
    span: Span


@dataclass(frozen=True, slots=True)
class Use:
    """One row of the six-row table in one region: bytes linked, and what they consist of."""

    row: str
    region: str
    linked: int
    parts: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class RowNumbers:
    """The numbers of one ``[[budget]]`` row, in bytes; None where there is none.

    ``memory`` is the region or bank it counts in, "all" where it counts everywhere; ``image`` the
    file that the linked bytes come from. ``whole`` is how large that memory is, 0 where none is
    known. ``available`` counts towards the minimum: the linked bytes and, for a heap,
    what is set aside without a section. ``peaks`` are the measurements that it is about.
    ``counts`` spells out what the row counts: two builds compare only where it is the same.
    Bytes that may be the row's besides: ``mixed`` were mixed up by link-time optimisation,
    ``unsized`` follow labels of which no size is known, ``thin`` are of objects that may come from
    a thin archive. ``otherwise`` is what it counts if sections at addresses that regions share
    were assigned the other way.
    """

    id: str
    memory: str
    estimated: int | None
    linked: int
    measured: int | None
    limit: int | None
    warn: int | None
    minimum: int | None
    image: str
    whole: int = 0
    available: int = 0
    peaks: tuple[Weighed, ...] = ()
    counts: str = ""
    mixed: int = 0
    unsized: int = 0
    thin: int = 0
    otherwise: int | None = None

    @property
    def most(self) -> int:
        """Return the bytes that the row takes up at most."""
        return self.linked + self.mixed + self.unsized + self.thin
