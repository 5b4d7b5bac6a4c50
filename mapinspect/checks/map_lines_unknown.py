"""map-lines-unknown: the map has lines that were not understood.

Each line of a map is claimed by a rule of the grammar or named here. While the rows still add up
and map and ELF agree, such a line is a warning; otherwise nothing that rests on the map can be
judged. Nor can it when the map is cut short, or when such a line stands in the memory table: which
regions exist is written nowhere else.

    warning[map-lines-unknown]: 1 of 1338 lines of the map are not understood

Mend it by linking again without mixing other output into the map; when a fresh map still fails,
please report it with the line.
"""

from collections.abc import Iterator

from mapinspect.checks.check import check
from mapinspect.model.finding import Finding, Outcome, Severity, holds, not_claimed, undecided
from mapinspect.model.image import Evidence
from mapinspect.model.inspection import Inspection, MapFacts

_SHOWN = 5  # lines; the first ones lead to the cause


@check(
    "map-lines-unknown",
    "every line of the map is understood",
    __doc__,
    worst="undecided",
    least="warn",
)
def map_lines_unknown(inspection: Inspection) -> Iterator[Outcome]:
    """Warn of unknown lines, or refuse to judge when the map is doubtful besides."""
    facts = inspection.map
    if facts is None:
        yield not_claimed("map", "no map is given")
    elif facts.missing:
        message = f"the map is not whole: {'; '.join(facts.missing)}"
        end = Evidence(facts.path, facts.line_count, message)
        remedy = "link again: the file was cut or garbled, or ld stopped"
        yield undecided("map", message, (*facts.unknown[:_SHOWN], end), remedy)
    elif not facts.unknown:
        yield holds("map")
    else:
        yield _judge(inspection, facts)


def _judge(inspection: Inspection, facts: MapFacts) -> Outcome:
    count = len(facts.unknown)
    message = f"{count} of {facts.line_count} lines of the map are not understood"
    evidence = facts.unknown[:_SHOWN]
    remedy = "keep other output out of the map and link again, or report the line"
    proven = inspection.elf is not None and not facts.unconserved and not facts.disagreements
    if proven:
        return holds("map", Finding(Severity.WARNING, "map", message, evidence, remedy))
    return undecided("map", message, evidence, remedy)
