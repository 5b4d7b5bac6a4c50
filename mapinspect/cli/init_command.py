"""``mapinspect init``: the first budget table of a firmware."""

import os
from collections.abc import Iterator
from pathlib import Path

import click

from mapinspect.cli.outputs import print_text, write_text
from mapinspect.cli.sources import refuse_same
from mapinspect.errors import InputError
from mapinspect.model.finding import Status
from mapinspect.model.proposal import Proposal
from mapinspect.model.report import Report
from mapinspect.pipeline import Request, check
from mapinspect.readers.source import is_same
from mapinspect.reports.printable import printable

_FILE = click.Path(path_type=Path)


@click.command("init", epilog="Exit status: 0 written, 2 not possible with these files, 3 a bug.")
@click.option("--elf", type=_FILE, required=True, help="The linked ELF file.")
@click.option("--map", "map_", type=_FILE, help="The GNU ld map of the same link.")
@click.option(
    "--model",
    "models",
    type=_FILE,
    multiple=True,
    help="A .tflite file it embeds; may be given several times.",
)
@click.option("--mcu", "part", metavar="PART", help="The microcontroller, such as STM32L476RE.")
@click.option("--linker-script", "script", type=_FILE, help="Its MEMORY, where no map is given.")
@click.option(
    "--output",
    type=_FILE,
    default=Path("mapinspect.toml"),
    show_default=True,
    help="The table to write; - prints it.",
)
@click.option("--force", is_flag=True, help="Overwrite a table that is there already.")
def init_command(
    *,
    elf: Path,
    map_: Path | None,
    models: tuple[Path, ...],
    part: str | None,
    script: Path | None,
    output: Path,
    force: bool,
) -> int:
    """Write a first budget table for a linked firmware.

    Regions get today's use, rounded up, with room to grow; weights, arena, stack and heap are
    recognised and get rows. The table asks for what is recommended: what the image does wrong,
    such as weights in RAM, goes on failing, with a comment.

    \b
      mapinspect init --elf build/fw.elf --map build/fw.map --model net.tflite
    """  # noqa: D301 - click reads \b as "do not wrap what follows"
    from mapinspect.cli.init_facts import Wanted, proposal  # noqa: PLC0415 - start-up time
    from mapinspect.reports import budget_toml  # noqa: PLC0415 - the same

    shown = str(output) == "-"
    if not shown:
        _refuse_existing(output, force=force)
        refuse_same(output, (elf, map_, script, *models))
    _refuse_twice(models)
    folder = Path() if shown else output.parent
    made = proposal(Wanted(elf, map_, models, part, script, folder))
    text = budget_toml.render(made)
    _refuse_names(text, elf)
    if shown:
        print_text(text)
        return 0
    write_text(output, text)
    print_text("".join(f"{line}\n" for line in _said(output, made)))
    return 0


def _said(output: Path, made: Proposal) -> Iterator[str]:
    """Yield what the written table asks for, and what `mapinspect check` says to it."""
    rows = len(made.regions) + len(made.budgets) + len(made.placements)
    report = check(Request(config=output))
    verdict = report.verdict.value.upper()
    yield f"{printable(str(output), 1000)}: written, {rows} rows; mapinspect check says {verdict}"
    yield from (f"  wrong today: {printable(line, 300)}" for line in made.defects)
    yield from (f"  undecided: {printable(line, 300)}" for line in _undecided(report))
    yield from (f"  open: {printable(line, 300)}" for line in made.open_questions)


def _undecided(report: Report) -> Iterator[str]:
    """Yield why a report is UNKNOWN."""
    if report.failure is not None:
        yield report.failure.message
    for outcome in report.outcomes:
        if outcome.status is Status.UNDECIDED:
            yield from (finding.message for finding in outcome.findings)


def _refuse_twice(models: tuple[Path, ...]) -> None:
    for number, path in enumerate(models):
        if any(is_same(str(path), str(other)) for other in models[:number]):
            raise InputError(str(path), None, "is given twice", "give every model once")


def _refuse_names(text: str, elf: Path) -> None:
    """Raise InputError for paths that no TOML file can hold; all else is spelt out."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        what = "or another input has a path that is not UTF-8"
        raise InputError(
            str(elf), None, what, "rename it, since a table could not name it"
        ) from None


def _refuse_existing(output: Path, *, force: bool) -> None:
    if os.path.lexists(output) and not force:
        raise InputError(str(output), None, "is there already", "use --force to overwrite it")
