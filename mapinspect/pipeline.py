"""Files in, Report out: the library's front door.

report = check(Request(config=Path("mapinspect.toml")))
print(report.verdict)
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from mapinspect.analysis.budget_lines import budget_lines
from mapinspect.analysis.inspect import Records, inspect
from mapinspect.checks import CATALOGUE
from mapinspect.checks.judge import judge
from mapinspect.checks.notes import ages, notes
from mapinspect.errors import InputError
from mapinspect.model.arena import ArenaNeed
from mapinspect.model.baseline import Baseline
from mapinspect.model.budget import BudgetTable, Inputs, ModelEntry
from mapinspect.model.elf_file import ElfFile
from mapinspect.model.finding import Finding, Severity
from mapinspect.model.image import Evidence, Region
from mapinspect.model.inspection import Inspection
from mapinspect.model.link_map import LinkMap
from mapinspect.model.measurement import Build, Measurement
from mapinspect.model.network import Network
from mapinspect.model.part import Part
from mapinspect.model.remedy import Remedy
from mapinspect.model.report import InputFile, Report
from mapinspect.needs import arena_need, arena_sizes, explained, models_in, recognised_in
from mapinspect.readers.budget.find import find_config, passed_over
from mapinspect.readers.model_entries import model_entries
from mapinspect.readers.source import SourceFile, is_same, read_source

_NO_IMAGE = "use --elf FILE, or name it in a mapinspect.toml here or above"


@dataclass(frozen=True, slots=True)
class Request:
    """What to check: files named here win over those that the budget table names.

    Without ``config`` the table is looked for from the working directory upward, to the root of
    the repository. ``warnings_fail`` turns every warning into a broken claim. ``profile`` is one
    of the table's; ``baseline`` an earlier JSON report; ``today`` what waivers expire by.
    ``script`` is the linker script, whose regions an image without a map is judged by;
    ``measured`` are further logs of the device, ``mcu`` names the part instead of the table;
    ``log`` is what the runtime wrote, to be explained.
    """

    elf: Path | None = None
    map: Path | None = None
    models: tuple[Path, ...] = ()
    config: Path | None = None
    warnings_fail: bool = False
    profile: str | None = None
    baseline: Path | None = None
    today: date | None = None
    script: Path | None = None
    measured: tuple[Path, ...] = ()
    mcu: str | None = None
    log: Path | None = None


class Run:
    """One check, step by step; remembers which inputs were read, also when one is refused.

    ``passed_over`` says of a second table beside the one that was found that it has no effect.
    """

    def __init__(self, request: Request) -> None:
        self._request = request
        self._inputs: list[InputFile] = []
        self._folder = "."
        self._listed = Inputs()
        self.passed_over: tuple[str, ...] = ()
        self._measured_names: tuple[str, ...] = tuple(str(path) for path in request.measured)

    def report(self) -> Report:
        """Return the report of the whole run; an input that cannot be used is its failure."""
        try:
            report = self._report()
        except InputError as error:
            report = self._failed(error)
        return replace(report, named=tuple(self._named()))

    def needs(self) -> tuple[tuple[ModelEntry, ...], dict[str, ArenaNeed]]:
        """Return the models of table and command line, and what each needs of its arena."""
        models = tuple(self._model(entry) for entry in self._entries(self.table()))
        return tuple(entry for entry, _, _ in models), {
            entry.name: arena_need(entry, network, None) for entry, _, network in models
        }

    def _report(self) -> Report:
        table = self.table()
        elf = self._elf(table)
        link_map = self.link_map(table)
        if elf is None and link_map is None:
            raise InputError(
                table.path or "mapinspect", None, "no ELF and no map is given", _NO_IMAGE
            )
        models = tuple(self._model(entry) for entry in self._entries(table))
        records = Records(
            table=table,
            elf=elf,
            link_map=link_map,
            models=tuple((entry, source.content) for entry, source, _ in models),
            needs={entry.name: arena_need(entry, network, elf) for entry, _, network in models},
            part=self._part(table),
            baseline=self._baseline(table),
            networks={entry.name: network for entry, _, network in models},
            stored=models_in(elf, ((source.content, network) for _, source, network in models)),
            measured=self._measured(table, elf),
            sha256=next((item.sha256 for item in self._inputs if item.role == "elf"), ""),
            script_regions=() if link_map else self._script_regions(table),
            recognised=recognised_in(elf, link_map, self._runtimes(table)),
            arena_sizes=lambda: arena_sizes(elf),
        )
        inspection = inspect(records)
        _refuse_stale(inspection)
        outcomes = judge(inspection, warnings_fail=self._request.warnings_fail)
        lines = budget_lines(inspection)
        log, said = self._request.log, (*self.passed_over, *notes(table, outcomes))
        wrote = explained(self._read(log, "log", "log"), records.needs.values()) if log else ()
        if log and not wrote:
            said += (f"{log} explains nothing: no known line of the runtime, or no model is given",)
        inputs = tuple(self._inputs)
        if inspection.map is not None and inspection.map.disagreements:
            said += ages(inputs)
        ways_out = _remedies(inspection, records)
        return Report(
            self._folder, inputs, inspection, outcomes, lines, said, log=wrote, remedies=ways_out
        )

    def _named(self) -> Iterator[str]:
        """Yield every file that command line and table name as an input."""
        request, listed = self._request, self._listed
        files = (request.config, request.elf, request.map, request.baseline, request.script)
        for path in (*files, request.log, *request.models):
            if path is not None:
                yield str(path)
        models = (entry.file for entry in listed.models)
        names = (listed.elf, listed.map, listed.baseline, listed.script, *listed.runtimes)
        for name in (*names, *models):
            if name is not None:
                yield str(self._beside(name))
        yield from self._measured_names

    def _failed(self, error: InputError) -> Report:
        place = Evidence(error.path, error.line, error.what)
        finding = Finding(
            Severity.ERROR, error.path, error.what, (place,), error.remedy, check="input"
        )
        return Report(self._folder, tuple(self._inputs), None, (), (), failure=finding)

    def table(self) -> BudgetTable:
        """Return the budget table: the one named, or the nearest; raises InputError."""
        path = self._request.config or find_config()
        if path is None:
            if self._request.profile is not None:
                raise InputError("--profile", None, "has no table to override", "use --config FILE")
            return BudgetTable(path="")
        from mapinspect.readers.budget.acceptance import accept  # noqa: PLC0415 - start-up time
        from mapinspect.readers.budget.reader import read_budget  # noqa: PLC0415 - the same

        if self._request.config is None:
            self.passed_over = passed_over(path)
        source = self._read(path, "budget", "budget table")
        self._folder = os.path.dirname(source.path) or "."
        table = read_budget(source.path, source.content, self._request.profile)
        self._listed = table.inputs
        least = {check.id: check.least for check in CATALOGUE}
        return accept(table, least, self._request.today or date.today())

    def _elf(self, table: BudgetTable) -> ElfFile | None:
        path = self._request.elf or self._beside(table.inputs.elf)
        if path is None:
            return None
        from mapinspect.readers.elf import read_elf  # noqa: PLC0415 - start-up time

        source = self._read(path, "elf", "ELF file")
        elf = read_elf(source.path, source.content)
        if elf.kind != "EXEC":
            kinds = {"REL": "an object file", "DYN": "a shared object", "CORE": "a core dump"}
            what = f"is {kinds.get(elf.kind, elf.kind)}, not a linked firmware"
            raise InputError(source.path, None, what, "name the ELF that ld wrote")
        return elf

    def link_map(self, table: BudgetTable) -> LinkMap | None:
        """Return the map, from the command line or the table, or None."""
        path = self._request.map or self._beside(table.inputs.map)
        if path is None:
            return None
        from mapinspect.readers.gnu_map import read_map  # noqa: PLC0415 - start-up time

        source = self._read(path, "map", "link map")
        return read_map(source.path, source.content)

    def _runtimes(self, table: BudgetTable) -> list[SourceFile]:
        paths = (self._beside(name) for name in table.inputs.runtimes)
        return [self._read(path, "runtimes", "table of runtimes") for path in paths if path]

    def _part(self, table: BudgetTable) -> Part | None:
        name = self._request.mcu or table.part
        if name is None:
            return None
        from mapinspect.readers.parts import read_part  # noqa: PLC0415 - start-up time

        return read_part(name, place=None if self._request.mcu else table.part_declared)

    def _script_regions(self, table: BudgetTable) -> tuple[Region, ...]:
        """Return the regions of the linker script, from command line or table, if any."""
        path = self._request.script or self._beside(table.inputs.script)
        if path is None:
            return ()
        from mapinspect.readers.linker_script import read_memory  # noqa: PLC0415 - start-up time
        from mapinspect.readers.linker_sources import include_beside  # noqa: PLC0415 - the same

        source = self._read(path, "script", "linker script")
        return read_memory(source.path, source.content, include_beside(path)).regions

    def _baseline(self, table: BudgetTable) -> Baseline | None:
        """Return the earlier report, also one that cannot be used: its check says what follows."""
        path = self._request.baseline or self._beside(table.inputs.baseline)
        if path is None:
            return None
        from mapinspect.readers.baseline import read_baseline  # noqa: PLC0415 - start-up time

        try:
            source = self._read(path, "baseline", "baseline report")
        except InputError as error:
            return Baseline(str(path), fault=f"cannot be used: {error.what}")
        return read_baseline(source.path, source.content)

    def _measured(self, table: BudgetTable, elf: ElfFile | None) -> tuple[Measurement, ...]:
        """Return what devices measured, from the table's files and the command line's."""
        if not (self._measured_names or table.inputs.measured or table.measured):
            return ()
        from mapinspect.readers.measured.gather import gather, wanted  # noqa: PLC0415 - rare

        files = wanted(table, self._folder, self._measured_names)
        self._measured_names = files.paths
        return gather(files, lambda path: self._read(Path(path), "measured", "measured file"), elf)

    def _entries(self, table: BudgetTable) -> tuple[ModelEntry, ...]:
        """Return the table's models, each from the file of its name on the command line."""
        return model_entries(table.inputs.models, self._request.models, self._beside)

    def _model(self, entry: ModelEntry) -> tuple[ModelEntry, SourceFile, Network]:
        from mapinspect.readers.tflite import read_network  # noqa: PLC0415 - start-up time

        source = self._read(Path(entry.file), "model", "model file")
        return entry, source, read_network(source.path, source.content)

    def _beside(self, name: str | None) -> Path | None:
        """Return a file that the table names, relative to the table's folder."""
        if name is None:
            return None
        path = os.path.join(self._folder, name)
        plain = os.path.normpath(path)
        # `..` behind a link leads elsewhere than its spelling says: then the spelling is kept.
        return Path(plain if is_same(plain, path) else path)

    def _read(self, path: Path, role: str, what: str) -> SourceFile:
        source = read_source(path, str(path), what)
        size, digest, written = len(source.content), source.sha256, source.modified
        self._inputs.append(InputFile(role, source.path, size, digest, written))
        return source


def check(request: Request) -> Report:
    """Read the inputs, gather the facts, judge every claim; never raises InputError."""
    return Run(request).report()


def _remedies(inspection: Inspection, records: Records) -> tuple[Remedy, ...]:
    """Return the ways out for regions over their limits; none where map and ELF disagree."""
    over = any(
        usage.free < 0 or limit.measured(usage) > limit.limit
        for usage, limit in zip(inspection.usages, inspection.limits, strict=True)
    )
    doubtful = inspection.map is not None and inspection.map.disagreements
    if not over or doubtful:
        return ()
    from mapinspect.analysis.inspect import surroundings  # noqa: PLC0415 - seldom
    from mapinspect.analysis.remedies import remedies  # noqa: PLC0415 - start-up time

    return remedies(inspection, surroundings(records)[0])


def _refuse_stale(inspection: Inspection) -> None:
    """Raise InputError for a measurement of another build, where the table wants it refused."""
    for found in inspection.measured if inspection.table.inputs.stale == "refuse" else ():
        if found.build in (Build.OTHER, Build.UNKNOWN):
            place = found.item.evidence
            what = f"is of build {found.item.run.build_id}, not of this image"
            raise InputError(place.file, None, what, "measure this build")
