"""The top-level handler: every way out of the program goes through here."""

import os
import traceback
from collections.abc import Sequence

import click

from mapinspect.cli.commands import commands
from mapinspect.errors import InputError
from mapinspect.reports.printable import printable

EXIT_INPUT = 2
EXIT_BUG = 3
EXIT_ABORTED = 130  # as a shell says it of a program stopped by Ctrl-C


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit status."""
    try:
        status = commands.main(list(arguments), prog_name="mapinspect", standalone_mode=False)
        return status if isinstance(status, int) else 0
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except click.Abort:
        return EXIT_ABORTED
    except InputError as error:
        report_input_error(error)
        return EXIT_INPUT
    except Exception as error:  # noqa: BLE001 - the one place where a bug becomes exit status 3
        return report_bug(error)


def report_input_error(error: InputError) -> None:
    """Print the one line that says which input cannot be used and what to do."""
    click.echo(f"error: {printable(str(error), 2000)}", err=True)


def report_bug(error: Exception) -> int:
    """Say where a bug showed, and return its exit status."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{os.path.basename(frame.filename)}:{frame.lineno}"
    what = f"{type(error).__name__}: {error}"
    click.echo(f"error: bug in mapinspect at {where}: {printable(what, 500)}", err=True)
    if os.environ.get("MAPINSPECT_DEBUG"):
        traceback.print_exception(error)
    else:
        click.echo("please report it; MAPINSPECT_DEBUG=1 shows where it happened", err=True)
    return EXIT_BUG
