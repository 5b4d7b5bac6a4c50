"""All checks over one inspection: outcomes, and what a doubtful map does to them."""

from dataclasses import replace

from mapinspect.checks import CHECKS
from mapinspect.checks.region_over_budget import map_overflows, region_over_budget
from mapinspect.model.finding import Outcome, Severity, Status
from mapinspect.model.inspection import Inspection

_ABOUT_THE_MAP = ("map-elf-disagree", "bytes-not-conserved", "map-lines-unknown")


def judge(inspection: Inspection, *, warnings_fail: bool = False) -> tuple[Outcome, ...]:
    """Return every check's outcomes, in report order; warnings break claims when they must.

    When the map is not of this ELF, or was not understood, no claim can be judged: everything
    becomes undecided, except an overflow that the map itself proves.
    """
    outcomes = [outcome for check in CHECKS for outcome in check(inspection)]
    if warnings_fail:
        outcomes = [_break_on_warnings(outcome) for outcome in outcomes]
    doubt = _doubt(inspection)
    if doubt is None:
        return tuple(outcomes)
    overflows = [
        replace(
            outcome,
            check=region_over_budget.id,
            findings=tuple(replace(item, check=region_over_budget.id) for item in outcome.findings),
        )
        for outcome in map_overflows(inspection)
    ]
    proven = {outcome.subject for outcome in overflows}
    rest = [
        _undecide(outcome, doubt)
        for outcome in outcomes
        if not (outcome.check == region_over_budget.id and outcome.subject in proven)
    ]
    return (*overflows, *rest)


def _doubt(inspection: Inspection) -> str | None:
    facts = inspection.map
    if facts is None:
        return None
    if facts.disagreements:
        return "map and ELF are not of the same link"
    if facts.unknown and facts.unconserved:
        return "the map was not understood"
    return None


def _undecide(outcome: Outcome, reason: str) -> Outcome:
    if outcome.check in _ABOUT_THE_MAP or outcome.status not in (Status.HOLDS, Status.BROKEN):
        return outcome
    findings = tuple(
        replace(finding, severity=Severity.UNDECIDED)
        if finding.severity is Severity.ERROR
        else finding
        for finding in outcome.findings
    )
    return replace(outcome, status=Status.UNDECIDED, findings=findings, reason=reason)


def _break_on_warnings(outcome: Outcome) -> Outcome:
    if not any(finding.severity is Severity.WARNING for finding in outcome.findings):
        return outcome
    findings = tuple(
        replace(finding, severity=Severity.ERROR)
        if finding.severity is Severity.WARNING
        else finding
        for finding in outcome.findings
    )
    return replace(outcome, status=Status.BROKEN, findings=findings)
