"""sections-overlap: two sections share addresses.

Two sections may not share run-time addresses, nor may two load images share the memory they are
stored in. ld reports an overlap of load addresses only; sections that run at one address but are
loaded from different ones pass it in silence, and the second overwrites the first at start-up.

    error[sections-overlap]: .fast and .ramfunc share 128 bytes of run-time addresses at
      0x20000080

Members of an OVERLAY run at one address on purpose: they are told by the symbols that ld provides
for them (`__load_start_NAME`), in the map or in the ELF. So does a section that holds nothing, in
a region that cannot be written: it skips what another view of the same Flash holds there.

When the part is known (`mcu`), its memories that are seen at several addresses count once: two
sections at different addresses may not lie in the same bytes of a bank either.

Mend it by giving the sections room in the linker script, or by declaring an OVERLAY.
"""

from collections.abc import Iterable, Iterator

from mapinspect.checks.check import check
from mapinspect.checks.views import shared_bytes
from mapinspect.model.finding import Outcome, broken, holds
from mapinspect.model.image import Role, Span
from mapinspect.model.inspection import Inspection, PlacedSection, Placement
from mapinspect.model.region_kind import FLASH_KINDS

_WORDS = {Role.RUN: "run-time", Role.LOAD: "load"}


@check("sections-overlap", "no two sections share run-time or load addresses", __doc__)
def sections_overlap(inspection: Inspection) -> Iterator[Outcome]:
    """Compare the run-time spans of all sections, then the spans of all stored images."""
    skipping = {
        item.section.ordinal for item in inspection.placements if _only_skips(inspection, item)
    }
    sections = {
        item.section.ordinal: item.section
        for item in inspection.placements
        if item.section.ordinal not in skipping
    }.values()
    run = _run_spans(sections)
    load = [(Span(item.lma, item.size), item) for item in sections if item.has_contents]
    for role, placed in ((Role.RUN, run), (Role.LOAD, load)):
        found = [*_overlaps(role, placed), *_shared(inspection, role, placed)]
        yield from found or [holds(f"{_WORDS[role]} addresses")]


def _only_skips(inspection: Inspection, item: Placement) -> bool:
    region = item.region
    return (
        item.section.placeholder
        and region is not None
        and inspection.kind(region.name) in FLASH_KINDS
    )


def _run_spans(sections: Iterable[PlacedSection]) -> list[tuple[Span, PlacedSection]]:
    """Return where sections run; of overlays that start at one address only the largest."""
    spans: list[tuple[Span, PlacedSection]] = []
    overlays: dict[int, PlacedSection] = {}
    for section in sections:
        if section.overlay:
            other = overlays.get(section.vma)
            if other is None or section.size > other.size:
                overlays[section.vma] = section
        else:
            spans.append((Span(section.vma, section.size), section))
    return spans + [(Span(vma, item.size), item) for vma, item in overlays.items()]


def _overlaps(role: Role, placed: list[tuple[Span, PlacedSection]]) -> Iterator[Outcome]:
    furthest: tuple[Span, PlacedSection] | None = None
    for span, section in sorted(placed, key=lambda pair: (pair[0], pair[1].ordinal)):
        if furthest is not None and span.start < furthest[0].end:
            yield _overlap(role, furthest, (span, section))
        if furthest is None or span.end > furthest[0].end:
            furthest = (span, section)


def _shared(
    inspection: Inspection, role: Role, placed: list[tuple[Span, PlacedSection]]
) -> Iterator[Outcome]:
    """Name sections that share bytes of the part although their addresses differ."""
    if inspection.part is None:
        return
    holding = [(span, section) for span, section in placed if not section.placeholder]
    for first, second in shared_bytes(inspection.part, holding):
        names = f"{first.section.name} and {second.section.name}"
        count = min(first.end, second.end) - second.offset
        message = (
            f"{names} share {count} bytes of {first.bank}: {_WORDS[role]} addresses "
            f"{first.address:#010x} and {second.address:#010x} are views of one memory"
        )
        evidence = (first.section.evidence, second.section.evidence, inspection.part.declared)
        remedy = "give both sections room in the linker script"
        yield broken(second.section.name, message, evidence, remedy)


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
