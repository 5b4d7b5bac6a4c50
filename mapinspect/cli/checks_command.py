"""``mapinspect checks`` and ``mapinspect explain``: what is checked, and why."""

import difflib
import json
from collections.abc import Iterable

import click

from mapinspect.checks import CATALOGUE
from mapinspect.checks.check import Check, Review
from mapinspect.checks.explain import allowed, explain, severity


@click.command("checks")
@click.option(
    "--format", "format_", type=click.Choice(("text", "json")), default="text", show_default=True
)
def checks_command(*, format_: str) -> int:
    """List every check with its claim.

    A check answers "undecided" at its worst when it judges the evidence itself: then nothing can
    be proven. The last column says what [checks] of the budget table may make of it.
    """
    if format_ == "json":
        rows = [
            {
                "id": check.id,
                "claim": check.claim,
                "severity": severity(check),
                "allowed": list(allowed(check)),
                "finds": check.title,
            }
            for check in CATALOGUE
        ]
        click.echo(json.dumps(rows, indent=2))
        return 0
    click.echo(_table(CATALOGUE), nl=False)
    return 0


def _table(catalogue: Iterable[Check | Review]) -> str:
    from tabulate import tabulate  # noqa: PLC0415 - start-up time

    rows = [
        (check.id, severity(check), f"{check.claim}\n[checks]: {', '.join(allowed(check))}")
        for check in catalogue
    ]
    headers = ("check", "at worst", "claim")
    table = tabulate(rows, headers, "simple", disable_numparse=True)
    return "\n".join(line.rstrip() for line in table.split("\n")) + "\n"


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
    click.echo(explain(known[check_id]), nl=False)
    return 0
