"""Disabling any check is noticed: for each, facts on which the verdict rests on it alone.

With all checks the facts do not PASS; without the check in question they do. A new check without
such facts fails here.
"""

from dataclasses import replace

import pytest

from mapinspect import checks
from mapinspect.checks import CATALOGUE
from mapinspect.checks import judge as judging
from mapinspect.checks.check import Check, Review
from mapinspect.checks.explain import severity
from mapinspect.checks.judge import judge
from mapinspect.model.embedded import TensorPlace
from mapinspect.model.habits import Habits, Margins
from mapinspect.model.image import Evidence, Span
from mapinspect.model.inspection import Inspection, ModelFacts
from mapinspect.model.measurement import Measurement, Run
from mapinspect.model.operators import Kernels, ModelOperators
from mapinspect.model.part import MemoryBank, Part
from mapinspect.model.report import Verdict
from mapinspect.model.reservation import Reservation
from tests.builders import (
    FLASH,
    RAM,
    arena,
    bss,
    copy,
    data,
    inspection,
    located,
    map_facts,
    model,
    region_row,
    section,
    table,
    text,
)
from tests.good_firmware import facts, verdict


def linked(rows: str) -> Inspection:
    return facts(rows)


def synthetic(*sections: object, **changes: object) -> Inspection:
    return replace(inspection(text(), *sections), **changes)


def with_model(*copies: object, home: object = None) -> Inspection:
    return synthetic(*([home] if home else []), models=(model(*copies),))


def peak(used: int, **run: object) -> Measurement:
    given = replace(Run(build_id="auto", iterations=1000), **run)
    return Measurement("stack.peak", "stack", "main", used, given, Evidence("run.log", 1, ""))


def part(ram: MemoryBank) -> Part:
    return Part("TEST32", "", (MemoryBank("FLASH", "flash", FLASH.span), ram), "", SEEN)


def started(found: Inspection) -> Inspection:
    return replace(found, elf=replace(found.elf, entry=FLASH.span.start))


def more_stacks(found: Inspection) -> Inspection:
    place = Span(found.reservations[0].place.start - 512, 256)
    further = replace(found.reservations[0], name="camera", span=place, runs_at=None)
    return replace(found, reservations=(*found.reservations, further))


HOME = bss(0xF00)
MALLOC = located("malloc", text())
STACK = Reservation("stack", "main", 256, "test", False, None, Evidence("app.elf", None, ""))
SMALL = MemoryBank("SRAM", "ram", Span(RAM.span.start, 0x800))
FAST = MemoryBank("CCM", "ram", RAM.span, dma=False)


def scattered() -> ModelFacts:
    """A model one of whose layers has another's weights between its own."""
    places = [located("g_model", text(), 16 * n, 16) for n in range(3)]
    tensors = tuple(
        TensorPlace(f"w{n}", (0, n % 2), "SVDF", "weights", 16 * n, 16, (place,))
        for n, place in enumerate(places)
    )
    return replace(model(copy(located("g_model", text()))), tensors=tensors)


SEEN = Evidence("app.elf", None, "1 operators are registered")
STORED = data(0x400)
SLOW = Part("slow", "", (MemoryBank("FLASH", "flash", FLASH.span, zero_wait=32),), "", SEEN)
ROW = "[[budget]]\nid = 'x'\nkind = 'arena'\n"

ALONE = {
    "region-over-budget": lambda: inspection(
        text(), bss(101), budget=table(region_row("FLASH"), region_row("RAM", 100))
    ),
    "row-over-budget": lambda: linked(ROW + "limit = 1\n"),
    "row-under-minimum": lambda: linked(ROW + "min = '16K'\n"),
    "growth-over-limit": lambda: linked(ROW + "growth = { bytes = 0 }\n"),
    "section-outside-regions": lambda: synthetic(section(".orphan", 0x3000_0000, 52)),
    "sections-overlap": lambda: synthetic(
        section(".a", RAM.span.start, 8, stored=False),
        section(".b", RAM.span.start + 4, 8, stored=False),
    ),
    "weights-missing": with_model,
    "weights-not-in-flash": lambda: with_model(copy(located("g_model", STORED)), home=STORED),
    "weights-misaligned": lambda: with_model(copy(located("g_model", text(), 6))),
    "weights-scattered": lambda: synthetic(models=(scattered(),)),
    "weights-duplicated": lambda: with_model(
        copy(located("g_model", text())), copy(located("g_copy", text(), 128))
    ),
    "embedded-model-differs": lambda: with_model(
        copy(located("g_model", text()), matches=False, first=3)
    ),
    "arena-too-small": lambda: synthetic(
        HOME, arenas=(arena(located("tensor_arena", HOME, size=999)),)
    ),
    "arena-misplaced": lambda: synthetic(
        STORED, arenas=(arena(located("tensor_arena", STORED, size=1008)),)
    ),
    "operators-missing": lambda: synthetic(
        kernels=Kernels(
            ("ADD",), (ModelOperators("kws", ("MUL",), ("MUL",), (), SEEN),), (), "", SEEN
        )
    ),
    "placement-broken": lambda: linked(
        "[[placement]]\nid = 'p'\nmatch = { symbol = 'g_kws_model' }\nregion = 'SRAM1'\n"
    ),
    "region-beyond-part": lambda: synthetic(HOME, part=part(SMALL)),
    "stack-collision": lambda: synthetic(margins=Margins(room=0)),
    "stack-misplaced": lambda: synthetic(
        reservations=(replace(STACK, span=Span(RAM.span.end - 260, 256)),)
    ),
    "free-block-too-small": lambda: replace(
        linked("[[budget]]\nid = 'h'\nkind = 'heap'\nmin = 4096\n"),
        reservations=(replace(STACK, kind="heap", bytes=2048),) * 2,
    ),
    "heap-reachable": lambda: synthetic(
        table=replace(table(), heap="none"), habits=Habits(allocators=(MALLOC,))
    ),
    "measured-over-reserve": lambda: facts("", measured=[peak(4097)]),
    "measurement-stale": lambda: facts("", measured=[peak(9, build_id="00" * 20)]),
    "row-matches-nothing": lambda: linked(
        "[[budget]]\nid = 'x'\nmatch = { symbol = 'nobody' }\nlimit = 1\n"
    ),
    "region-not-budgeted": lambda: linked("[[region]]\nname = 'FLASH'\n"),
    "limit-beyond-memory": lambda: linked(ROW + "limit = '1M'\n"),
    "map-elf-disagree": lambda: synthetic(map=map_facts(), elf=None),
    "bytes-not-conserved": lambda: synthetic(map=map_facts(unconserved=True)),
    "waiver-matches-nothing": lambda: linked(
        "[[waiver]]\ncheck = 'weights-missing'\nmatch = '*'\nreason = 'x'\nexpires = 2099-01-01\n"
    ),
}
# The map's doubt makes everything undecided, so what these add is only their own answer.
WARNING = {
    "section-orphaned": lambda: synthetic(map=map_facts(), orphans=(located(".odd", text()),)),
    "data-not-stored": lambda: started(
        synthetic(section(".data", RAM.span.start, 64, writable=True))
    ),
    "constants-in-ram": lambda: synthetic(
        STORED, habits=Habits(constants=(located("sine_table", STORED, size=512),))
    ),
    "dma-unreachable": lambda: synthetic(
        HOME,
        part=part(FAST),
        habits=Habits(dma_buffers=(located("dma_buffer", HOME),)),
    ),
    "static-constructors": lambda: synthetic(
        habits=Habits(allocators=(MALLOC,), constructors=("_GLOBAL__sub_I_x",))
    ),
    "stacks-unproven": lambda: more_stacks(facts("", measured=[peak(9)])),
    "measurement-doubtful": lambda: facts("", measured=[peak(9, iterations=1)]),
    "map-lines-unknown": lambda: synthetic(map=map_facts(unknown=1)),
    "weights-slow": lambda: replace(with_model(copy(located("g_model", text()))), part=SLOW),
    "arena-oversized": lambda: synthetic(
        HOME, arenas=(arena(located("tensor_arena", HOME, size=0xE00)),)
    ),
}


def without(monkeypatch: pytest.MonkeyPatch, id_: str) -> None:
    for name in ("CHECKS", "REVIEWS"):
        kept = tuple(check for check in getattr(checks, name) if check.id != id_)
        monkeypatch.setattr(judging, name, kept)


@pytest.mark.parametrize("id_", [check.id for check in CATALOGUE])
def test_without_this_check_something_would_pass(id_: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert id_ in {*ALONE, *WARNING}, f"give facts on which only {id_} decides"
    strict = id_ in WARNING
    broken = (WARNING if strict else ALONE)[id_]()
    assert verdict(broken, warnings_fail=strict) is not Verdict.PASS
    without(monkeypatch, id_)
    assert verdict(broken, warnings_fail=strict) is Verdict.PASS


# What these say at their worst, other facts show.
LESS_THAN_WORST = ("data-not-stored", "map-lines-unknown", "growth-over-limit")


@pytest.mark.parametrize("check", CATALOGUE, ids=[check.id for check in CATALOGUE])
def test_the_worst_answer_is_what_the_list_of_checks_says(check: Check | Review) -> None:
    """Only a warning lets the facts PASS that break its claim when warnings fail."""
    facts_of = {**ALONE, **WARNING}[check.id]
    found = [item for item in judge(facts_of()) if item.check == check.id]
    said = {finding.severity.value for outcome in found for finding in outcome.findings}
    if check.id not in LESS_THAN_WORST:
        assert severity(check) in said
        assert (severity(check) == "warning") == (check.id in WARNING)
