"""An image's facts → the budget table that it should have."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from mapinspect.analysis.locate import Surroundings
from mapinspect.analysis.proposal.networks import Found, arena_rows, weight_rows
from mapinspect.analysis.proposal.policy import memories
from mapinspect.analysis.proposal.regions import margin, region_rows
from mapinspect.analysis.proposal.reserves import heap_rows, stack_rows
from mapinspect.model.image import Span
from mapinspect.model.inspection import Inspection
from mapinspect.model.proposal import Entry, Proposal, ProposedRow
from mapinspect.model.runtime import Recognised


@dataclass(frozen=True, slots=True)
class Wording:
    """What the table calls things: names, and paths relative to its own folder.

    ``declares`` asks for origins and lengths, which no map gives. ``questions`` are known
    already.
    """

    project: str
    part: str | None
    elf: str
    map: str | None
    models: tuple[ProposedRow, ...]
    declares: bool
    questions: tuple[str, ...] = ()


def propose(
    inspection: Inspection,
    around: Surroundings,
    recognised: Sequence[Recognised],
    wording: Wording,
) -> Proposal:
    """Return the table: today's use with room to grow, and the recommended place of everything.

    What the image does wrong by that policy stays wrong under the table.
    """
    known = memories(inspection)
    weights = weight_rows(inspection, known, _found(inspection, around, recognised, "weights"))
    arenas = arena_rows(inspection, known, _found(inspection, around, recognised, "arena"))
    stacks, heaps = stack_rows(inspection, known), heap_rows(inspection)
    parts = (weights, arenas, stacks, heaps)
    return Proposal(
        project=_project(inspection, wording),
        inputs=_inputs(wording),
        models=wording.models,
        regions=tuple(region_rows(inspection, known, declare=wording.declares)),
        budgets=_distinct(row for part in parts for row in part.budgets),
        placements=_distinct(row for part in parts for row in part.placements),
        defects=tuple(item for part in parts for item in part.defects),
        open_questions=(*wording.questions, *_questions(inspection, recognised, stacks.budgets)),
    )


def _distinct(rows: Iterable[ProposedRow]) -> tuple[ProposedRow, ...]:
    """Return rows whose ids all differ: names that differ in signs alone get numbers."""
    taken: set[object] = set()
    result = []
    for row in rows:
        wanted, number = row.value("id"), 1
        name = wanted
        while name in taken:
            number += 1
            name = f"{wanted}-{number}"
        taken.add(name)
        entries = (
            replace(item, value=str(name)) if item.key == "id" else item for item in row.entries
        )
        result.append(replace(row, entries=tuple(entries)))
    return tuple(result)


def _project(inspection: Inspection, wording: Wording) -> ProposedRow:
    entries = [Entry("name", wording.project)]
    entries += [Entry("mcu", wording.part)] if wording.part else []
    return ProposedRow((*entries, margin(inspection)))


def _inputs(wording: Wording) -> ProposedRow:
    entries = [Entry("elf", wording.elf)]
    entries += [Entry("map", wording.map)] if wording.map else []
    return ProposedRow(tuple(entries))


def _found(
    inspection: Inspection, around: Surroundings, recognised: Sequence[Recognised], role: str
) -> list[Found]:
    """Return what was recognised, is sure enough, and no model file speaks of."""
    taken = {copy.place.span.start for model in inspection.models for copy in model.copies}
    taken |= {arena.place.span.start for arena in inspection.arenas if arena.place}
    by_name = {section.name: section for section in around.sections}
    return [
        Found(
            around.inside(by_name[item.section], item.name, item.span, item.evidence),
            item.sentence(),
        )
        for item in recognised
        if item.role == role and item.confidence != "low" and not item.pointer
        if item.span.size and item.span.start not in taken and item.section in by_name
    ]


def _questions(
    inspection: Inspection, recognised: Sequence[Recognised], stacks: Sequence[ProposedRow]
) -> list[str]:
    copies = [copy.place.span for model in inspection.models for copy in model.copies]
    questions = [
        f"{item.evidence.text}: give its .tflite file with --model"
        for item in recognised
        if item.role == "weights" and any("TFL3" in reason for reason in item.reasons)
        if not any(span.contains(Span(item.span.start, 1)) for span in copies)
    ]
    questions += [
        f"{item.name} is {item.sentence()}; add rows for it if so"
        for item in recognised
        if item.confidence == "low"
    ]
    if not stacks:
        questions.append('no stack is recognised: add a [[budget]] row, kind = "stack", with min')
    return questions
