"""``mapinspect why``: what pulled an object into the image."""

from pathlib import Path
from typing import Final

import click

from mapinspect.analysis.inclusion import inclusions, similar_names
from mapinspect.cli.outputs import print_text
from mapinspect.cli.sources import read_link_map
from mapinspect.errors import InputError
from mapinspect.model.link_map import LinkMap

FORMATS: Final = ("text", "json")


@click.command("why", epilog="Exit status: 0 found, 2 not found or unreadable, 3 a bug.")
@click.argument("member")
@click.option(
    "--map",
    "map_",
    type=click.Path(path_type=Path),
    required=True,
    help="The GNU ld map; with -Wl,--cref it tells all references, not only the first.",
)
@click.option("--format", "format_", type=click.Choice(FORMATS), default="text", show_default=True)
def why_command(*, member: str, map_: Path, format_: str) -> int:
    """Say which reference pulled MEMBER in, and what referred to that in turn.

    MEMBER is an archive member as the map prints it, its file name alone, or a glob.

    \b
      mapinspect why 'libc.a(printf.o)' --map fw.map
      mapinspect why '*vfprintf*' --map fw.map
    """  # noqa: D301 - click reads \b as "do not wrap what follows"
    link_map = read_link_map(map_)
    found = inclusions(link_map, member)
    if not found:
        raise InputError(str(map_), None, f"names no object {member}", _remedy(link_map, member))
    if format_ == "json":
        from mapinspect.reports.why_json import render as as_json  # noqa: PLC0415 - start-up time

        print_text(as_json(found))
    else:
        from mapinspect.reports.why_text import render as as_text  # noqa: PLC0415 - start-up time

        print_text(as_text(found))
    return 0


def _remedy(link_map: LinkMap, member: str) -> str:
    similar = similar_names(link_map, member)
    if similar:
        return f"did you mean {' or '.join(similar)}?"
    if not link_map.members:
        return "it has no table of archive members: nothing was taken from an archive"
    return "give the name as the map prints it, or a glob"
