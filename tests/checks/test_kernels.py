"""Operators of models against kernels of the firmware, one lack at a time."""

from dataclasses import replace

import pytest

from mapinspect.checks.operators_missing import operators_missing
from mapinspect.model.finding import Outcome, Severity, Status
from mapinspect.model.image import Evidence
from mapinspect.model.operators import Kernels, ModelOperators, UnusedKernel
from tests.builders import inspection, text

HERE = Evidence("app.elf", None, "")
MODEL = ModelOperators("kws", ("CONV_2D",), (), (), HERE)
KERNELS = Kernels(("CONV_2D",), (MODEL,), (), "", HERE)


def judged(kernels: Kernels) -> list[Outcome]:
    return list(operators_missing(replace(inspection(text()), kernels=kernels)))


@pytest.mark.parametrize(
    ("changes", "doubt", "status", "words"),
    [
        pytest.param({}, "", Status.HOLDS, "", id="nothing is missing"),
        pytest.param({}, "the list is not whole", Status.HOLDS, "", id="nothing, in doubt or not"),
        pytest.param(
            {"missing": ("ADD", "MUL")},
            "",
            Status.BROKEN,
            "kws uses ADD, MUL, which the firmware does not register",
            id="kernels are missing",
        ),
        pytest.param(
            {"missing": ("ADD",)},
            "its symbols are gone",
            Status.UNDECIDED,
            "whether the firmware registers ADD for kws is unknown: its symbols are gone",
            id="kernels may be missing",
        ),
        pytest.param(
            {"unnamed": ("Detect",)},
            "its symbols are gone",
            Status.BROKEN,
            "kws uses the custom operator Detect, a name nowhere in the image",
            id="a custom operator that nothing names",
        ),
        pytest.param(
            {"narrow": ("ADD of int16",)},
            "",
            Status.UNDECIDED,
            "kws uses ADD of int16",
            id="a kernel of other types",
        ),
        pytest.param(
            {"narrow": ("ADD of int16",), "missing": ("MUL",)},
            "",
            Status.BROKEN,
            "kws uses MUL, which the firmware does not register",
            id="what is missing comes before what is narrow",
        ),
    ],
)
def test_what_a_model_lacks(
    changes: dict[str, tuple[str, ...]], doubt: str, status: Status, words: str
) -> None:
    (outcome,) = judged(replace(KERNELS, models=(replace(MODEL, **changes),), doubt=doubt))
    assert (outcome.subject, outcome.status) == ("kws", status)
    assert [item.message for item in outcome.findings] == ([words] if words else [])


def test_what_nothing_uses_is_information_with_the_bytes_that_are_known() -> None:
    unused = (
        UnusedKernel(("ADD", "SUB"), "add.o", 100, HERE),
        UnusedKernel(("MUL",), "mul.o", 20, HERE),
        UnusedKernel(("DIV",), "div.o", None, HERE),
    )
    holds, told = judged(replace(KERNELS, unused=unused))
    assert (holds.status, told.status) == (Status.HOLDS, Status.NOT_CLAIMED)
    (finding,) = told.findings
    assert finding.severity is Severity.INFORMATION
    assert finding.message == (
        "4 registered operators are used by no model: 120 bytes to save "
        "(ADD and SUB 100, MUL 20, DIV)"
    )
    (_, unsized) = judged(replace(KERNELS, unused=unused[2:]))
    assert unsized.findings[0].message == "1 registered operators are used by no model (DIV)"


def test_every_model_is_judged() -> None:
    other = replace(MODEL, model="vad", missing=("ADD",))
    told = [(item.subject, item.status) for item in judged(replace(KERNELS, models=(MODEL, other)))]
    assert told == [("kws", Status.HOLDS), ("vad", Status.BROKEN)]
