"""waiver-matches-nothing: a waiver accepts a defect that is not there.

A `[[waiver]]` accepts what one check says about one subject, until a day. When nothing is left
for it to accept, it was mended or renamed; the waiver would then hide the next defect of that
name. What cannot be judged cannot be waived, nor can a map of another link or a fault of the table.

    undecided[waiver-matches-nothing]: the waiver of weights-duplicated for g_old accepts nothing

Mend it by removing the waiver.
"""

from collections.abc import Iterator
from fnmatch import fnmatchcase

from mapinspect.checks.check import review
from mapinspect.model.finding import Outcome, Status, holds, not_claimed, undecided
from mapinspect.model.inspection import Inspection


@review(
    "waiver-matches-nothing",
    "every waiver accepts something",
    __doc__,
    least="error",
    about_table=True,
)
def waiver_matches_nothing(
    inspection: Inspection, outcomes: tuple[Outcome, ...]
) -> Iterator[Outcome]:
    """Look for an accepted outcome behind every waiver."""
    waivers = inspection.table.waivers
    if not waivers:
        yield not_claimed("waivers", "the table has no [[waiver]]")
    waived = [outcome for outcome in outcomes if outcome.status is Status.WAIVED]
    for waiver in waivers:
        used = any(
            outcome.check == waiver.check and fnmatchcase(outcome.subject, waiver.subject)
            for outcome in waived
        )
        if used:
            yield holds(waiver.subject)
        else:
            message = f"the waiver of {waiver.check} for {waiver.subject} accepts nothing"
            yield undecided(waiver.subject, message, (waiver.declared,), "remove the waiver")
