"""A check in words: what it claims, why, how it is decided, how to mend it and how to accept it."""

from mapinspect.checks.check import Check, Review

SEVERITIES = ("ignore", "warn", "error")


def severity(check: Check | Review) -> str:
    """Return what the check says at its worst: "undecided" where it judges the evidence itself."""
    return "undecided" if check.least == "error" else check.worst


def allowed(check: Check | Review) -> tuple[str, ...]:
    """Return the severities that the table may give the check."""
    return SEVERITIES[SEVERITIES.index(check.least) :]


def explain(check: Check | Review) -> str:
    """Return the explanation as text of at most 100 columns."""
    parts = [
        f"{check.id}: {check.title}",
        f"Claim: {check.claim}.\nWorst answer: {severity(check)}{_unless_raised(check)}. "
        f"In [checks] it may be: {', '.join(allowed(check))}.",
        check.doc,
        _acceptance(check),
    ]
    return "\n\n".join(parts) + "\n"


def _unless_raised(check: Check | Review) -> str:
    return " (error on demand)" if severity(check) == "warning" else ""


def _acceptance(check: Check | Review) -> str:
    if check.least == "error":
        return "It cannot be waived: what it finds leaves the other claims without ground."
    if check.worst == "undecided" and check.least == "ignore":
        return f"""It cannot be waived: what is undecided is never accepted. To leave it out of the
verdict, visibly in every report:

    [checks]
    {check.id} = "ignore\""""
    return f"""To accept a known case until a day, visibly in every report:

    [[waiver]]
    check = "{check.id}"
    match = "SUBJECT"      # what the finding names; a glob
    reason = "why, and where it is tracked"
    expires = 2027-03-31   # the last day; afterwards the table is refused"""
