"""``mapinspect check``: the gate."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from mapinspect.checks import CATALOGUE
from mapinspect.cli.outputs import (
    discard_stamp,
    print_text,
    refuse_inputs,
    refuse_twice,
    write_stamp,
    write_text,
)
from mapinspect.cli.run import EXIT_INPUT, report_input_error
from mapinspect.errors import InputError
from mapinspect.model.finding import Finding
from mapinspect.model.report import Report, Verdict
from mapinspect.pipeline import Request, check

FORMATS = ("text", "json")
_STATUS = {Verdict.PASS: 0, Verdict.FAIL: 1, Verdict.UNKNOWN: 2}
_GATE_DISABLED = "gate disabled: --exit-zero turns FAIL and UNKNOWN into exit status 0"
_FILE = click.Path(path_type=Path)


@click.command("check", epilog="Exit status: 0 PASS, 1 FAIL, 2 cannot judge, 3 a bug.")
@click.option("--elf", type=_FILE, help="The linked ELF file. Without it nothing can PASS.")
@click.option("--map", type=_FILE, help="The GNU ld map of the same link (-Wl,-Map=F).")
@click.option(
    "--linker-script", "script", type=_FILE, help="Its MEMORY block says the regions without a map."
)
@click.option(
    "--model",
    "models",
    type=_FILE,
    multiple=True,
    help="A .tflite file that the firmware embeds; replaces the table's file of the same name. May "
    "be given several times.",
)
@click.option(
    "--mcu",
    metavar="PART",
    help="The microcontroller, such as STM32L476RE; replaces the table's.",
)
@click.option("--log", type=_FILE, help="Explain what the runtime wrote to this file.")
@click.option(
    "--measured",
    type=_FILE,
    multiple=True,
    help="A log of the device, or a measured.toml; replaces the table's file of the same name. May "
    "be given several times.",
)
@click.option(
    "--config",
    type=_FILE,
    help="The budget table. Default: the nearest mapinspect.toml or pyproject.toml with one, from "
    "here upward.",
)
@click.option("--profile", help="Use what [profile.NAME] of the table overrides.", metavar="NAME")
@click.option("--baseline", type=_FILE, help="An earlier JSON report, for growth limits.")
@click.option("--format", "format_", type=click.Choice(FORMATS), default="text", show_default=True)
@click.option("--output", type=_FILE, help="Write the report to this file, not to the terminal.")
@click.option(
    "--report",
    "reports",
    multiple=True,
    metavar="FORMAT=FILE",
    help="Write a further report; may be given several times.",
)
@click.option("--stamp", metavar="FILE", help="Write this file on PASS, remove it otherwise.")
@click.option("--depfile", type=_FILE, help="Write what was read as a make rule for --stamp.")
@click.option(
    "--fail-on",
    type=click.Choice(("error", "warning")),
    default="error",
    show_default=True,
    help="The least severity that fails the check.",
)
@click.option(
    "--exit-zero",
    is_flag=True,
    help="Exit 0 for FAIL and UNKNOWN too (not for unreadable input); the report says so.",
)
def check_command(
    *,
    format_: str,
    output: Path | None,
    reports: tuple[str, ...],
    stamp: str | None,
    depfile: Path | None,
    fail_on: str,
    exit_zero: bool,
    **inputs: Any,
) -> int:
    """Judge a linked firmware by its memory budget.

    Compares what the model needs, what was linked and what the budget table allows: memory
    regions, where weights and arena lie, whether the embedded model is the file that was meant.
    Files named in the table's [inputs] need no options.

    \b
      mapinspect check --config mapinspect.toml
      mapinspect check --elf fw.elf --map fw.map --model net.tflite
    """  # noqa: D301 - click reads \b as "do not wrap what follows"
    if depfile is not None and stamp is None:
        raise click.UsageError("--depfile needs --stamp: the rule's target")
    if stamp is not None and exit_zero:
        raise click.UsageError("--stamp with --exit-zero would call a broken build good")
    wanted = [_report_option(text) for text in reports]
    if stamp is not None:
        discard_stamp(Path(stamp))
    # Options that say what to judge are named as the fields of Request.
    report = check(Request(**inputs, warnings_fail=fail_on == "warning"))
    if exit_zero:
        report = replace(report, notes=(*report.notes, _GATE_DISABLED))
    _refuse([output, stamp, depfile, *(path for _, path in wanted)], report)
    _write(report, wanted, output, format_)
    status = _exit_status(report, exit_zero=exit_zero)
    if stamp is not None:
        write_stamp(stamp, depfile, report, is_passed=status == 0)
    return status


def _refuse(paths: Iterable[str | Path | None], report: Report) -> None:
    """Raise InputError where a file to write is an input, or is to be written twice."""
    named = [Path(path) for path in paths if path is not None]
    for path in named:
        refuse_inputs(path, report)
    refuse_twice(named)


def _write(
    report: Report, wanted: Iterable[tuple[str, Path]], output: Path | None, format_: str
) -> None:
    """Write the further reports, then the one that was asked for, to its file or the terminal."""
    for name, path in wanted:
        write_text(path, render(report, name))
    if output is not None:
        write_text(output, render(report, format_))
    elif report.failure is None or format_ == "json":
        print_text(render(report, format_))


def render(report: Report, format_: str) -> str:
    """Return the report in one of FORMATS."""
    if format_ == "json":
        from mapinspect.reports import json_v1  # noqa: PLC0415 - start-up time

        return json_v1.render(report)
    from mapinspect.reports import text  # noqa: PLC0415 - start-up time

    return text.render(report)


def _report_option(text: str) -> tuple[str, Path]:
    name, equals, file = text.partition("=")
    if not equals or not file or name not in FORMATS:
        raise click.UsageError(f"--report {text!r}: write FORMAT=FILE, FORMAT one of {FORMATS}")
    return name, Path(file)


def _table_fault(report: Report) -> Finding | None:
    """Return the first fault of the table that the image shows, unless the image is in doubt."""
    facts = report.inspection
    doubtful = facts is None or (facts.map is not None and facts.map.disagreements)
    if doubtful or report.verdict is Verdict.FAIL:
        return None
    about_table = {check.id for check in CATALOGUE if check.about_table}
    return next((finding for finding in report.findings if finding.check in about_table), None)


def _exit_status(report: Report, *, exit_zero: bool) -> int:
    failure = report.failure or _table_fault(report)
    if failure is not None:
        place = failure.evidence[0]
        what = failure.message
        report_input_error(InputError(place.file, place.line, what, failure.help))
        return EXIT_INPUT
    return 0 if exit_zero else _STATUS[report.verdict]
