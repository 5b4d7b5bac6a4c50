"""Records of map, ELF, models and table → the Inspection that checks read."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from mapinspect.analysis.absorbed import absorbed
from mapinspect.analysis.arenas import ArenaClues, arena_facts, no_sizes
from mapinspect.analysis.counting import Counted, counted
from mapinspect.analysis.elastic import reserves, stretched
from mapinspect.analysis.habits import habits
from mapinspect.analysis.limits import region_limits
from mapinspect.analysis.locate import Surroundings, homes, matched
from mapinspect.analysis.map_facts import map_facts
from mapinspect.analysis.margins import margins
from mapinspect.analysis.models import GivenModel, embedded_models, model_facts
from mapinspect.analysis.operators import UsedModel, kernels
from mapinspect.analysis.orphans import orphans
from mapinspect.analysis.overflow import MAP_BITS
from mapinspect.analysis.placement import Accounts, account
from mapinspect.analysis.regions import regions_of
from mapinspect.analysis.reservations.find import reservations_of
from mapinspect.analysis.reservations.layout import Layout, layout_of_elf
from mapinspect.analysis.row_numbers import Estimates, row_numbers
from mapinspect.analysis.rows import Claim, claims, pieces, uses, with_reserves
from mapinspect.analysis.sections import (
    sections_of_elf,
    sections_of_map,
    unallocated_sections,
)
from mapinspect.analysis.strangers import strangers
from mapinspect.analysis.thin import thin_members
from mapinspect.analysis.usage import usages
from mapinspect.analysis.weighing import Peaks, Room, identities, rooms, weighed
from mapinspect.model.arena import ArenaNeed
from mapinspect.model.baseline import Baseline
from mapinspect.model.budget import BudgetTable, ModelEntry, PlacementRow
from mapinspect.model.budget_rows import Piece
from mapinspect.model.elf_file import ElfFile
from mapinspect.model.embedded import EmbeddedModel, StoredModel, unnamed
from mapinspect.model.habits import Margins
from mapinspect.model.image import Evidence, Region, Span
from mapinspect.model.inspection import (
    ArenaFacts,
    ElfFacts,
    Inspection,
    Matched,
    ModelFacts,
    Usage,
)
from mapinspect.model.link_map import LinkMap
from mapinspect.model.measurement import Measurement
from mapinspect.model.network import Network
from mapinspect.model.part import Part
from mapinspect.model.reservation import RamLeft, Reservation, Reservations
from mapinspect.model.runtime import Recognised


@dataclass(frozen=True, slots=True)
class Records:
    """Everything the readers found about one image; ``networks`` are by the models' names.

    ``arena_sizes`` reads the constants that debug information gives for arenas on the heap; it is
    asked only where no array is the arena.
    """

    table: BudgetTable
    elf: ElfFile | None
    link_map: LinkMap | None
    models: tuple[tuple[ModelEntry, bytes], ...] = ()
    needs: Mapping[str, ArenaNeed] = field(default_factory=dict)
    part: Part | None = None
    script_regions: tuple[Region, ...] = ()
    baseline: Baseline | None = None
    networks: Mapping[str, Network] = field(default_factory=dict)
    stored: tuple[StoredModel, ...] = ()
    measured: tuple[Measurement, ...] = ()
    sha256: str = ""  # of the ELF file
    recognised: tuple[Recognised, ...] = ()
    arena_sizes: Callable[[], Mapping[str, int]] = no_sizes


@dataclass(frozen=True, slots=True)
class _Rows:
    """What the six rows and the table's rows are counted from."""

    usages: tuple[Usage, ...]
    claimed: tuple[Claim, ...]
    spare: tuple[Span, ...]
    pieces: tuple[Piece, ...]
    models: tuple[ModelFacts, ...]
    embedded: tuple[EmbeddedModel, ...]
    arenas: tuple[ArenaFacts, ...]
    kept: tuple[Reservation, ...]
    left: tuple[RamLeft, ...]
    peaks: Peaks


def inspect(records: Records) -> Inspection:
    """Return all facts about the image; judges nothing."""
    around, accounts = surroundings(records)
    layout, table = _layout(around), records.table
    found = _rows(records, around, accounts, layout)
    counts = counted(table, around, found.pieces)
    other = _otherwise(table, around, accounts, found)
    estimates = Estimates.of(found.models, found.arenas)
    return Inspection(
        table=table,
        elf=_elf_facts(records.elf),
        map=map_facts(records.link_map, records.elf, around) if records.link_map else None,
        regions=around.regions,
        usages=found.usages,
        limits=region_limits(table, around.regions),
        placements=accounts.placements,
        uses=uses(found.usages, found.pieces, found.arenas),
        pieces=found.pieces,
        models=found.models,
        arenas=found.arenas,
        placement_matches={row.id: _matched(around, row) for row in table.placements},
        rows=row_numbers(
            table, around, counts, estimates, found.kept, peaks=found.peaks, otherwise=other
        ),
        measured=found.peaks.items,
        reservations=found.kept,
        habits=habits(around),
        margins=_margins(records, layout, found, accounts),
        orphans=orphans(around),
        part=records.part,
        baseline=records.baseline,
        embedded=found.embedded,
        kernels=kernels(around, _used(records, found.embedded), found.embedded),
        recognised=records.recognised,
    )


def _matched(around: Surroundings, row: PlacementRow) -> Matched:
    """Return what a placement row is about, and what lies with it where nothing else may."""
    found = matched(around, row.match)
    others = strangers(around, found.places) if row.slot is not None else ()
    mixed, thin = bool(absorbed(around, row.match)), bool(thin_members(around, row.match))
    return replace(found, mixed=mixed, thin=thin, strangers=others)


def _margins(records: Records, layout: Layout | None, found: _Rows, accounts: Accounts) -> Margins:
    placed, elf, part = accounts.placements, records.elf, records.part
    return margins(layout, found.kept, found.left, placed, elf=elf, part=part)


def _rows(
    records: Records, around: Surroundings, accounts: Accounts, layout: Layout | None
) -> _Rows:
    models = model_facts(around, _given(records), records.stored)
    clues = ArenaClues(records.recognised, records.arena_sizes)
    arenas = arena_facts(around, [entry for entry, _ in records.models], records.needs, clues)
    reserved = reservations_of(layout) if layout else Reservations((), ())
    kept = stretched(layout, reserved.items) if layout else ()
    used = usages(accounts, around.regions)
    spare = reserves(layout, kept, accounts.placements)
    embedded = embedded_models(around, records.stored, models)
    claimed = claims(models, arenas, kept, records.recognised, unnamed(embedded))
    found = pieces(used, claimed, spare)
    return _Rows(
        usages=with_reserves(used, found),
        claimed=claimed,
        spare=spare,
        pieces=found,
        models=models,
        embedded=embedded,
        arenas=arenas,
        kept=kept,
        left=reserved.left,
        peaks=_peaks(records, rooms(around.regions, kept, arenas, records.recognised)),
    )


def _otherwise(
    table: BudgetTable, around: Surroundings, accounts: Accounts, found: _Rows
) -> dict[str, Counted] | None:
    """Return what the table's rows count by the other account of shared addresses, if any."""
    other = accounts.otherwise
    if other is None or not table.budgets:
        return None
    held = pieces(usages(other, around.regions), found.claimed, found.spare)
    return counted(table, replace(around, homes=homes(other.placements)), held)


def _peaks(records: Records, room: tuple[Room, ...]) -> Peaks:
    """Return what was measured, with the reserve that each value is about."""
    marks = identities(records.elf, records.sha256)
    return Peaks(weighed(records.measured, marks, room), room)


def _given(records: Records) -> list[GivenModel]:
    return [
        GivenModel(entry, file, records.networks.get(entry.name)) for entry, file in records.models
    ]


def _used(records: Records, embedded: Iterable[EmbeddedModel]) -> list[UsedModel]:
    """Return the models that the runtime runs: those given, and those found besides.

    A model that another runtime plans needs no kernel of this one.
    """
    given = [
        UsedModel(entry.name, records.networks[entry.name], Evidence(entry.file, None, entry.name))
        for entry, _ in records.models
        if entry.name in records.networks and entry.runtime != "plan-only"
    ]
    found = [
        UsedModel(model.place.name, model.network, model.place.evidence)
        for model in embedded
        if model.network is not None and model.entry is None
    ]
    return given + found


def _banks(records: Records) -> tuple[Region, ...]:
    """Return the part's banks but for those whose addresses the table gives to its own regions.

    Bytes counted in a bank would be missing in the region that the table limits.
    """
    stated = [
        Span(row.origin, row.length)
        for row in records.table.regions
        if row.origin is not None and row.length is not None
    ]
    banks = records.part.regions() if records.part else ()
    named = {row.name for row in records.table.regions}
    return tuple(
        bank
        for bank in banks
        if bank.name in named or not any(span.overlap(bank.span) for span in stated)
    )


def surroundings(records: Records) -> tuple[Surroundings, Accounts]:
    """Return the image's sections and regions, and which lies where."""
    elf, link_map = records.elf, records.link_map
    banks = _banks(records)
    bits = elf.bits if elf else MAP_BITS
    regions = regions_of(records.table, link_map, bits, records.script_regions or banks)
    if elf is not None:
        sections = sections_of_elf(elf, link_map)
        unallocated = unallocated_sections(elf, link_map)
    else:
        sections = sections_of_map(link_map, regions) if link_map else ()
        unallocated = ()
    stated = frozenset(row.name for row in records.table.regions if row.origin is not None)
    accounts = account(sections, regions, unallocated, stated)
    homes_ = homes(accounts.placements)
    around = Surroundings(sections, regions, homes_, elf, link_map, records.part)
    return around, accounts


def _layout(around: Surroundings) -> Layout | None:
    """Return what stacks and heaps are told by; without symbols nothing tells."""
    if around.elf is None or not len(around.elf.symbols):
        return None
    return layout_of_elf(around.elf, around.regions)


def _elf_facts(elf: ElfFile | None) -> ElfFacts | None:
    if elf is None:
        return None
    return ElfFacts(elf.path, elf.kind, elf.machine, len(elf.symbols) == 0, elf.entry, elf.bits)
