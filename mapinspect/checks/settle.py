"""What the table makes of outcomes: severities of ``[checks]``, then ``[[waiver]]``."""

from collections.abc import Iterable
from dataclasses import replace
from fnmatch import fnmatchcase

from mapinspect.model.budget import BudgetTable, CheckRule, Waiver
from mapinspect.model.finding import Finding, Outcome, Severity, Status
from mapinspect.model.image import Evidence

_WAIVABLE = (Severity.ERROR, Severity.WARNING)


def settle(table: BudgetTable, outcomes: Iterable[Outcome]) -> tuple[Outcome, ...]:
    """Return the outcomes with the table's severities and waivers applied.

    "ignore" takes a check's claims out of the verdict, "warn" accepts what it breaks with a
    warning, "error" lets its warnings break claims. A waiver accepts a broken claim or a warning.
    What is accepted is WAIVED. What is undecided stays so: it cannot be accepted unseen. So does
    what is final: bytes for which there is no memory.
    """
    rules = {rule.check: rule for rule in table.rules}
    ruled = (
        _ruled(outcome, rules[outcome.check]) if outcome.check in rules else outcome
        for outcome in outcomes
    )
    return tuple(_waived(outcome, table.waivers) for outcome in ruled)


def _ruled(outcome: Outcome, rule: CheckRule) -> Outcome:
    if rule.severity == "ignore":
        reason = f"the table ignores {rule.check}"
        return replace(outcome, status=Status.NOT_CLAIMED, findings=(), reason=reason)
    if rule.severity == "error":
        return break_on_warnings(outcome)
    if outcome.status is not Status.BROKEN or outcome.final:
        return outcome
    findings = _with_severity(outcome.findings, Severity.ERROR, Severity.WARNING, rule.declared)
    return replace(outcome, status=Status.WAIVED, findings=findings)


def break_on_warnings(outcome: Outcome) -> Outcome:
    """Return an outcome whose warnings break its claim."""
    if not any(finding.severity is Severity.WARNING for finding in outcome.findings):
        return outcome
    findings = _with_severity(outcome.findings, Severity.WARNING, Severity.ERROR)
    return replace(outcome, status=Status.BROKEN, findings=findings)


def _with_severity(
    findings: tuple[Finding, ...], old: Severity, new: Severity, *declared: Evidence
) -> tuple[Finding, ...]:
    return tuple(
        replace(finding, severity=new, evidence=(*finding.evidence, *declared))
        if finding.severity is old
        else finding
        for finding in findings
    )


def _waived(outcome: Outcome, waivers: tuple[Waiver, ...]) -> Outcome:
    defects = [item for item in outcome.findings if item.severity in _WAIVABLE]
    if outcome.status is Status.UNDECIDED or outcome.final or not defects:
        return outcome
    for waiver in waivers:
        if outcome.check == waiver.check and fnmatchcase(outcome.subject, waiver.subject):
            findings = tuple(_accepted(finding, waiver) for finding in outcome.findings)
            return replace(outcome, status=Status.WAIVED, findings=findings, reason=waiver.reason)
    return outcome


def _accepted(finding: Finding, waiver: Waiver) -> Finding:
    if finding.severity not in _WAIVABLE:
        return finding
    return replace(
        finding,
        severity=Severity.INFORMATION,
        message=f"waived until {waiver.expires}: {finding.message}",
        evidence=(*finding.evidence, waiver.declared),
        help=f"accepted because: {waiver.reason}",
    )
