"""``mapinspect checks``: what is checked."""

import json
from collections.abc import Iterable

import click

from mapinspect.checks import CATALOGUE
from mapinspect.checks.check import Check, Review
from mapinspect.checks.explain import allowed, severity
from mapinspect.cli.outputs import print_text


@click.command("checks")
@click.option(
    "--format", "format_", type=click.Choice(("text", "json")), default="text", show_default=True
)
def checks_command(*, format_: str) -> int:
    """List every check with its claim.

    A check answers "undecided" at its worst when it judges the evidence itself: then nothing can
    be proven. At "warning" it fails nothing until [checks] or --fail-on raises it. The last column
    says what [checks] of the budget table may make of it.
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
        print_text(json.dumps(rows, indent=2) + "\n")
        return 0
    print_text(_table(CATALOGUE))
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
