"""The good firmware of fixtures/, read once and then judged under any table."""

from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path

from mapinspect.analysis.inspect import Records, inspect
from mapinspect.checks.judge import judge
from mapinspect.model.baseline import Baseline
from mapinspect.model.elf_file import ElfFile
from mapinspect.model.finding import Outcome
from mapinspect.model.inspection import Inspection
from mapinspect.model.link_map import LinkMap
from mapinspect.model.measurement import Measurement
from mapinspect.model.part import Part
from mapinspect.model.report import Report, Verdict
from mapinspect.pipeline import Request, Run
from mapinspect.readers.budget.reader import read_budget
from mapinspect.readers.elf import read_elf
from mapinspect.readers.gnu_map import read_map
from mapinspect.readers.parts import read_part

FOLDER = Path(__file__).resolve().parents[1] / "fixtures" / "built" / "good"
MODEL = FOLDER.parents[1] / "models" / "kws_int8.tflite"
HEAD = """\
version = 1
[project]
mcu = "STM32L476RE"
[inputs]
models = [
  { name = "kws", file = "kws_int8.tflite", symbol = "g_kws_model", arena = "tensor_arena", runtime = "plan-only" },
]
"""  # noqa: E501 - an inline table is one line


@cache
def _files() -> tuple[ElfFile, LinkMap, Part]:
    elf = read_elf("app.elf", (FOLDER / "app.elf").read_bytes())
    return elf, read_map("app.map", (FOLDER / "app.map").read_bytes()), read_part("STM32L476RE")


@cache
def _needs() -> tuple[bytes, dict]:
    request = Request(config=FOLDER / "mapinspect.toml")
    return MODEL.read_bytes(), Run(request).needs()[1]


REGIONS = """\
[[region]]
name = "FLASH"
kind = "flash"
origin = 0x0800_0000
length = "512K"
[[region]]
name = "SRAM1"
kind = "sram"
origin = 0x2000_0000
length = "96K"
[[region]]
name = "SRAM2"
kind = "sram"
origin = 0x1000_0000
length = "32K"
"""


def facts(
    rows: str,
    *,
    elf: ElfFile | None = None,
    baseline: Baseline | None = None,
    measured: Iterable[Measurement] = (),
    with_map: bool = True,
) -> Inspection:
    """The good firmware's facts under a table with these rows."""
    linked, link_map, part = _files()
    content, needs = _needs()
    table = read_budget("mapinspect.toml", (HEAD + rows).encode())
    return inspect(
        Records(
            table=table,
            elf=elf or linked,
            link_map=link_map if with_map else None,
            models=tuple((entry, content) for entry in table.inputs.models),
            needs=needs,
            part=part,
            baseline=baseline,
            measured=tuple(_of_this_build(item, linked) for item in measured),
        )
    )


def _of_this_build(item: Measurement, elf: ElfFile) -> Measurement:
    """The measurement, with the build-id of the good firmware where it says "auto"."""
    auto = item.run.build_id == "auto"
    return replace(item, run=replace(item.run, build_id=elf.build_id)) if auto else item


def verdict(inspection: Inspection, **options: bool) -> Verdict:
    """The verdict of all checks over these facts."""
    return Report(".", (), inspection, judge(inspection, **options), ()).verdict


def outcomes(inspection: Inspection, check: str) -> list[Outcome]:
    """What one check answered, after the table's severities and waivers."""
    return [outcome for outcome in judge(inspection) if outcome.check == check]
