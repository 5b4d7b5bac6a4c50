"""``mapinspect config``: the budget table by itself."""

import json
from pathlib import Path

import click

from mapinspect.checks import CATALOGUE
from mapinspect.cli.outputs import print_text
from mapinspect.cli.run import EXIT_INPUT, report_input_error
from mapinspect.errors import InputError
from mapinspect.pipeline import Request, Run, check
from mapinspect.reports.printable import printable

_FILE = click.Path(path_type=Path)


@click.group("config")
def config_command() -> None:
    """Work with the budget table: check it, show its limits in bytes, print its JSON Schema."""


@config_command.command("schema")
def schema_command() -> int:
    """Print the JSON Schema of mapinspect.toml, for editors.

    \b
      mapinspect config schema > mapinspect.schema.json
    and as the first line of mapinspect.toml:
      #:schema ./mapinspect.schema.json
    """  # noqa: D301 - click reads \b as "do not wrap what follows"
    from mapinspect.readers.budget.schema import json_schema  # noqa: PLC0415 - start-up time

    schema = json_schema(check.id for check in CATALOGUE)
    print_text(json.dumps(schema, indent=2, ensure_ascii=False) + "\n")
    return 0


@config_command.command("check", short_help="Check budget tables without an image.")
@click.argument("files", metavar="[FILE]...", nargs=-1, type=_FILE)
@click.option("--profile", help="Also demand that the table has this profile.", metavar="NAME")
def config_check_command(*, files: tuple[Path, ...], profile: str | None) -> int:
    """Check budget tables without an image: exit 0 when all are sound, else 2.

    Without FILE the nearest mapinspect.toml or pyproject.toml from here upward is checked. All
    profiles are checked. What only an image shows (rows that match nothing), `mapinspect check`
    says.
    """
    sound = True
    for file in files or (None,):
        try:
            run = Run(Request(config=file, profile=profile))
            table = run.table()
            if not table.path:
                raise InputError(".", None, "no mapinspect.toml from here upward", "name a FILE")
            for name in table.profiles:
                Run(Request(config=file, profile=name)).table()
        except InputError as error:
            report_input_error(error)
            sound = False
            continue
        rows = (table.regions, table.budgets, table.placements, table.waivers)
        words = ("region", "budget row", "placement", "waiver")
        counts = ", ".join(
            f"{len(row)} {word}{'s' * (len(row) != 1)}"
            for row, word in zip(rows, words, strict=True)
        )
        profiles = f"; profiles {', '.join(table.profiles)}" if table.profiles else ""
        print_text(printable(f"{table.path}: sound ({counts}{profiles})", 1000) + "\n")
        for note in run.passed_over:
            print_text(printable(note, 1000) + "\n")
    return 0 if sound else EXIT_INPUT


@config_command.command("show", short_help="Show every limit of the table in bytes.")
@click.option("--config", type=_FILE, help="The budget table. Default: the nearest one.")
@click.option("--profile", help="Show what this profile makes of it.", metavar="NAME")
@click.option("--elf", type=_FILE, help="The linked ELF file, in place of the table's.")
@click.option("--map", "map_", type=_FILE, help="The link map, in place of the table's.")
def show_command(
    *, config: Path | None, profile: str | None, elf: Path | None, map_: Path | None
) -> int:
    """Show every limit of the table in bytes, as it applies to the linked image.

    Percentages and the margin are resolved, the strictest of all limits of a region is the one
    that counts; severities and waivers are listed.
    """
    from mapinspect.reports import limits_text  # noqa: PLC0415 - start-up time

    report = check(Request(elf, map_, config=config, profile=profile))
    if report.failure is not None or report.inspection is None:
        assert report.failure is not None
        place = report.failure.evidence[0]
        raise InputError(place.file, place.line, report.failure.message, report.failure.help)
    print_text(limits_text.render(report))
    return 0
