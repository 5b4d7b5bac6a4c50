"""What a report says about the table's own say in the verdict."""

from collections.abc import Iterable, Iterator

from mapinspect.model.budget import BudgetTable
from mapinspect.model.finding import Outcome, Status
from mapinspect.model.report import InputFile

_ONE_LINK = 60  # seconds; ld writes map and ELF within so many of each other
_UNITS = ((86400, "days"), (3600, "hours"), (60, "minutes"))


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


def ages(inputs: Iterable[InputFile]) -> tuple[str, ...]:
    """Return which of map and ELF is the older one, for those that are not of one link.

    What the files say proves that they are not; copies and check-outs write files anew, so that
    their times prove nothing by themselves.
    """
    written = {item.role: item for item in inputs if item.role in ("map", "elf") and item.modified}
    if len(written) < 2:
        return ()
    older, newer = sorted(written.values(), key=lambda item: item.modified)
    apart = newer.modified - older.modified
    if apart <= _ONE_LINK:
        return ()
    seconds, unit = next(pair for pair in _UNITS if apart >= pair[0])
    count = apart // seconds
    words = f"{count} {unit}" if count > 1 else f"one {unit.removesuffix('s')}"
    return (f"{older.path} was written {words} before {newer.path}",)
