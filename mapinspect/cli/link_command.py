"""``mapinspect link``: a link command that explains itself when it fails."""

import os
from pathlib import Path

import click

from mapinspect.cli.link_arguments import asking_for_map, link_arguments, map_file
from mapinspect.cli.link_process import call, end_like, was_stopped

_FILE = click.Path(path_type=Path)
_NOT_FOUND, _NOT_EXECUTABLE = 127, 126  # as a shell says it of a command


@click.command(
    "link",
    context_settings={"allow_interspersed_args": False},
    epilog="Exit status: that of COMMAND; 127 where it is not found, 126 where it cannot be run.",
)
@click.option(
    "--map",
    "map_",
    help="Where the map shall be; % stands for the output file. Default: where COMMAND has it "
    "written, else %.map.",
)
@click.option("--config", type=_FILE, help="The budget table, for what the models need.")
@click.option(
    "--model",
    "models",
    type=_FILE,
    multiple=True,
    help="A model the firmware embeds; may be given several times.",
)
@click.argument("command", nargs=-1, type=click.UNPROCESSED, required=True)
def link_command(
    *, map_: str | None, config: Path | None, models: tuple[Path, ...], command: tuple[str, ...]
) -> int:
    """Run COMMAND and return its exit status; when it fails, diagnose it from the map.

    A failed link leaves no ELF to check, but ld mostly writes the map first: it says by how much
    each region overflows and what is largest in it. A command that asks for no map gets the
    option for it; one that writes its map elsewhere than --map says has it copied there.

    \b
      mapinspect link --config mapinspect.toml -- arm-none-eabi-gcc … -o fw.elf
    """  # noqa: D301 - click reads \b as "do not wrap what follows"
    asked = link_arguments(command)
    wanted = asked.map if map_ is None else map_file(map_, asked.output)
    if map_ is None and wanted is None:
        wanted = map_file("%.map", asked.output)
    if wanted is None:
        raise click.UsageError("--map names a file")
    written = asked.map or wanted
    before = trace(written)
    try:
        status = call(command if asked.map else asking_for_map(command, written))
    except OSError as error:
        click.echo(f"error: {command[0]}: cannot be run ({error.strerror}); check it", err=True)
        return _NOT_FOUND if isinstance(error, FileNotFoundError) else _NOT_EXECUTABLE
    if was_stopped(status):
        return end_like(status)
    is_written = trace(written) not in (None, before)
    if status == 0:
        if is_written and os.path.realpath(written) != os.path.realpath(wanted):
            _copy(written, wanted)
        return 0
    _explain(Path(written), config, models, stale=before is not None and not is_written)
    return status if status > 0 else 128 - status


def _explain(map_: Path, config: Path | None, models: tuple[Path, ...], *, stale: bool) -> None:
    """Print the diagnosis; whatever happens in it, the linker's exit status is what counts."""
    try:
        from mapinspect.cli.diagnosis import explain  # noqa: PLC0415 - only failing links need it

        click.echo(explain(map_, config, models, stale=stale), err=True, nl=False)
    except Exception as error:  # noqa: BLE001 - reported as a bug, see above
        from mapinspect.cli.run import report_bug  # noqa: PLC0415 - start-up time

        report_bug(error)


def trace(path: str) -> tuple[int, ...] | None:
    """Return what changes when a file is written anew, or None where there is no file."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns


def _copy(written: str, wanted: str) -> None:
    from mapinspect.cli.outputs import write_bytes  # noqa: PLC0415 - start-up time

    write_bytes(Path(wanted), Path(written).read_bytes())
