"""Small inspections for tests of checks and reports: name only what the test is about."""

from dataclasses import replace
from fractions import Fraction
from itertools import count

from mapinspect.analysis.inspect import Records, inspect
from mapinspect.analysis.limits import region_limits
from mapinspect.analysis.placement import account
from mapinspect.analysis.usage import usages
from mapinspect.model.budget import Amount, BudgetTable, ModelEntry, RegionRow
from mapinspect.model.image import Evidence, Region, Span
from mapinspect.model.inspection import (
    ArenaFacts,
    Disagreement,
    ElfFacts,
    Inspection,
    Located,
    MapFacts,
    ModelCopy,
    ModelFacts,
    PlacedSection,
    Unconserved,
)

_ORDINALS = count(1)  # sections lie in the image in the order in which a test makes them
FLASH = Region("FLASH", Span(0x0800_0000, 0x1_0000), "xr", Evidence("app.map", 3, "FLASH"))
RAM = Region("RAM", Span(0x2000_0000, 0x1000), "xrw", Evidence("app.map", 4, "RAM"))


def section(
    name: str,
    vma: int,
    size: int,
    *,
    lma: int | None = None,
    stored: bool = True,
    writable: bool = False,
    ordinal: int = 0,
) -> PlacedSection:
    return PlacedSection(
        ordinal=ordinal or next(_ORDINALS),
        name=name,
        size=size,
        vma=vma,
        lma=vma if lma is None else lma,
        alignment=4,
        has_contents=stored,
        writable=writable,
        executable=False,
        evidence=Evidence("app.elf", None, f"{name} at {vma:#010x}, {size} bytes"),
    )


def text(size: int = 0x400) -> PlacedSection:
    return section(".text", FLASH.span.start, size)


def bss(size: int, vma: int = RAM.span.start) -> PlacedSection:
    return section(".bss", vma, size, stored=False, writable=True)


def data(size: int, lma: int = FLASH.span.start + 0x8000) -> PlacedSection:
    return section(".data", RAM.span.start + 0x800, size, lma=lma, writable=True)


def region_row(
    name: str, limit: int | None = None, *, warn: int | None = None, kind: str | None = None
) -> RegionRow:
    return RegionRow(
        name=name,
        kind=kind,
        origin=None,
        length=None,
        limit=None if limit is None else Amount(limit, None, str(limit)),
        warn=None if warn is None else Amount(warn, None, str(warn)),
        count="extent",
        optional=False,
        declared=Evidence("mapinspect.toml", 3, f"limit = {limit}"),
    )


def table(*regions: RegionRow, margin: int | None = None, of: str = "region") -> BudgetTable:
    share = None if margin is None else Amount(None, Fraction(margin, 100), f"{margin}%")
    return BudgetTable("mapinspect.toml", margin=share, margin_of=of, regions=regions)


def inspection(
    *sections: PlacedSection,
    budget: BudgetTable | None = None,
    regions: tuple[Region, ...] = (FLASH, RAM),
) -> Inspection:
    """An ELF's inspection with these sections, in these regions, under this table."""
    budget = budget or table()
    accounts = account(sections, regions)
    return replace(
        inspect(Records(budget, None, None)),
        elf=ElfFacts("app.elf", "EXEC", "ARM", stripped=False),
        regions=regions,
        usages=usages(accounts, regions),
        limits=region_limits(budget, regions),
        placements=accounts.placements,
    )


def located(name: str, home: PlacedSection, offset: int = 0, size: int = 64) -> Located:
    start = home.vma + offset
    holding = [item for item in (FLASH, RAM) if item.span.contains(Span(start, 1))]
    loading = [item for item in (FLASH, RAM) if item.span.contains(Span(home.lma + offset, 1))]
    return Located(
        name=name,
        span=Span(start, size),
        lma=home.lma + offset,
        section=home,
        region=holding[0].name if holding else None,
        load_region=loading[0].name if loading and home.lma != home.vma else None,
        evidence=Evidence("app.elf", None, f"{name} at {start:#010x}, {size} bytes"),
    )


def model(*copies: ModelCopy, size: int = 64) -> ModelFacts:
    declared = Evidence("mapinspect.toml", 9, "models = …")
    entry = ModelEntry("kws", "kws.tflite", "g_model", "tensor_arena", "plan-only", declared)
    return ModelFacts(entry, size, copies)


def copy(place_: Located, *, matches: bool | None = True, first: int | None = None) -> ModelCopy:
    return ModelCopy(place_, matches, first)


def arena(*candidates: Located, needed: int | None = 1000, exact: bool = True) -> ArenaFacts:
    return ArenaFacts(
        models=("kws",),
        wanted="tensor_arena",
        candidates=candidates,
        needed=needed,
        exact=exact,
        reasons=() if exact else ("its runtime is not named",),
        need_evidence=(Evidence("kws.tflite", None, f"kws needs {needed} bytes of arena"),),
    )


def map_facts(
    *,
    unknown: int = 0,
    unconserved: bool = False,
    disagree: bool = False,
) -> MapFacts:
    where = Evidence("app.map", 7, ".bss 0x20000000 0x1000")
    differ = ".bss has 4096 bytes in the map and 2064 in the ELF"
    return MapFacts(
        path="app.map",
        line_count=100,
        unknown=tuple(Evidence("app.map", 20 + n, "???") for n in range(unknown)),
        unconserved=(Unconserved(".text", 100, 90, where),) if unconserved else (),
        disagreements=(Disagreement(".bss", differ, where, where),) if disagree else (),
        overflows=(),
        sections=3,
    )
