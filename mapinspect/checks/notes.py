"""What a report says about the table's own say in the verdict."""

from collections.abc import Iterable, Iterator

from mapinspect.model.budget import BudgetTable
from mapinspect.model.finding import Outcome, Status


def notes(table: BudgetTable, outcomes: Iterable[Outcome]) -> tuple[str, ...]:
    """Return one line for all that weakens or changes the verdict: none may go unseen."""
    return tuple(_notes(table, tuple(outcomes)))


def _notes(table: BudgetTable, outcomes: tuple[Outcome, ...]) -> Iterator[str]:
    if table.profile is not None:
        yield f"profile {table.profile}"
    words = {"ignore": "is ignored", "warn": "only warns", "error": "fails on warnings too"}
    for rule in table.rules:
        place = f"{rule.declared.file}:{rule.declared.line}"
        yield f"{rule.check} {words[rule.severity]} ({place})"
    for waiver in table.waivers:
        accepted = f"{waiver.check} of {waiver.subject} is waived until {waiver.expires}"
        yield f"{accepted}: {waiver.reason}"
    absent = [
        outcome.reason
        for outcome in outcomes
        if outcome.check == "row-matches-nothing" and outcome.status is Status.NOT_CLAIMED
        if outcome.subject != "table"
    ]
    if absent:
        yield f"optional and not in the image, {len(absent)}: {'; '.join(absent)}"
