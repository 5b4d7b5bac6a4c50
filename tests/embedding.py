"""Images of a few sections with models in them, inspected as the pipeline does it."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from mapinspect.analysis.inspect import Records, inspect
from mapinspect.checks.judge import judge
from mapinspect.model.budget import BudgetTable, ModelEntry, RegionRow
from mapinspect.model.elf_file import ElfFile
from mapinspect.model.finding import Outcome
from mapinspect.model.image import Evidence
from mapinspect.model.inspection import Inspection
from mapinspect.model.link_map import LinkMap
from mapinspect.needs import arena_need, models_in
from mapinspect.readers.elf import read_elf
from mapinspect.readers.tflite import read_network
from tests.elf_builder import ElfSectionSpec, ElfSymbolSpec, build_elf, text

MODELS = Path(__file__).resolve().parents[1] / "fixtures" / "models"
DENSE = (MODELS / "dense_int8.tflite").read_bytes()
FLASH, RAM, QSPI = 0x0800_0000, 0x2000_0000, 0x9000_0000
DECLARED = Evidence("mapinspect.toml", 1, "models")
REGIONS = tuple(
    RegionRow(name, kind, origin, size, None, None, "extent", optional=False, declared=DECLARED)
    for name, kind, origin, size in (
        ("FLASH", "flash", FLASH, 0x20_0000),
        ("RAM", "sram", RAM, 0x10_0000),
        ("QSPI", "external-flash", QSPI, 0x80_0000),
    )
)


def entry(name: str = "net", symbol: str | None = None, **more: str | None) -> ModelEntry:
    return ModelEntry(
        name,
        f"{name}.tflite",
        symbol,
        more.get("arena"),
        more.get("runtime", "plan-only"),
        DECLARED,
    )


def inspect_elf(
    elf: ElfFile,
    models: Sequence[tuple[ModelEntry, bytes]] = (),
    *,
    link_map: LinkMap | None = None,
    table: BudgetTable | None = None,
    **records: object,
) -> Inspection:
    """The facts about an image and these models, read from their bytes."""
    networks = {item.name: read_network(item.file, content) for item, content in models}
    given = [(content, networks[item.name]) for item, content in models]
    return inspect(
        Records(
            table=replace(table or BudgetTable(""), regions=REGIONS),
            elf=elf,
            link_map=link_map,
            models=tuple(models),
            needs={item.name: arena_need(item, networks[item.name], elf) for item, _ in models},
            networks=networks,
            stored=models_in(elf, given),
            **records,
        )
    )


def image(
    *sections: ElfSectionSpec, symbols: Sequence[ElfSymbolSpec] = (), **options: object
) -> ElfFile:
    """An ELF with these sections behind 64 bytes of code."""
    return read_elf("app.elf", build_elf([text(bytes(64)), *sections], symbols, **options))


def rodata(content: bytes, vma: int = FLASH + 0x1000, name: str = ".rodata") -> ElfSectionSpec:
    return ElfSectionSpec(name, content, vma, alignment=16)


def outcomes(inspection: Inspection, check: str) -> list[Outcome]:
    """What one check answers."""
    return [outcome for outcome in judge(inspection) if outcome.check == check]


def messages(inspection: Inspection, check: str) -> list[str]:
    """What one check finds, in words."""
    return [item.message for outcome in outcomes(inspection, check) for item in outcome.findings]
