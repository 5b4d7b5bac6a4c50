"""sections-overlap: two sections share addresses.

Two sections may not share run-time addresses, nor may two load images share the memory they are
stored in. ld reports an overlap of load addresses only; sections that run at one address but are
loaded from different ones pass it in silence, and the second overwrites the first at start-up.

    error[sections-overlap]: .fast and .ramfunc share 128 bytes of run-time addresses at
      0x20000080

Mend it by giving the sections room in the linker script.
"""

from collections.abc import Iterator

from mapinspect.checks.check import check
from mapinspect.model.finding import Outcome, broken, holds
from mapinspect.model.image import Role, Span
from mapinspect.model.inspection import Inspection, PlacedSection

_WORDS = {Role.RUN: "run-time", Role.LOAD: "load"}


@check("sections-overlap", "no two sections share run-time or load addresses", __doc__)
def sections_overlap(inspection: Inspection) -> Iterator[Outcome]:
    """Compare the run-time spans of all sections, then the spans of all stored images."""
    sections = {item.section.ordinal: item.section for item in inspection.placements}.values()
    run = [(Span(item.vma, item.size), item) for item in sections]
    load = [(Span(item.lma, item.size), item) for item in sections if item.has_contents]
    yield from _judge(Role.RUN, run)
    yield from _judge(Role.LOAD, load)


def _judge(role: Role, placed: list[tuple[Span, PlacedSection]]) -> Iterator[Outcome]:
    furthest: tuple[Span, PlacedSection] | None = None
    clean = True
    for span, section in sorted(placed, key=lambda pair: (pair[0], pair[1].ordinal)):
        if furthest is not None and span.start < furthest[0].end:
            clean = False
            yield _overlap(role, furthest, (span, section))
        if furthest is None or span.end > furthest[0].end:
            furthest = (span, section)
    if clean:
        yield holds(f"{_WORDS[role]} addresses")


def _overlap(
    role: Role, first: tuple[Span, PlacedSection], second: tuple[Span, PlacedSection]
) -> Outcome:
    shared = first[0].overlap(second[0])
    subject = second[1].name
    message = (
        f"{first[1].name} and {subject} share {shared} bytes of {_WORDS[role]} addresses "
        f"at {second[0].start:#010x}"
    )
    evidence = (first[1].evidence, second[1].evidence)
    return broken(subject, message, evidence, "give both sections room in the linker script")
