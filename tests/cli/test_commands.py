"""Every command that --help lists exists, and teaches how to use it."""

import click
import pytest

from mapinspect.cli.commands import commands
from mapinspect.cli.run import run

NAMES = commands.list_commands(click.Context(commands))


@pytest.mark.parametrize("name", NAMES)
def test_every_listed_command_has_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([name, "--help"]) == 0
    assert f"Usage: mapinspect {name}" in capsys.readouterr().out


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"]) == 0
    out = capsys.readouterr().out
    assert all(f"  {name} " in out for name in NAMES)
