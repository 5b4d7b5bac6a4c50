"""The list of commands; each is imported only when it runs, since start-up time counts."""

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar

import click

from mapinspect import __version__

Decorated = TypeVar("Decorated", bound=Callable[..., object])

# name: module of mapinspect.cli and its command, one line for --help (so that listing commands
# imports none of them)
_COMMANDS: Final = {
    "check": (
        "check_command",
        "Judge a linked firmware by its budget; exit 0 PASS, 1 FAIL, 2 cannot judge.",
    ),
    "init": (
        "init_command",
        "Write a first budget table for a linked firmware.",
    ),
    "map": (
        "map_command",
        "Say what a link map alone tells; exit 0 complete, 2 incomplete.",
    ),
    "show": (
        "show_command",
        "List regions, sections, objects, archives, symbols, reservations of an image.",
    ),
    "why": (
        "why_command",
        "Say which reference pulled an object into the image.",
    ),
    "model": (
        "model_command",
        "Say what a .tflite model costs: arena to the byte, layers, weights.",
    ),
    "fit": (
        "fit_command",
        "Say whether another model would fit a part or an image; exit 0, 1, 2.",
    ),
    "link": (
        "link_command",
        "Run a link command; when it fails, say from its map what overflowed.",
    ),
    "config": (
        "config_command",
        "Check a budget table, show its limits in bytes, print its JSON Schema.",
    ),
    "checks": (
        "checks_command",
        "List every check: what it claims, and how far the table may soften it.",
    ),
    "explain": (
        "explain_command",
        "Say why a check matters, how it is decided, how to mend or waive it.",
    ),
}


class _Lazy(click.Group):
    """A group whose commands live in modules of their own, imported on use."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the commands' names in the order of --help."""
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import and return one command, or None for a name that is none."""
        if cmd_name not in _COMMANDS:
            return None
        name, _ = _COMMANDS[cmd_name]
        command = getattr(importlib.import_module(f"mapinspect.cli.{name}"), name)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the list of commands without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in _COMMANDS.items()])


def _folder_option(name: str, text: str, blank: str) -> Callable[[Decorated], Decorated]:
    """Return an option that prints the folder of the files for build systems, and exits."""

    def show(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
        """Print the folder and leave, where the option is given."""
        if wanted:
            folder = Path(__file__).resolve().parents[1] / "integration"
            click.echo(folder.as_posix().replace(" ", blank))
            ctx.exit()

    return click.option(
        name, is_flag=True, is_eager=True, expose_value=False, callback=show, help=text
    )


@click.group(
    cls=_Lazy,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80},
    epilog="Exit status: 0 PASS, 1 FAIL, 2 cannot judge (input or configuration), "
    "3 a bug in mapinspect.",
)
@click.version_option(__version__, message="%(prog)s %(version)s")
@_folder_option("--cmake-dir", "Print the folder of mapinspect.cmake, and exit.", " ")
@_folder_option("--make-dir", "Print it for make's include: with a backslash before blanks.", "\\ ")
def commands() -> None:
    """Say where every byte of a TinyML firmware went, and hold it to its budget."""
