"""``mapinspect explain``: one check in words."""

import difflib

import click

from mapinspect.checks import CATALOGUE
from mapinspect.checks.explain import explain
from mapinspect.cli.outputs import print_text


@click.command("explain")
@click.argument("check_id", metavar="ID")
def explain_command(*, check_id: str) -> int:
    """Explain the check ID: why it matters, how it is decided, an example, the fix, the waiver.

    \b
      mapinspect explain arena-too-small
    """  # noqa: D301 - click reads \b as "do not wrap what follows"
    known = {check.id: check for check in CATALOGUE}
    if check_id not in known:
        near = difflib.get_close_matches(check_id, known, n=1, cutoff=0.4)
        guess = f"did you mean {near[0]}?" if near else "see `mapinspect checks`"
        raise click.UsageError(f"no check is called {check_id!r}; {guess}")
    print_text(explain(known[check_id]))
    return 0
