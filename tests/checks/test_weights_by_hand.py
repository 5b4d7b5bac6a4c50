"""Weights in the image, from places made by hand: in one Flash, once, aligned, together, fast."""

from dataclasses import replace

import pytest

from mapinspect.checks.check import Check
from mapinspect.checks.weights_duplicated import weights_duplicated
from mapinspect.checks.weights_misaligned import weights_misaligned
from mapinspect.checks.weights_missing import weights_missing
from mapinspect.checks.weights_not_in_flash import weights_not_in_flash
from mapinspect.checks.weights_scattered import weights_scattered
from mapinspect.checks.weights_slow import weights_slow
from mapinspect.model.embedded import EmbeddedModel, TensorPlace
from mapinspect.model.finding import Status
from mapinspect.model.image import Evidence, Region, Span
from mapinspect.model.inspection import Inspection, Located, ModelFacts
from mapinspect.model.network import Network
from mapinspect.model.part import MemoryBank, Part
from tests.builders import FLASH, RAM, copy, inspection, located, model, section, text

HERE = Evidence("app.elf", None, "")
HOME = text(0x1000)
PLACE = located("g_model", HOME)  # 64 bytes at the start of FLASH
NETWORK = Network("old.tflite", 64, 3, "", (), (), None, ())
HOLDS, BROKEN, UNDECIDED, NOT_CLAIMED = (
    Status.HOLDS,
    Status.BROKEN,
    Status.UNDECIDED,
    Status.NOT_CLAIMED,
)


def facts(*models: ModelFacts, **changes: object) -> Inspection:
    return replace(inspection(HOME), models=models, **changes)


def said(check: Check, found: Inspection) -> list[tuple[str, Status, str]]:
    return [
        (item.subject, item.status, item.findings[0].message if item.findings else "")
        for item in check(found)
    ]


def status(check: Check, found: Inspection) -> list[tuple[str, Status]]:
    return [item[:2] for item in said(check, found)]


def nameless(name: str, offset: int = 0, digest: str = "d", **how: object) -> EmbeddedModel:
    plain = EmbeddedModel(located(name, HOME, offset), (), NETWORK, "", None, digest)
    return replace(plain, **how)


def tensor(
    name: str, *places: Located, size: int = 64, layer: int = 0, role: str = "weights"
) -> TensorPlace:
    return TensorPlace(name, (0, layer), "CONV_2D", role, 0, size, places)


# Every check of weights: models that were not found hide none that was


@pytest.mark.parametrize(
    "check",
    [weights_duplicated, weights_misaligned, weights_not_in_flash, weights_slow, weights_scattered],
    ids=lambda check: check.id,
)
def test_a_model_that_was_not_found_is_not_claimed_and_hides_no_other(check: Check) -> None:
    whole = replace(model(copy(PLACE)), tensors=(tensor("w", PLACE),))
    first, second = status(check, facts(model(), whole))
    assert first == ("kws", NOT_CLAIMED)
    assert second[1] is HOLDS


@pytest.mark.parametrize(
    "check",
    [weights_duplicated, weights_misaligned, weights_not_in_flash, weights_slow],
    ids=lambda check: check.id,
)
def test_a_model_that_nobody_gave_is_judged_too(check: Check) -> None:
    assert status(check, facts(embedded=(nameless("g_old"),))) == [("g_old", HOLDS)]
    for other in (nameless("g_old", network=None), nameless("g_old", entry="kws")):
        assert [item[1] for item in status(check, facts(embedded=(other,)))] == [NOT_CLAIMED]


# weights-duplicated


def test_copies_are_counted_with_the_bytes_of_all_but_one() -> None:
    unsized = located("g_copy", HOME, 128, 0)
    two = model(copy(PLACE), copy(located("b", HOME, 256, 100)), copy(unsized), size=64)
    ((_, _, message),) = said(weights_duplicated, facts(two))
    assert message.startswith("g_model is in the image 3 times: 164 bytes more than needed")


def test_models_that_nobody_gave_are_the_same_by_their_bytes_alone() -> None:
    same = (nameless("a"), nameless("b", 256))
    assert [item[1] for item in said(weights_duplicated, facts(embedded=same))] == [BROKEN]
    other = (nameless("a"), nameless("b", 256, digest="e"))
    assert status(weights_duplicated, facts(embedded=other)) == [("a", HOLDS), ("b", HOLDS)]


# weights-misaligned


@pytest.mark.parametrize(("offset", "past"), [(0, 0), (1, 1), (8, 8), (15, 15), (16, 0)])
def test_models_begin_at_a_multiple_of_16(offset: int, past: int) -> None:
    place = located("g_model", HOME, offset)
    ((_, answer, message),) = said(weights_misaligned, facts(model(copy(place))))
    assert answer is (BROKEN if past else HOLDS)
    assert f"{past} bytes past" in message or not past


# weights-missing


@pytest.mark.parametrize(
    ("found", "answer", "words"),
    [
        pytest.param(model(copy(PLACE)), HOLDS, "", id="a copy"),
        pytest.param(replace(model(), tensors=(tensor("w", PLACE),)), HOLDS, "", id="all tensors"),
        pytest.param(
            replace(model(), tensors=(tensor("w", PLACE), tensor("v", size=9))),
            UNDECIDED,
            "of g_model 1 of 2 constant tensors are in the image; v (9 bytes) is nowhere",
            id="some tensors",
        ),
        pytest.param(replace(model(), tensors=(tensor("v"),)), BROKEN, "nowhere", id="no tensor"),
        pytest.param(model(), BROKEN, "no symbol g_model", id="nothing"),
    ],
)
def test_a_model_is_in_the_image(found: ModelFacts, answer: Status, words: str) -> None:
    ((_, given, message),) = said(weights_missing, facts(found))
    assert (given, words in message) == (answer, True)
    without = status(weights_missing, facts(found, elf=None))
    assert [item[1] for item in without] == [HOLDS if answer is HOLDS else UNDECIDED]


def test_an_unnamed_symbol_is_said_so() -> None:
    bare = model()
    bare = replace(bare, entry=replace(bare.entry, symbol=None))
    ((subject, _, message),) = said(weights_missing, facts(bare))
    assert (subject, "no symbol is named" in message) == ("kws", True)


# weights-scattered

NEXT = located("w2", HOME, 64)
FAR = located("w2", HOME, 0x400)
BETWEEN = located("x", HOME, 0x200)
ELSEWHERE = located("w2", section(".other", FLASH.span.start + 0x8000, 64))


@pytest.mark.parametrize(
    ("tensors", "answer"),
    [
        pytest.param([tensor("a", PLACE), tensor("b", NEXT)], HOLDS, id="side by side"),
        pytest.param([tensor("a", PLACE), tensor("b", FAR)], HOLDS, id="nothing lies between"),
        pytest.param(
            [tensor("a", PLACE), tensor("b", FAR), tensor("c", BETWEEN, layer=1)],
            BROKEN,
            id="another layer lies between",
        ),
        pytest.param(
            [tensor("b", FAR), tensor("a", PLACE), tensor("c", BETWEEN, layer=1)],
            BROKEN,
            id="in whatever order they are found",
        ),
        pytest.param(
            [tensor("a", PLACE), tensor("b", FAR), tensor("c", BETWEEN, role="bias")],
            HOLDS,
            id="its own bias lies between",
        ),
        pytest.param(
            [tensor("a", PLACE), tensor("b", FAR, layer=1), tensor("c", BETWEEN, layer=2)],
            HOLDS,
            id="one for each layer",
        ),
        pytest.param([tensor("a", PLACE), tensor("b", ELSEWHERE)], BROKEN, id="in two sections"),
        pytest.param(
            [tensor("a", PLACE), tensor("b", ELSEWHERE), tensor("c")],
            NOT_CLAIMED,
            id="of a layer that was found in part",
        ),
        pytest.param(
            [tensor("a", PLACE, role="bias"), tensor("b", ELSEWHERE, role="bias")],
            NOT_CLAIMED,
            id="no weights",
        ),
        pytest.param(
            [tensor("z", PLACE, layer=3), tensor("a", NEXT), tensor("b", ELSEWHERE)],
            BROKEN,
            id="a later layer is judged as well",
        ),
    ],
)
def test_the_weights_of_a_layer(tensors: list[TensorPlace], answer: Status) -> None:
    found = replace(model(), tensors=tuple(tensors))
    assert [item[1] for item in said(weights_scattered, facts(found))] == [answer]


# weights-slow

BANK = MemoryBank("FLASH", "flash", FLASH.span, aliases=(0,), zero_wait=0x100)
FAST = Part("X", "Cortex-M4", (BANK,), "a test", HERE)


@pytest.mark.parametrize(
    ("offset", "size", "slow"),
    [
        pytest.param(0xC0, 64, 0, id="up to the last fast byte"),
        pytest.param(0xC1, 64, 1, id="a byte behind"),
        pytest.param(0x100, 64, 64, id="all behind"),
        pytest.param(0x400, 64, 64, id="far behind"),
    ],
)
def test_weights_behind_the_fast_bytes(offset: int, size: int, slow: int) -> None:
    found = facts(model(copy(located("g_model", HOME, offset, size))), part=FAST)
    ((_, answer, message),) = said(weights_slow, found)
    assert answer is HOLDS
    assert message.startswith(f"{slow} of the {size} bytes") or not slow
    assert bool(message) == bool(slow)
    for part in (None, replace(FAST, banks=(replace(BANK, zero_wait=None),))):
        assert said(weights_slow, replace(found, part=part))[0][2] == ""


def test_fast_bytes_count_from_the_view_that_is_used() -> None:
    boot = section(".boot", 0x40, 0x1000)
    place = replace(located("g_model", boot, 0x90), region="BOOT")
    ((_, _, message),) = said(weights_slow, facts(model(copy(place)), part=FAST))
    assert message.startswith("16 of the 64 bytes")


# weights-not-in-flash

BOOT = Region("BOOT", Span(0, 0x1000), "xr", HERE)


def test_flash_that_is_stored_at_another_view_of_itself_is_no_copy() -> None:
    home = section(".model", 0x100, 64, lma=FLASH.span.start + 0x100)
    place = replace(located("g_model", home), region="BOOT", load_region="FLASH")
    found = replace(
        inspection(home, regions=(FLASH, RAM, BOOT)), models=(model(copy(place)),), part=FAST
    )
    assert status(weights_not_in_flash, found) == [("g_model", HOLDS)]
    for part in (None, replace(FAST, banks=(replace(BANK, aliases=()),))):
        assert status(weights_not_in_flash, replace(found, part=part)) == [("g_model", UNDECIDED)]


@pytest.mark.parametrize(
    ("place", "part", "answer"),
    [
        pytest.param(PLACE, None, HOLDS, id="in Flash"),
        pytest.param(replace(PLACE, region=None), None, UNDECIDED, id="in no region"),
        pytest.param(
            located("g_model", section(".m", RAM.span.start, 64)),
            None,
            UNDECIDED,
            id="in what may be Flash that the script calls writable",
        ),
        pytest.param(
            located("g_model", section(".m", RAM.span.start, 64)),
            Part("X", "M4", (MemoryBank("SRAM", "ram", RAM.span),), "", HERE),
            BROKEN,
            id="in what the part knows as RAM",
        ),
        pytest.param(
            located("g_model", section(".m", RAM.span.start, 64, writable=True)),
            None,
            BROKEN,
            id="in a section that is written",
        ),
        pytest.param(
            located("g_model", section(".m", RAM.span.start, 64, lma=FLASH.span.start)),
            None,
            BROKEN,
            id="copied from Flash",
        ),
    ],
)
def test_where_weights_lie(place: Located, part: Part | None, answer: Status) -> None:
    found = replace(inspection(place.section), models=(model(copy(place)),), part=part)
    assert status(weights_not_in_flash, found) == [("g_model", answer)]
