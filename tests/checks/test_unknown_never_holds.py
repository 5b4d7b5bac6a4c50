"""Evidence that is missing or contradicts itself: no claim about weights or arenas holds by it."""

from dataclasses import replace

import pytest

from mapinspect.checks.arena_misplaced import arena_misplaced
from mapinspect.checks.arena_too_small import arena_too_small
from mapinspect.checks.check import Check
from mapinspect.checks.weights_not_in_flash import weights_not_in_flash
from mapinspect.model.finding import Status
from mapinspect.model.image import Evidence
from mapinspect.model.inspection import ArenaFacts, Inspection
from mapinspect.model.measurement import Build, Measurement, Run, Weighed
from tests.builders import (
    FLASH,
    RAM,
    arena,
    bss,
    copy,
    inspection,
    located,
    model,
    region_row,
    section,
    table,
)

HOME = bss(0x800)
PLACE = located("tensor_arena", HOME, size=2000)
LOG = Evidence("run.log", 3, "arena_used = 1500")


def status(check: Check, facts: Inspection) -> Status:
    [outcome] = check(facts)
    return outcome.status


def with_arena(facts: ArenaFacts, *measured: Weighed) -> Inspection:
    return replace(inspection(HOME), arenas=(facts,), measured=measured)


def peak(used: int, build: Build = Build.SAME) -> Weighed:
    item = Measurement("arena.used", "arena", "tensor_arena", used, Run(), LOG)
    return Weighed(item, build, "tensor_arena", 2000, span=PLACE.span)


@pytest.mark.parametrize(
    ("facts", "measured", "expected"),
    [
        pytest.param(arena(PLACE, exact=False), peak(1500), Status.HOLDS, id="this build, alone"),
        pytest.param(
            arena(PLACE, exact=False), peak(1500, Build.UNSTATED), Status.UNDECIDED, id="unstated"
        ),
        pytest.param(
            arena(PLACE, exact=False), peak(1500, Build.OTHER), Status.UNDECIDED, id="another build"
        ),
        pytest.param(arena(PLACE, exact=False), peak(0), Status.UNDECIDED, id="nothing used"),
        pytest.param(
            replace(arena(PLACE, exact=False), models=("kws", "vad")),
            peak(1500),
            Status.UNDECIDED,
            id="of one of two models",
        ),
    ],
)
def test_only_a_peak_of_this_build_and_model_decides_a_lower_bound(
    facts: ArenaFacts, measured: Weighed, expected: Status
) -> None:
    assert status(arena_too_small, with_arena(facts, measured)) is expected


def test_no_declared_size_makes_the_runtime_accept_a_model() -> None:
    declared = replace(arena(PLACE, exact=False), required=(1500, LOG))
    assert status(arena_too_small, with_arena(declared)) is Status.HOLDS
    refused = replace(declared, refused=("the runtime would refuse kws: it has type STRING",))
    assert status(arena_too_small, with_arena(refused)) is Status.UNDECIDED


def test_an_arena_in_memory_of_unknown_kind_is_not_known_to_be_in_ram() -> None:
    silent = replace(RAM, attributes="")
    facts = replace(inspection(HOME, regions=(FLASH, silent)), arenas=(arena(PLACE),))
    assert status(arena_misplaced, facts) is Status.UNDECIDED
    told = table(region_row("RAM", kind="sram"))
    facts = replace(inspection(HOME, regions=(FLASH, silent), budget=told), arenas=(arena(PLACE),))
    assert status(arena_misplaced, facts) is Status.HOLDS


def test_only_a_runtime_that_aligns_its_arena_may_begin_anywhere() -> None:
    odd = arena(located("tensor_arena", HOME, offset=4, size=1500))
    assert status(arena_misplaced, with_arena(odd)) is Status.HOLDS
    assert status(arena_misplaced, with_arena(replace(odd, aligns=False))) is Status.UNDECIDED


def test_weights_read_elsewhere_than_stored_are_a_copy_whatever_the_table_calls_it() -> None:
    copied = section(".model", RAM.span.start, 64, lma=FLASH.span.start + 0x100)
    told = table(region_row("RAM", kind="flash"))
    facts = replace(
        inspection(copied, budget=told), models=(model(copy(located("g_model", copied))),)
    )
    assert status(weights_not_in_flash, facts) is Status.UNDECIDED
