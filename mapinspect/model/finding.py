"""What a check answers: outcomes, and the findings that explain them."""

from dataclasses import dataclass
from enum import Enum
from typing import Final

from mapinspect.model.image import Evidence

ABOUT_THE_MAP: Final = ("map-elf-disagree", "bytes-not-conserved", "map-lines-unknown")
"""The checks whose findings put every figure of the map in doubt."""


class Status(Enum):
    """How a check answered one claim."""

    HOLDS = "holds"
    BROKEN = "broken"
    UNDECIDED = "undecided"  # the evidence needed is missing or contradicts itself
    WAIVED = "waived"  # broken, or with a warning, and accepted by the table
    NOT_CLAIMED = "not claimed"  # nothing was given to check


class Severity(Enum):
    """How much a finding matters; an error breaks its claim."""

    ERROR = "error"
    UNDECIDED = "undecided"
    WARNING = "warning"
    INFORMATION = "information"


@dataclass(frozen=True, slots=True)
class Finding:
    """One answer about one subject, with the numbers' places and one line of help.

    ``message`` stands alone in a log. ``check`` is stamped by the check that ran.
    """

    severity: Severity
    subject: str
    message: str
    evidence: tuple[Evidence, ...]
    help: str
    check: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The answer to one claim about one subject.

    A claim that holds may carry findings too (warnings). ``reason`` says why a claim is
    undecided or was not made. ``final`` marks a broken claim that no table can accept.
    """

    status: Status
    subject: str
    findings: tuple[Finding, ...] = ()
    reason: str = ""
    check: str = ""
    final: bool = False


def holds(subject: str, *findings: Finding) -> Outcome:
    """Return the outcome of a proven claim, with any warnings about it."""
    return Outcome(Status.HOLDS, subject, findings)


def broken(subject: str, message: str, evidence: tuple[Evidence, ...], remedy: str) -> Outcome:
    """Return the outcome of a claim that the evidence contradicts."""
    finding = Finding(Severity.ERROR, subject, message, evidence, remedy)
    return Outcome(Status.BROKEN, subject, (finding,))


def undecided(subject: str, message: str, evidence: tuple[Evidence, ...], remedy: str) -> Outcome:
    """Return the outcome of a claim that cannot be judged; never a pass."""
    finding = Finding(Severity.UNDECIDED, subject, message, evidence, remedy)
    return Outcome(Status.UNDECIDED, subject, (finding,), reason=message)


def not_claimed(subject: str, reason: str, *findings: Finding) -> Outcome:
    """Return the outcome of a check that was given nothing to judge, with what is worth telling."""
    return Outcome(Status.NOT_CLAIMED, subject, findings, reason=reason)
