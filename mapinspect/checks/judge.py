"""All checks over one inspection: outcomes, and what a doubtful map does to them."""

from dataclasses import replace

from mapinspect.checks import CHECKS, REVIEWS
from mapinspect.checks.check import stamped
from mapinspect.checks.region_over_budget import map_overflows, region_over_budget
from mapinspect.checks.settle import break_on_warnings, settle
from mapinspect.model.finding import ABOUT_THE_MAP, Outcome, Severity, Status
from mapinspect.model.inspection import Inspection


def judge(inspection: Inspection, *, warnings_fail: bool = False) -> tuple[Outcome, ...]:
    """Return every check's outcomes, in report order; warnings break claims when they must.

    When the map is not of this ELF, was not understood, or may lack a region, no claim can be
    judged: everything becomes undecided, except an overflow that the map itself proves.
    """
    found = (outcome for check in CHECKS for outcome in check(inspection))
    outcomes = settle(inspection.table, found)
    doubt = _doubt(inspection)
    if doubt is None:
        reviewed = (item for review in REVIEWS for item in review(inspection, outcomes))
        outcomes = (*outcomes, *reviewed)
    if warnings_fail:
        outcomes = tuple(break_on_warnings(outcome) for outcome in outcomes)
    if doubt is None:
        return outcomes
    overflows = list(stamped(region_over_budget.id, map_overflows(inspection)))
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
    if facts.lacks_regions:
        return "the map's memory table is not whole"
    return None


def _undecide(outcome: Outcome, reason: str) -> Outcome:
    judged = (Status.HOLDS, Status.BROKEN, Status.WAIVED)
    if outcome.check in ABOUT_THE_MAP or outcome.status not in judged:
        return outcome
    findings = tuple(
        replace(finding, severity=Severity.UNDECIDED)
        if finding.severity is Severity.ERROR
        else finding
        for finding in outcome.findings
    )
    return replace(outcome, status=Status.UNDECIDED, findings=findings, reason=reason)
