"""``mapinspect link``: a link command that explains itself when it fails."""

import subprocess
from pathlib import Path

import click

from mapinspect.cli.outputs import trace

_FILE = click.Path(path_type=Path)
_NOT_FOUND = 127  # as a shell says it of a command that does not exist


@click.command("link", context_settings={"ignore_unknown_options": True})
@click.option("--map", "map_", type=_FILE, required=True, help="The map that the link writes.")
@click.option("--config", type=_FILE, help="The budget table, for what the models need.")
@click.option("--model", "models", type=_FILE, multiple=True, help="A model the firmware embeds.")
@click.argument("command", nargs=-1, type=click.UNPROCESSED, required=True)
def link_command(
    *, map_: Path, config: Path | None, models: tuple[Path, ...], command: tuple[str, ...]
) -> int:
    """Run COMMAND and return its exit status; when it fails, diagnose it from the map.

    A failed link leaves no ELF to check, but ld mostly writes the map first: it says by how much
    each region overflows and what is largest in it.

    \b
      mapinspect link --map fw.map -- arm-none-eabi-gcc … -Wl,-Map=fw.map -o fw.elf
    """  # noqa: D301 - click reads \b as "do not wrap what follows"
    before = trace(map_)
    try:
        status = subprocess.call(list(command))
    except OSError as error:
        click.echo(f"error: {command[0]}: cannot be run ({error.strerror}); check it", err=True)
        return _NOT_FOUND
    if status == 0:
        return 0
    from mapinspect.cli.diagnosis import explain  # noqa: PLC0415 - only failing links need it

    click.echo(explain(map_, before, config, models), err=True, nl=False)
    return status if status > 0 else 128 - status
