"""Records of map, ELF, models and table → the Inspection that checks read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from mapinspect.analysis.arenas import arena_facts
from mapinspect.analysis.conservation import unconserved
from mapinspect.analysis.limits import region_limits
from mapinspect.analysis.locate import Surroundings, homes, matched
from mapinspect.analysis.models import model_facts
from mapinspect.analysis.placement import Layout, lay_out
from mapinspect.analysis.regions import map_regions, regions_of
from mapinspect.analysis.row_numbers import Estimates, row_numbers
from mapinspect.analysis.rows import uses
from mapinspect.analysis.sections import (
    disagreements,
    sections_of_elf,
    sections_of_map,
    unallocated_sections,
)
from mapinspect.analysis.usage import usages
from mapinspect.model.arena import ArenaNeed
from mapinspect.model.budget import BudgetTable, ModelEntry
from mapinspect.model.elf_file import ElfFile
from mapinspect.model.image import Evidence
from mapinspect.model.inspection import ElfFacts, Inspection, MapFacts
from mapinspect.model.link_map import LinkMap
from mapinspect.model.reservation import Reservation

_MAP_BITS = 32  # a map without its ELF is taken for a 32-bit target's; only overflow is judged


@dataclass(frozen=True, slots=True)
class Records:
    """Everything the readers found about one image."""

    table: BudgetTable
    elf: ElfFile | None
    link_map: LinkMap | None
    models: tuple[tuple[ModelEntry, bytes], ...] = ()
    needs: Mapping[str, ArenaNeed] = field(default_factory=dict)
    reservations: Sequence[Reservation] = ()


def inspect(records: Records) -> Inspection:
    """Return all facts about the image; judges nothing."""
    around, layout = surroundings(records)
    used = usages(layout, around.regions)
    models = tuple(model_facts(around, entry, content) for entry, content in records.models)
    arenas = arena_facts(around, (entry for entry, _ in records.models), records.needs)
    table = records.table
    linked = uses(used, models, arenas, records.reservations)
    matches = {row.id: matched(around, row.match) for row in table.budgets if row.match}
    return Inspection(
        table=table,
        elf=_elf_facts(records.elf),
        map=_map_facts(records, around) if records.link_map else None,
        regions=around.regions,
        usages=used,
        limits=region_limits(table, around.regions),
        placements=layout.placements,
        uses=linked,
        models=models,
        arenas=arenas,
        budget_matches=matches,
        placement_matches={row.id: matched(around, row.match) for row in table.placements},
        rows=row_numbers(records.table, around, linked, Estimates.of(models, arenas), matches),
        reservations=tuple(records.reservations),
    )


def surroundings(records: Records) -> tuple[Surroundings, Layout]:
    """Return the image's sections and regions, and which lies where."""
    elf, link_map = records.elf, records.link_map
    regions = regions_of(records.table, link_map, elf.bits if elf else _MAP_BITS)
    if elf is not None:
        sections = sections_of_elf(elf, link_map)
        unallocated = unallocated_sections(elf, link_map)
    else:
        sections = sections_of_map(link_map, regions) if link_map else ()
        unallocated = ()
    layout = lay_out(sections, regions, unallocated)
    around = Surroundings(sections, regions, homes(layout.placements), elf, link_map)
    return around, layout


def _elf_facts(elf: ElfFile | None) -> ElfFacts | None:
    if elf is None:
        return None
    return ElfFacts(elf.path, elf.kind, elf.machine, len(elf.symbols) == 0)


def _map_facts(records: Records, around: Surroundings) -> MapFacts:
    link_map, elf = records.link_map, records.elf
    assert link_map is not None
    allocated = {(section.name, section.vma) for section in around.sections}
    own_regions = map_regions(link_map, elf.bits if elf else _MAP_BITS)
    own = usages(lay_out(sections_of_map(link_map, own_regions), own_regions), own_regions)
    return MapFacts(
        path=link_map.path,
        line_count=link_map.line_count,
        unknown=tuple(Evidence(link_map.path, line.line, line.text) for line in link_map.unknown),
        unconserved=unconserved(link_map, allocated),
        disagreements=disagreements(link_map, elf) if elf else (),
        overflows=tuple(usage for usage in own if usage.free < 0),
        sections=sum(1 for section in link_map.sections if section.size),
    )
