"""One run's answer: the verdict and everything a report may say."""

from dataclasses import dataclass
from enum import Enum

from mapinspect.model.finding import Finding, Outcome, Severity, Status
from mapinspect.model.inspection import Inspection
from mapinspect.model.layer import LogNote
from mapinspect.model.remedy import Remedy


class Verdict(Enum):
    """PASS needs proof of every claim; FAIL one broken claim; UNKNOWN is everything else."""

    PASS = "pass"  # noqa: S105 - the verdict, no password
    FAIL = "fail"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file that was read: its role, its path as named by the user, its size in bytes.

    ``modified`` is when it was last written, in seconds since 1970; 0 where that is not known.
    """

    role: str
    path: str
    size: int
    sha256: str
    modified: int = 0


@dataclass(frozen=True, slots=True)
class BudgetLine:
    """A line of the budget table in a report; sizes in bytes, None where there is none.

    ``row`` is a kind of use, "total", "spare" (what is left to elastic heaps and stacks), "largest"
    (``free`` is the largest free block), or a row's id; ``status`` is "ok", "over", "under",
    "unknown" where the image is in doubt, or "-" where nothing limits it. ``scope`` says what
    ``memory`` is: a "region", a "bank" of the part, a "sum" of all regions of one kind, or
    "row" for a row of the table that counts elsewhere.
    """

    row: str
    memory: str
    estimated: int | None
    linked: int
    measured: int | None
    limit: int | None
    free: int | None
    status: str
    parts: tuple[tuple[str, int], ...] = ()
    scope: str = "region"


@dataclass(frozen=True, slots=True)
class Report:
    """All answers of one run.

    ``folder`` is the budget's folder, to which JSON paths are relative. ``notes`` say what
    weakens the gate (``--exit-zero``). ``inspection`` is None when an input could not be read;
    ``failure`` then says which and why. ``named`` are the files that were to be read, also those
    that an earlier failure left unread: no report may replace them. ``remedies`` are the ways out
    for regions over their limits. ``log`` explains the lines of the runtime's log.
    """

    folder: str
    inputs: tuple[InputFile, ...]
    inspection: Inspection | None
    outcomes: tuple[Outcome, ...]
    lines: tuple[BudgetLine, ...]
    notes: tuple[str, ...] = ()
    failure: Finding | None = None
    named: tuple[str, ...] = ()
    remedies: tuple[Remedy, ...] = ()
    log: tuple[LogNote, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """Return the verdict: never PASS without at least one claim, all of them proven."""
        if self.count(Status.BROKEN):
            return Verdict.FAIL
        proven = self.count(Status.HOLDS) and not self.count(Status.UNDECIDED)
        return Verdict.PASS if proven and self.failure is None else Verdict.UNKNOWN

    def count(self, status: Status) -> int:
        """Return how many claims were answered so."""
        return sum(outcome.status is status for outcome in self.outcomes)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Return all findings, errors first, in report order within a severity."""
        found = [finding for outcome in self.outcomes for finding in outcome.findings]
        if self.failure is not None:
            found.insert(0, self.failure)
        order = list(Severity)
        return tuple(sorted(found, key=lambda finding: order.index(finding.severity)))
