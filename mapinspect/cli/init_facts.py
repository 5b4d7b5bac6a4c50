"""What `mapinspect init` knows of an image: its files, what is recognised in them, its memories."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from mapinspect.analysis.inspect import Records, inspect, surroundings
from mapinspect.analysis.locate import Surroundings
from mapinspect.analysis.models import GivenModel, model_facts
from mapinspect.analysis.proposal.amounts import glob_of
from mapinspect.analysis.proposal.propose import Wording, propose
from mapinspect.analysis.regions import map_regions
from mapinspect.checks.judge import judge
from mapinspect.cli.init_arenas import arena_names, with_arenas
from mapinspect.cli.sources import read_elf_file, read_link_map
from mapinspect.errors import InputError
from mapinspect.model.budget import BudgetTable, ModelEntry, RegionRow
from mapinspect.model.elf_file import ElfFile
from mapinspect.model.finding import Status
from mapinspect.model.image import Evidence, Region
from mapinspect.model.inspection import Inspection, ModelCopy
from mapinspect.model.link_map import LinkMap
from mapinspect.model.network import Network
from mapinspect.model.part import Part
from mapinspect.model.proposal import Entry, Proposal, ProposedRow
from mapinspect.model.runtime import Recognised
from mapinspect.model.symbol_names import is_nameless, readable_name
from mapinspect.needs import arena_need, arena_sizes, models_in, recognised_in
from mapinspect.readers.linker_script import include_beside, read_memory
from mapinspect.readers.parts import read_part
from mapinspect.readers.source import read_source
from mapinspect.readers.tflite import read_network

_KINDS = {"flash": "flash", "ram": "sram"}  # banks as the table calls them


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a table is wanted for: the files, the part, the linker script; where it will lie."""

    elf: Path
    map: Path | None
    models: tuple[Path, ...]
    part: str | None
    script: Path | None
    folder: Path


@dataclass(frozen=True, slots=True)
class _Model:
    """A model file, as the table will name it."""

    entry: ModelEntry
    content: bytes
    network: Network


def proposal(wanted: Wanted) -> Proposal:
    """Return the table for an image; raises InputError when a file cannot be used."""
    elf = read_elf_file(wanted.elf)
    if elf.kind != "EXEC":
        raise InputError(elf.path, None, "is no linked firmware", "name the ELF that ld wrote")
    link_map = read_link_map(wanted.map) if wanted.map else None
    part = read_part(wanted.part) if wanted.part else None
    declared = _declared(elf, link_map, part, wanted.script)
    table = BudgetTable(path="", regions=declared)
    records = Records(table, elf, link_map, part=part)
    around, _ = surroundings(records)
    recognised = recognised_in(elf, link_map, ())
    models, questions = _models(wanted, records, recognised)
    records = replace(
        records,
        models=tuple((item.entry, item.content) for item in models),
        needs={item.entry.name: arena_need(item.entry, item.network, elf) for item in models},
        networks={item.entry.name: item.network for item in models},
        stored=models_in(elf, ((item.content, item.network) for item in models)),
        recognised=recognised,
        arena_sizes=lambda: arena_sizes(elf),
    )
    inspection = inspect(records)
    _refuse_disagreement(inspection)
    wording = _wording(wanted, models, declares=bool(declared), questions=questions)
    made = propose(inspection, around, recognised, wording)
    return replace(made, defects=(*made.defects, *_broken(inspection, made)))


def _broken(inspection: Inspection, made: Proposal) -> Iterator[str]:
    """Yield what breaks whatever the limits, once the table says which kinds memories are."""
    stated = {row.name for row in inspection.table.regions}
    kinds = {str(row.value("name")): row.value("kind") for row in made.regions}
    guessed = tuple(
        _of_kind(name, str(kind)) for name, kind in kinds.items() if kind and name not in stated
    )
    table = replace(inspection.table, regions=(*inspection.table.regions, *guessed))
    for outcome in judge(replace(inspection, table=table)):
        if outcome.status is Status.BROKEN:
            yield from (finding.message for finding in outcome.findings)


def _of_kind(name: str, kind: str) -> RegionRow:
    place = Evidence("", None, name)
    return RegionRow(
        name, kind, None, None, None, None, count="extent", optional=False, declared=place
    )


def _wording(
    wanted: Wanted, models: Sequence[_Model], *, declares: bool, questions: Sequence[str]
) -> Wording:
    """Return what the table calls things; its paths are relative to its folder."""
    return Wording(
        project=wanted.elf.stem,
        part=wanted.part,
        elf=_beside(wanted.elf, wanted.folder),
        map=_beside(wanted.map, wanted.folder) if wanted.map else None,
        models=tuple(_row(item.entry, wanted.folder) for item in models),
        declares=declares,
        questions=tuple(questions),
    )


def _refuse_disagreement(inspection: Inspection) -> None:
    """Raise InputError when map and ELF are of two links: what would be proposed is of neither."""
    if inspection.map is not None and inspection.map.disagreements:
        first = inspection.map.disagreements[0]
        what = f"is not of the link that made the ELF: {first.message}"
        raise InputError(inspection.map.path, first.in_map.line, what, "link again")


def _declared(
    elf: ElfFile, link_map: LinkMap | None, part: Part | None, script: Path | None
) -> tuple[RegionRow, ...]:
    """Return the regions that the table must declare: those that no map gives."""
    if link_map is not None and map_regions(link_map, elf.bits):
        return ()
    if script is not None:
        source = read_source(script, str(script), "linker script")
        regions = read_memory(source.path, source.content, include_beside(script)).regions
        return tuple(_region_row(region, None) for region in regions if region.span.size)
    if part is not None:
        banks = [bank for bank in part.banks if bank.kind in _KINDS]
        regions = tuple(Region(bank.name, bank.span, "", part.declared) for bank in banks)
        pairs = zip(regions, banks, strict=True)
        return tuple(_region_row(region, _KINDS[bank.kind]) for region, bank in pairs)
    path = elf.path if link_map is None else link_map.path
    more = "--map, " if link_map is None else ""
    remedy = f"add {more}--mcu or --linker-script"
    raise InputError(path, None, "says nothing about memory regions", remedy)


def _region_row(region: Region, kind: str | None) -> RegionRow:
    granted = region.attributes.split("!")[0]
    if kind is None and granted:
        kind = "sram" if "w" in granted else "flash"
    return RegionRow(
        name=region.name,
        kind=kind,
        origin=region.span.start,
        length=region.span.size,
        limit=None,
        warn=None,
        count="extent",
        optional=False,
        declared=region.declared,
    )


def _models(
    wanted: Wanted, records: Records, recognised: Sequence[Recognised]
) -> tuple[list[_Model], list[str]]:
    """Return each model with its symbols, and what could not be told about them."""
    models: list[_Model] = []
    taken: set[int] = set()
    around, _ = surroundings(records)
    for path in wanted.models:
        source = read_source(path, str(path), "model file")
        name = _unused(path.stem, [item.entry.name for item in models])
        declared = Evidence(source.path, None, "given with --model")
        entry = ModelEntry(name, source.path, None, None, None, declared)
        copies = _equal_copies(around, entry, source.content)
        taken |= {copy.place.span.start for copy in copies}
        names = (copy.place.name for copy in copies)
        symbol = next((name for name in names if not is_nameless(name)), None)
        entry = replace(entry, symbol=symbol and glob_of(readable_name(symbol)))
        models.append(_Model(entry, source.content, read_network(source.path, source.content)))
    models = _pair(models, [item for item in recognised if item.span.start not in taken])
    entries, questions = with_arenas([item.entry for item in models], arena_names(recognised))
    models = [replace(item, entry=entry) for item, entry in zip(models, entries, strict=True)]
    assert records.elf is not None
    models = [_with_runtime(item, records.elf) for item in models]
    questions += [
        f"{item.entry.name} is not in the image, byte for byte: is symbol = {item.entry.symbol!r}?"
        if item.entry.symbol
        else f"{item.entry.name} is nowhere in the image: this fails until it is linked"
        for item in models
        if not _equal_copies(around, item.entry, item.content)
    ]
    return models, questions


def _equal_copies(around: Surroundings, entry: ModelEntry, content: bytes) -> list[ModelCopy]:
    """Return the places where the file's bytes are, whatever symbols say."""
    given = GivenModel(replace(entry, symbol=None), content)
    return [copy for copy in model_facts(around, [given], ())[0].copies if copy.matches]


def _pair(models: list[_Model], others: list[Recognised]) -> list[_Model]:
    """Give the one model that is not in the image the symbol of the one left over."""
    lost = [item for item in models if item.entry.symbol is None]
    weights = [item for item in others if item.role == "weights" and item.confidence != "low"]
    if len(lost) != 1 or len(weights) != 1:
        return models
    symbol = glob_of(readable_name(weights[0].name))
    return [
        replace(item, entry=replace(item.entry, symbol=symbol)) if item is lost[0] else item
        for item in models
    ]


def _with_runtime(model: _Model, elf: ElfFile) -> _Model:
    """Name the runtime where the image shows none: then only the plan is left to hold."""
    unknown = arena_need(model.entry, model.network, elf).profile == "no known runtime"
    if not unknown or not len(elf.symbols) or model.entry.arena is None:
        return model
    if any("tflite" in name for name in elf.symbols.names()):
        return model
    return replace(model, entry=replace(model.entry, runtime="plan-only"))


def _row(entry: ModelEntry, folder: Path) -> ProposedRow:
    values = [("name", entry.name), ("file", _beside(Path(entry.file), folder))]
    values += [
        (key, value)
        for key, value in (
            ("symbol", entry.symbol),
            ("arena", entry.arena),
            ("runtime", entry.runtime),
        )
        if value is not None
    ]
    above: tuple[str, ...] = ()
    if entry.runtime is not None:
        above = (
            f"{entry.name}: no known runtime is in the image, so its arena is taken to hold just",
            "what the plan needs; name the runtime if there is one",
        )
    return ProposedRow(tuple(Entry(key, value) for key, value in values), above)


def _beside(path: Path, folder: Path) -> str:
    """Return a path relative to the table's folder, with forward slashes; absolute if need be."""
    try:
        return os.path.relpath(path, folder).replace(os.sep, "/")
    except ValueError:  # another drive of Windows
        return str(path.absolute()).replace(os.sep, "/")


def _unused(name: str, used: list[str]) -> str:
    number = 2
    wanted = name
    while wanted in used:
        wanted, number = f"{name}-{number}", number + 1
    return wanted
