"""Which bytes each ``[[budget]]`` row counts: by kind, by match, or whatever is left over."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

from mapinspect.analysis.absorbed import absorbed
from mapinspect.analysis.locate import Surroundings, named
from mapinspect.analysis.thin import thin_members
from mapinspect.analysis.usage import cut, size_of, union, without
from mapinspect.model.budget import BudgetRow, BudgetTable, Match
from mapinspect.model.budget_rows import Piece
from mapinspect.model.image import Region, Role, Span
from mapinspect.model.inspection import Located
from mapinspect.model.part import MemoryBank


@dataclass(frozen=True, slots=True)
class Memory:
    """The memory a row counts in: globs on regions and on banks, all of which must hold."""

    regions: tuple[str, ...]
    banks: tuple[str, ...]

    @classmethod
    def of(cls, row: BudgetRow) -> "Memory":
        """Return the memory that a row and its match name."""
        match = row.match
        regions = (row.region, match.region if match else None)
        banks = (row.bank, match.bank if match else None)
        return cls(
            tuple(glob for glob in regions if glob is not None),
            tuple(glob for glob in banks if glob is not None),
        )

    @property
    def name(self) -> str:
        """Return the memory as reports name it: "all" where every byte counts."""
        return " ".join((*self.regions, *self.banks)) or "all"

    @property
    def is_all(self) -> bool:
        """Return whether no memory is named."""
        return not self.regions and not self.banks

    def regions_of(self, around: Surroundings) -> tuple[Region, ...]:
        """Return the regions that bytes count in."""
        return tuple(region for region in around.regions if self.holds_region(region.name))

    def banks_of(self, around: Surroundings) -> tuple[MemoryBank, ...]:
        """Return the banks that bytes count in; all of the part where none is named."""
        banks = around.part.banks if around.part else ()
        return tuple(
            bank for bank in banks if all(fnmatchcase(bank.name, glob) for glob in self.banks)
        )

    def holds_region(self, region: str | None) -> bool:
        """Return whether bytes of a region count, as far as regions are named."""
        return all(fnmatchcase(region or "", glob) for glob in self.regions)

    def whole(self, around: Surroundings) -> int:
        """Return the bytes of this memory: what a percentage is a share of. 0: not known.

        Addresses that regions share count once; of banks within regions only what lies in both.
        """
        regions = [region.span for region in self.regions_of(around)]
        if not self.banks:
            return size_of(union(regions))
        banks = self.banks_of(around)
        whole = size_of(bank.span for bank in banks)
        if not self.regions:
            return whole
        views = [view for bank in banks for view in bank.views()]
        return min(whole, size_of(union(cut(span, view) for span in regions for view in views)))

    def within(self, around: Surroundings, region: str | None, span: Span) -> list[Span]:
        """Return the bytes of a span of ``region`` that lie in this memory."""
        if not self.holds_region(region):
            return []
        if not self.banks:
            return [span]
        views = [view for bank in self.banks_of(around) for view in bank.views()]
        return [piece for view in views if (piece := cut(span, view)).size]


@dataclass(frozen=True, slots=True)
class Counted:
    """What one row counts: bytes, merged, in address order.

    ``mixed`` are further bytes that may be of the row: link-time optimisation took their names.
    ``unsized`` are further ones behind labels that it selects and that have no size, ``thin`` those
    of objects that may come from a thin archive that it means.
    """

    spans: tuple[Span, ...]
    mixed: int = 0
    unsized: int = 0
    thin: int = 0

    @property
    def bytes(self) -> int:
        """Return how many bytes the row counts."""
        return size_of(self.spans)


def counted(
    table: BudgetTable, around: Surroundings, pieces: Sequence[Piece]
) -> dict[str, Counted]:
    """Return what each row counts, by its id.

    A row about a memory counts what runs there and what is stored there; a row about none counts
    what its match selects once, wherever it runs. A kind of use counts in all memories.
    """
    found: dict[str, Counted] = {}
    taken: list[Span] = []
    for row in table.budgets:
        if row.match is not None:
            found[row.id], every = _matched(row, row.match, around)
            taken += every
        elif row.kind != "rest":
            spans = _of_pieces(row, around, (piece for piece in pieces if piece.row == row.kind))
            found[row.id] = Counted(tuple(union(spans)))
            taken += spans
    for row in table.budgets:
        if row.kind == "rest":
            found[row.id] = Counted(tuple(without(_of_pieces(row, around, pieces), taken)))
    return found


def _matched(row: BudgetRow, match: Match, around: Surroundings) -> tuple[Counted, Sequence[Span]]:
    """Return what a row with a match counts, and the bytes that it takes from the rest."""

    def more(others: Iterable[Located]) -> int:
        """Return how many bytes other places would add."""
        return size_of(without(_of_places(row, around, others)[0], spans))

    places = named(around, match)
    spans, every = _of_places(row, around, places)
    labels = (replace(item, span=item.reach) for item in places if _is_unsized(item))
    found = Counted(
        tuple(union(spans)),
        mixed=more(absorbed(around, match)),
        unsized=more(labels),
        thin=more(thin_members(around, match)),
    )
    return found, every


def _is_unsized(place: Located) -> bool:
    """Return whether bytes behind a label may be the row's: those of no symbol with a size."""
    return place.most is not None and not place.within_other


def _of_places(
    row: BudgetRow, around: Surroundings, places: Iterable[Located]
) -> tuple[list[Span], list[Span]]:
    """Return the bytes a row counts, and those with their load images, which it takes.

    What overflows a region counts there all the same.
    """
    memory = Memory.of(row)
    runs: list[Span] = []
    images: list[Span] = []
    for place in places:
        runs += memory.within(around, around.home(place.section, Role.RUN), place.span)
        load_home = around.home(place.section, Role.LOAD)
        if load_home is not None:
            stored = Span(place.lma, place.span.size)
            images += memory.within(around, load_home, stored)
    every = runs + images
    return (runs if memory.is_all else every), every


def _of_pieces(row: BudgetRow, around: Surroundings, pieces: Iterable[Piece]) -> list[Span]:
    memory = Memory.of(row)
    return [span for piece in pieces for span in memory.within(around, piece.region, piece.span)]
