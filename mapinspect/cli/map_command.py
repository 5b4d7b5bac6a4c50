"""``mapinspect map``: what a link map alone tells."""

import sys
import time
from pathlib import Path
from typing import Final

import click

from mapinspect.analysis.map_summary import summarise
from mapinspect.cli.outputs import print_text
from mapinspect.cli.run import EXIT_INPUT
from mapinspect.model.map_summary import MapSummary
from mapinspect.readers.gnu_map import read_map
from mapinspect.readers.source import read_source

FORMATS: Final = ("text", "json")
_PATIENCE: Final = 1.0  # seconds before progress is shown


@click.command("map", epilog="Exit status: 0 complete, 2 incomplete or unreadable, 3 a bug.")
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@click.option("--format", "format_", type=click.Choice(FORMATS), default="text", show_default=True)
def map_command(file: Path, format_: str) -> int:
    """Say what a GNU ld link map tells by itself.

    Regions with use and overflow, output sections, objects and archives by size, why each archive
    member was linked, what was discarded, and every line that was not understood. FILE is what
    -Wl,-Map=FILE wrote.

    \b
      mapinspect map build/app.map
      mapinspect map build/app.map --format json
    """  # noqa: D301 - click reads \b as "do not wrap what follows"
    source = read_source(file, str(file), "link map")
    with _Progress() as progress:
        summary = summarise(read_map(source.path, source.content, progress))
    print_text(render(summary, format_))
    return 0 if summary.complete else EXIT_INPUT


def render(summary: MapSummary, format_: str) -> str:
    """Return the summary in one of FORMATS."""
    if format_ == "json":
        from mapinspect.reports import map_json  # noqa: PLC0415 - start-up time

        return map_json.render(summary)
    from mapinspect.analysis.region_use import region_use  # noqa: PLC0415 - start-up time
    from mapinspect.reports import map_text  # noqa: PLC0415 - start-up time

    return map_text.render(summary, region_use(summary.link_map))


class _Progress:
    """Shows how far the reading is, on a terminal and only when it takes long."""

    def __init__(self) -> None:
        self._start = time.monotonic()
        self._shown = -1
        self._wanted = sys.stderr.isatty()

    def __enter__(self) -> "_Progress":
        return self

    def __call__(self, done: int, total: int) -> None:
        """Show the share that is done, in percent."""
        if not self._wanted or time.monotonic() - self._start < _PATIENCE:
            return
        percent = 100 * done // total
        if percent != self._shown:
            self._shown = percent
            click.echo(f"\rreading the map: {percent} %", nl=False, err=True)

    def __exit__(self, *_: object) -> None:
        if self._shown >= 0:
            click.echo("\r" + " " * 24 + "\r", nl=False, err=True)
