"""What a table may ask for only on this day, of this mapinspect: waivers, severities."""

import difflib
from collections.abc import Mapping
from datetime import date

from mapinspect.errors import InputError
from mapinspect.model.budget import BudgetTable
from mapinspect.model.image import Evidence
from mapinspect.readers.budget.fields import SEVERITIES


def accept(table: BudgetTable, checks: Mapping[str, str], today: date) -> BudgetTable:
    """Return the table; ``checks`` maps each check's id to the least severity it may have.

    Raises InputError, with the line, for a check that does not exist, a severity below its
    least, a waiver of what cannot be waived, and a waiver that has expired.
    """
    for rule in table.rules:
        _refuse_unknown(rule.check, rule.declared, checks)
        least = checks[rule.check]
        if SEVERITIES.index(rule.severity) < SEVERITIES.index(least):
            _refuse(
                rule.declared, f"{rule.check} must not be {rule.severity!r}", f"write {least!r}"
            )
    for waiver in table.waivers:
        _refuse_unknown(waiver.check, waiver.declared, checks)
        if checks[waiver.check] == "error":
            what = f"{waiver.check} cannot be waived: the other claims rest on it"
            _refuse(waiver.declared, what, "mend what it says")
        if waiver.expires < today:
            what = f"the waiver of {waiver.check} expired on {waiver.expires}"
            _refuse(waiver.declared, what, "mend the defect, or agree on a later day")
    return table


def _refuse_unknown(check: str, declared: Evidence, checks: Mapping[str, str]) -> None:
    if check not in checks:
        near = difflib.get_close_matches(check, checks, n=1, cutoff=0.5)
        guess = f"did you mean {near[0]}?" if near else "see `mapinspect checks`"
        _refuse(declared, f"no check is called {check!r}", guess)


def _refuse(declared: Evidence, what: str, remedy: str) -> None:
    raise InputError(declared.file, declared.line, what, remedy)
