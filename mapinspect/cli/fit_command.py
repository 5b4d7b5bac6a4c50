"""``mapinspect fit``: whether another model would fit, before anyone rebuilds."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

import click

from mapinspect.analysis.arena.dwarf_structs import wanted_structs
from mapinspect.analysis.arena.fit import (
    Exchange,
    choose,
    default_kernels,
    fit_image,
    fit_part,
    operators_of,
    registered_operators,
    target_of,
)
from mapinspect.analysis.arena.image_need import head_only, image_need, target_need
from mapinspect.analysis.arena.profile import UnknownProfileError
from mapinspect.cli.model_command import read_model, refuse_overwriting
from mapinspect.cli.outputs import print_text, write_text
from mapinspect.cli.run import EXIT_INPUT
from mapinspect.errors import InputError
from mapinspect.model.elf_file import ElfFile
from mapinspect.model.fit import Fit, FitVerdict
from mapinspect.model.inspection import Inspection
from mapinspect.model.network import Network
from mapinspect.pipeline import Request, check
from mapinspect.readers.elf import read_elf
from mapinspect.readers.parts import read_part
from mapinspect.readers.source import read_source
from mapinspect.readers.tflite_evidence import build_evidence

_FILE: Final = click.Path(path_type=Path)
_STATUS: Final = {FitVerdict.FITS: 0, FitVerdict.NO: 1, FitVerdict.UNKNOWN: EXIT_INPUT}


@click.command("fit", epilog="Exit status: 0 fits, 1 does not fit, 2 not known, 3 a bug.")
@click.argument("files", metavar="MODEL...", nargs=-1, required=True, type=_FILE)
@click.option("--elf", type=_FILE, help="The linked ELF file that holds another model now.")
@click.option("--map", "map_", type=_FILE, help="The GNU ld map of the same link.")
@click.option("--config", type=_FILE, help="The budget table of that image.")
@click.option("--replace", "replaced", metavar="NAME", help="The table's model to take out.")
@click.option("--mcu", "parts", multiple=True, metavar="PART", help="A part instead of an image.")
@click.option("--kernels", metavar="SET[@VERSION]", help="The kernel set, with --mcu.")
@click.option("--format", "format_", type=click.Choice(("text", "json")), default="text")
@click.option("--output", type=_FILE, help="Write the answer to this file.")
def fit_command(
    *,
    files: tuple[Path, ...],
    elf: Path | None,
    map_: Path | None,
    config: Path | None,
    replaced: str | None,
    parts: tuple[str, ...],
    kernels: str | None,
    format_: str,
    output: Path | None,
) -> int:
    """Say whether a model would fit a part, or an image in place of the model in it.

    \b
      mapinspect fit new.tflite --elf app.elf --map app.map --config mapinspect.toml
      mapinspect fit a.tflite b.tflite --mcu STM32L476RG --mcu ESP32-S3
    """  # noqa: D301 - click reads \b as "do not wrap what follows"
    if bool(parts) == bool(elf or map_ or config):
        raise click.UsageError("name an image (--elf, --map, --config) or parts (--mcu)")
    networks = [read_model(path) for path in files]
    if parts:
        fits = [fit for network in networks for fit in _on_parts(network, parts, kernels)]
    else:
        request = Request(elf=elf, map=map_, config=config)
        fits = list(_in_image(networks, request, replaced))
    from mapinspect.reports.model_fit import render_json, render_text  # noqa: PLC0415

    text = render_json(fits) if format_ == "json" else render_text(fits)
    if output is None:
        print_text(text)
    else:
        refuse_overwriting(output, [*files, *(path for path in (elf, map_, config) if path)])
        write_text(output, text)
    return max(
        (_STATUS[fit.verdict] for fit in fits), key=[0, EXIT_INPUT, 1].index, default=EXIT_INPUT
    )


def _on_parts(network: Network, names: tuple[str, ...], kernels: str | None) -> Iterator[Fit]:
    for name in names:
        part = read_part(name)
        target = target_of(part)
        try:
            found = (
                head_only(network)
                if target is None
                else target_need(network, target, kernels or default_kernels(target))
            )
        except UnknownProfileError as error:
            raise click.UsageError(str(error)) from None
        yield fit_part(network, found, part)


def _in_image(networks: list[Network], request: Request, replaced: str | None) -> Iterator[Fit]:
    report = check(request)
    if report.failure is not None or report.inspection is None:
        failure = report.failure
        assert failure is not None
        raise InputError(failure.subject, None, failure.message, failure.help)
    exchange = choose(report.inspection, replaced)
    if exchange is None:
        names = ", ".join(facts.entry.name for facts in report.inspection.models)
        raise click.UsageError(f"name the model to take out with --replace: {names}")
    elf = _elf(report.inspection)
    exchange = _with_operators(exchange, elf)
    runtime = exchange.old.entry.runtime if exchange.old else None
    for network in networks:
        evidence = None if elf is None else build_evidence(elf, wanted_structs())
        found = image_need(network, runtime, evidence)
        yield fit_image(network, found, report.inspection, exchange)


def _with_operators(exchange: Exchange, elf: ElfFile | None) -> Exchange:
    """Return the exchange with the operators that the image has kernels for."""
    registered = registered_operators(elf.symbols.names()) if elf is not None else frozenset()
    if registered:
        return replace(exchange, operators=registered, all_known=True)
    if exchange.old is None:
        return exchange
    # A runtime of one's own has no register: what its model uses, it can run.
    used = operators_of(read_model(Path(exchange.old.entry.file)))
    return replace(exchange, operators=used)


def _elf(inspection: Inspection) -> ElfFile | None:
    if inspection.elf is None:
        return None
    path = inspection.elf.path
    source = read_source(Path(path), path, "ELF file")
    return read_elf(source.path, source.content)
