"""Models against their files: what differs, what was found only in part, what nobody named."""

from dataclasses import replace

import pytest

from mapinspect.checks.embedded_model_differs import embedded_model_differs
from mapinspect.model.embedded import EmbeddedModel, TensorPlace
from mapinspect.model.finding import Status
from mapinspect.model.image import Evidence
from mapinspect.model.inspection import ModelCopy, ModelFacts
from mapinspect.model.network import Network
from tests.builders import bss, copy, inspection, located, model, text

HOME = text()
PLACE = located("g_model", HOME)  # 64 bytes
HERE = Evidence("app.elf", None, "")
FOUND = TensorPlace("w1", (0, 0), "CONV_2D", "weights", 0, 64, (PLACE,))
LOST = replace(FOUND, name="w2", places=())


def told(*models: ModelFacts, embedded: tuple[EmbeddedModel, ...] = ()) -> list[tuple[str, Status]]:
    facts = replace(inspection(HOME), models=models, embedded=embedded)
    return [(item.subject, item.status) for item in embedded_model_differs(facts)]


def message(facts: ModelFacts) -> str:
    (outcome,) = embedded_model_differs(replace(inspection(HOME), models=(facts,)))
    assert outcome.status is Status.BROKEN
    return outcome.findings[0].message


@pytest.mark.parametrize(
    ("found", "size", "words"),
    [
        pytest.param(
            copy(located("g_model", bss(64)), matches=None),
            64,
            "g_model (64 bytes) holds no bytes: .bss is not stored",
            id="no bytes to compare",
        ),
        pytest.param(
            copy(PLACE, matches=False, first=64),
            100,
            "g_model holds 64 of the 100 bytes of kws.tflite",
            id="an array that is too short",
        ),
        pytest.param(
            copy(PLACE, matches=False, first=50),
            50,
            "g_model holds 64 bytes, kws.tflite only 50",
            id="an array with more behind the file",
        ),
        pytest.param(
            copy(PLACE, matches=False, first=63),
            100,
            "g_model differs from kws.tflite, first at byte 63",
            id="another last byte",
        ),
    ],
)
def test_how_a_copy_differs(found: ModelCopy, size: int, words: str) -> None:
    assert message(model(found, size=size)) == words


def test_a_likely_cause_is_said_once() -> None:
    differs = copy(PLACE, matches=False, first=12)
    words = "g_model differs from kws.tflite, first at byte 12"
    assert message(model(replace(differs, cause="byte order"))) == f"{words}: byte order"
    assert message(model(replace(differs, cause="first at byte 12"))) == words


def test_what_was_found_in_part_or_not_at_all_is_not_compared() -> None:
    whole = replace(model(), tensors=(FOUND,))
    partly = replace(model(), tensors=(FOUND, LOST))
    for facts in (whole, partly, model()):
        assert told(facts, model(copy(PLACE))) == [
            ("kws", Status.NOT_CLAIMED),
            ("g_model", Status.HOLDS),
        ]


def test_a_model_that_nobody_gave_is_undecided_where_others_are_given() -> None:
    network = Network("old.tflite", 64, 3, "", (), (), None, ())
    other = EmbeddedModel(replace(PLACE, name="g_old"), (), network, "", None)
    assert told(model(copy(PLACE)), embedded=(other,)) == [
        ("g_model", Status.HOLDS),
        ("g_old", Status.UNDECIDED),
    ]
    assert told(embedded=(other,)) == [("weights", Status.NOT_CLAIMED)]
