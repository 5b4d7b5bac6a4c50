"""All facts about one linked image, joined from map, ELF, models and budget table.

Sizes are bytes, addresses integers; nothing here is an opinion. Checks read these records and
nothing else.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

from mapinspect.model.baseline import Baseline
from mapinspect.model.budget import Amount, BudgetRow, BudgetTable, ModelEntry
from mapinspect.model.budget_rows import Piece, RowNumbers, Use
from mapinspect.model.conservation import Unconserved
from mapinspect.model.embedded import EmbeddedModel, TensorPlace
from mapinspect.model.file_facts import Disagreement, ElfFacts, MapFacts
from mapinspect.model.habits import Habits, Margins
from mapinspect.model.image import Evidence, Region, Span
from mapinspect.model.measurement import Weighed
from mapinspect.model.operators import Kernels
from mapinspect.model.part import Part
from mapinspect.model.placed import (
    Explained,
    Located,
    PlacedSection,
    Placement,
    RegionLimit,
    Usage,
)
from mapinspect.model.region_kind import kind_of
from mapinspect.model.reservation import Reservation
from mapinspect.model.runtime import Recognised

__all__ = [
    "POINTER_SIZES",
    "ArenaFacts",
    "Disagreement",
    "ElfFacts",
    "Explained",
    "Inspection",
    "Located",
    "MapFacts",
    "Matched",
    "ModelCopy",
    "ModelFacts",
    "PlacedSection",
    "Placement",
    "RegionLimit",
    "RowNumbers",
    "Unconserved",
    "Usage",
    "Use",
    "arrays",
]

_NO_CHANCE = 64  # bytes; of tensors as large as that no other bytes are equal by chance
POINTER_SIZES = (4, 8)  # bytes, on 32- and 64-bit cores; no arena is so small


@dataclass(frozen=True, slots=True)
class ModelCopy:
    """One copy of a model in the image.

    ``matches`` is None when no bytes are there to compare (NOBITS); ``first_difference`` is the
    offset of the first byte that differs from the file; ``cause`` says what is likely behind it,
    or is "".
    """

    place: Located
    matches: bool | None
    first_difference: int | None
    cause: str = ""


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """A model file and its copies in the image; ``size`` is the file's, in bytes.

    ``tensors`` are its constants: all of them inside a copy that equals the file; where there is
    no copy, those that are worth a search, with the places where each was found. ``in_ram`` are
    large ones that start-up copies to RAM although a copy of the whole file is there.
    """

    entry: ModelEntry
    size: int
    copies: tuple[ModelCopy, ...]
    tensors: tuple[TensorPlace, ...] = ()
    in_ram: tuple[Located, ...] = ()

    @property
    def parts(self) -> tuple[Located, ...]:
        """Return where its tensors lie one by one, since no copy of the whole file is there.

        Large ones everywhere: start-up may copy one of two. Few bytes lie elsewhere by chance.
        """
        if self.copies:
            return ()
        shown = (
            tensor.places if tensor.size >= _NO_CHANCE else tensor.places[:1]
            for tensor in self.tensors
        )
        return tuple({place.span: place for places in shown for place in places}.values())

    @property
    def absent(self) -> tuple[TensorPlace, ...]:
        """Return the tensors that were searched for and are nowhere."""
        return tuple(tensor for tensor in self.tensors if not tensor.places)


def arrays(parts: Iterable[Located]) -> tuple[Located, ...]:
    """Return one place for each array that holds tensors, from the first to the last of them."""
    found: dict[tuple[str, int], Located] = {}
    for part in parts:
        key = (part.name, part.section.ordinal)
        known = found.get(key, part)
        start = min(known.span.start, part.span.start)
        span = Span(start, max(known.span.end, part.span.end) - start)
        lma = part.section.lma + start - part.section.vma
        found[key] = replace(known, span=span, lma=lma)
    return tuple(found.values())


@dataclass(frozen=True, slots=True)
class ArenaFacts:
    """What one or several models need of one arena, and what was linked for it.

    ``needed`` is the smallest size in bytes, exact or a lower bound (``reasons`` says why);
    None when no model says anything. ``candidates`` are the symbols that could be the arena;
    where there is none, ``near`` are the variables whose names hold the wanted one. ``head`` is
    the share of ``needed`` that tensors and scratch buffers use one after the other.

    ``enough`` is a size that suffices whatever is in doubt, None where no such figure is known.
    ``required`` is what the table declares, with its line; ``size_constant`` the size of an arena
    on the heap by a constant of the program, with its name. ``slack`` is how much larger than
    needed the arena may be, None for the usual amount. ``refused`` says which models the runtime
    would not accept and why; ``aligns`` is False where it is not known to align the arena itself.
    """

    models: tuple[str, ...]
    wanted: str
    candidates: tuple[Located, ...]
    needed: int | None
    exact: bool
    reasons: tuple[str, ...]
    need_evidence: tuple[Evidence, ...]
    near: tuple[str, ...] = ()
    head: int | None = None
    enough: int | None = None
    required: tuple[int, Evidence] | None = None
    size_constant: tuple[int, Evidence] | None = None
    slack: Amount | None = None
    refused: tuple[str, ...] = ()
    aligns: bool = True

    @property
    def sufficient(self) -> int | None:
        """Return the bytes that suffice for certain, or None where nothing says."""
        return self.needed if self.exact else self.enough

    @property
    def place(self) -> Located | None:
        """Return the arena when exactly one symbol can be it."""
        return self.candidates[0] if len(self.candidates) == 1 else None

    @property
    def is_pointer(self) -> bool:
        """Return whether the symbol only points to the arena, which then lies on the heap."""
        return self.place is not None and self.place.span.size in POINTER_SIZES


@dataclass(frozen=True, slots=True)
class Matched:
    """What a placement row's ``match`` selects.

    ``mixed`` is whether link-time optimisation hides further places, among those of other objects.
    ``thin`` is whether members of a thin archive may be further ones.
    ``strangers``, of a row about an update slot, are what lies beside them in the same sections.
    """

    places: tuple[Located, ...]
    mixed: bool = False
    thin: bool = False
    strangers: tuple[Located, ...] = ()


@dataclass(frozen=True, slots=True)
class Inspection:
    """Everything known about one image.

    ``orphans`` are the sections that no statement of the linker script places.
    """

    table: BudgetTable
    elf: ElfFacts | None
    map: MapFacts | None
    regions: tuple[Region, ...]
    usages: tuple[Usage, ...]
    limits: tuple[RegionLimit, ...]
    placements: tuple[Placement, ...]
    uses: tuple[Use, ...]
    models: tuple[ModelFacts, ...]
    arenas: tuple[ArenaFacts, ...]
    placement_matches: dict[str, Matched]
    rows: tuple[RowNumbers, ...]
    reservations: tuple[Reservation, ...]
    habits: Habits
    margins: Margins
    orphans: tuple[Located, ...] = ()
    part: Part | None = None
    baseline: Baseline | None = None
    embedded: tuple[EmbeddedModel, ...] = ()
    measured: tuple[Weighed, ...] = ()
    pieces: tuple[Piece, ...] = ()
    recognised: tuple[Recognised, ...] = ()
    kernels: Kernels | None = None

    def usage(self, region: str) -> Usage | None:
        """Return what the region of this name holds, or None where there is none."""
        return next((usage for usage in self.usages if usage.region.name == region), None)

    def line(self, row: str) -> RowNumbers:
        """Return the numbers of the ``[[budget]]`` row of this id."""
        return next(numbers for numbers in self.rows if numbers.id == row)

    def unreserved_stack(self, row: BudgetRow) -> int | None:
        """Return the RAM left for a stack that nothing reserves, or None where one is reserved.

        Only for rows about the stack, in a memory where it starts.
        """
        if row.kind != "stack" or self.line(row.id).linked:
            return None
        start, room = self.margins.start, self.margins.room
        if room is None or (row.region is None and row.bank is None):
            return room
        if start is None or not self.is_in(row, Span(start.address - 1, 1)):
            return None
        return room if row.bank is None else min(room, self._above_bank(start.address))

    def _above_bank(self, address: int) -> int:
        """Return how far behind the first byte of a bank of the part an address lies."""
        views = [view for bank in self.part.banks for view in bank.views()] if self.part else []
        return min(address - view.start for view in views if view.start < address <= view.end)

    def is_in(self, row: BudgetRow, span: Span) -> bool:
        """Return whether bytes lie in the memory that a row names: region, bank or both."""
        names = [region.name for region in self.regions if region.span.contains(span)]
        bank = self.part.bank_of(span) if self.part else None
        return (row.region is None or any(fnmatchcase(name, row.region) for name in names)) and (
            row.bank is None or (bank is not None and fnmatchcase(bank.name, row.bank))
        )

    def limit(self, region: str) -> RegionLimit:
        """Return the limit of the region of this name; every region has one."""
        return next(limit for limit in self.limits if limit.region.name == region)

    def kind(self, region: str) -> str | None:
        """Return what memory a region is: the table's word, else by part, attributes and name.

        ``flash`` may not be written, ``sram`` may; None when nothing says.
        """
        row = next((row for row in self.table.regions if row.name == region), None)
        if row is not None and row.kind is not None:
            return row.kind
        found = next((item for item in self.regions if item.name == region), None)
        return None if found is None else kind_of(found, self.part)
