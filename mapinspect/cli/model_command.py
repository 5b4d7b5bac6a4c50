"""``mapinspect model``: what a model costs, before anything is linked."""

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import click

from mapinspect.analysis.arena.cost import cost, shared
from mapinspect.analysis.arena.fit import default_kernels
from mapinspect.analysis.arena.log import explain
from mapinspect.analysis.arena.need import SAME_ARENA
from mapinspect.analysis.arena.profile import (
    KERNELS,
    TARGETS,
    Profile,
    UnknownProfileError,
    profile,
)
from mapinspect.cli.outputs import print_text, write_text
from mapinspect.cli.run import EXIT_INPUT
from mapinspect.errors import InputError
from mapinspect.model.layer import ModelCost, SharedArena
from mapinspect.model.network import Network
from mapinspect.readers.source import read_source

FORMATS: Final = ("text", "json", "csv", "markdown")
DEFAULT_TARGET: Final = "cortex-m4"
_FILE: Final = click.Path(path_type=Path)
_TABLES: Final = (".toml", ".csv")


@click.command("model", epilog="Exit status: 0 complete, 2 incomplete or unreadable, 3 a bug.")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=_FILE)
@click.option(
    "--target",
    default=DEFAULT_TARGET,
    show_default=True,
    metavar="CORE",
    help=f"The core or chip: {', '.join(TARGETS)}.",
)
@click.option(
    "--kernels",
    metavar="SET[@VERSION]",
    help=f"The kernel set: {', '.join(KERNELS)}. Default: the optimised one of the target.",
)
@click.option("--recording", is_flag=True, help="The application uses the recording allocator.")
@click.option("--linear", is_flag=True, help="The application preserves all tensors.")
@click.option(
    "--variables",
    type=click.IntRange(min=0),
    help="Resource variables created in this arena. Default: those the model names.",
)
@click.option("--log", type=_FILE, help="Explain what the runtime wrote to this file.")
@click.option("--share-arena", is_flag=True, help="The models take turns in one arena.")
@click.option("--format", "format_", type=click.Choice(FORMATS), default="text", show_default=True)
@click.option("--output", type=_FILE, help="Write the report to this file, not to the terminal.")
def model_command(
    *,
    files: tuple[Path, ...],
    target: str,
    kernels: str | None,
    recording: bool,
    linear: bool,
    variables: int | None,
    log: Path | None,
    share_arena: bool,
    format_: str,
    output: Path | None,
) -> int:
    """Say what a .tflite model costs: its arena to the byte, its layers, its weights.

    Nothing is run: the plan, the runtime's own records and the scratch buffers of the kernels
    are computed for the core and kernel set you name. A table of layers (.toml or .csv) is
    estimated the same way, before there is a model.

    \b
      mapinspect model net.tflite --target cortex-m4 --kernels cmsis-nn
      mapinspect model net.tflite --target esp32s3 --kernels esp-nn@1.1
    """  # noqa: D301 - click reads \b as "do not wrap what follows"
    chosen = _profile(target, kernels or default_kernels(target), recording=recording)
    if linear:
        chosen = chosen.with_linear_planner()
    count = SAME_ARENA if variables is None else variables or None
    costs = [cost(read_model(path), chosen, variables=count) for path in files]
    if log is not None:
        lines = _log_lines(log)
        costs = [replace(entry, log=explain(lines, entry.need)) for entry in costs]
    arena = shared(costs) if share_arena and len(costs) > 1 else None
    text = renderer(format_)(costs, arena)
    if output is None:
        print_text(text)
    else:
        refuse_overwriting(output, files)
        write_text(output, text)
    return 0 if all(entry.complete for entry in costs) else EXIT_INPUT


def _log_lines(path: Path) -> list[str]:
    content = read_source(path, str(path), "log").content
    return content.decode("utf-8", "surrogateescape").splitlines()


def _profile(target: str, kernels: str, *, recording: bool) -> Profile:
    try:
        return profile(target, kernels, recording=recording)
    except UnknownProfileError as error:
        raise click.UsageError(str(error)) from None


def read_model(path: Path) -> Network:
    """Return the network of a .tflite file or of a table of layers; raises InputError."""
    if path.suffix.lower() in _TABLES:
        from mapinspect.readers.tflite_sketch import read_sketch  # noqa: PLC0415 - start-up time

        return read_sketch(read_source(path, str(path), "table of layers"))
    from mapinspect.readers.tflite import read_network  # noqa: PLC0415 - start-up time

    source = read_source(path, str(path), "model file")
    return read_network(source.path, source.content)


def renderer(name: str) -> Callable[[Sequence[ModelCost], SharedArena | None], str]:
    """Return the function that writes the report in the format ``name``."""
    # Imported here: the formats bring libraries of their own, and start-up time counts.
    if name == "json":
        from mapinspect.reports.model_json import render as as_json  # noqa: PLC0415

        return as_json
    if name == "csv":
        from mapinspect.reports.model_csv import render as as_csv  # noqa: PLC0415

        return as_csv
    if name == "markdown":
        from mapinspect.reports.model_markdown import render as as_markdown  # noqa: PLC0415

        return as_markdown
    from mapinspect.reports.model_text import render as as_text  # noqa: PLC0415

    return as_text


def refuse_overwriting(output: Path, files: Sequence[Path]) -> None:
    """Raise InputError when ``output`` is one of the files that were read."""
    for path in files:
        if output.exists() and os.path.samefile(path, output):
            what = "is a file that was read"
            raise InputError(str(output), None, what, "write to another file")
