"""Log lines of real users (model_tools_and_failures.md, section 2) against a computed arena."""

import pytest

from mapinspect.analysis.arena.log import explain
from mapinspect.model.arena import ArenaNeed, ArenaPlan

NEED = ArenaNeed(
    model="m",
    profile="p",
    plan=ArenaPlan((), 26_496),
    nonpersistent=26_496,
    persistent=5_000,
    smallest=31_600,
    exact=True,
    reasons=(),
    refused=None,
)


@pytest.mark.parametrize(
    ("line", "agrees", "words"),
    [
        pytest.param(
            "Failed to resize buffer. Requested: 26496, available 23656, missing: 2840",
            True,
            "declare at least 31600",
            id="the head did not fit (esp_speech_recognition#2)",
        ),
        pytest.param(
            "Failed to resize buffer. Requested: 400, available 264, missing: 136",
            False,
            "computed are 26496",
            id="another model ran (tensorflow#39673)",
        ),
        pytest.param(
            "Arena size is too small for all buffers. Needed 26496 but only 19112 was available.",
            True,
            "is what was computed",
            id="an older runtime's message (himax_tflm#18)",
        ),
        pytest.param(
            "Failed to allocate tail memory. Requested: 64, available 32, missing: 32",
            None,
            "the tail met the head",
            id="the tail did not fit (CFU-Playground 822)",
        ),
        pytest.param(
            "Failed to allocate temp memory. Requested: 1200, available 80, missing: 1120",
            None,
            "while starting",
            id="no room while starting (tflite-micro#1249)",
        ),
        pytest.param("Failed to initialize output tensor 0", None, "inputs and outputs", id="end"),
        pytest.param(
            "12 bytes lost due to alignment. To avoid this loss, please align", None,
            "multiple of 16", id="a misaligned arena (tensorflow#40837)",
        ),
        pytest.param(
            "Didn't find op for builtin opcode 'MEAN' version '2'", None, "did not register",
            id="an operator that is not registered (tflite-micro#302)",
        ),
        pytest.param(
            "Scratch buffer request exceeds limit per operator (12)", None, "12 scratch",
            id="too many scratch buffers (tflite-micro#469)",
        ),
        pytest.param(
            "[RecordingMicroAllocator] Arena allocation head 26496 bytes", True, "head is",
            id="a recorded head",
        ),
        pytest.param(
            "[RecordingMicroAllocator] Arena allocation tail 5104 bytes", False, "5104 B",
            id="a recorded tail that differs",
        ),
    ],
)  # fmt: skip
def test_a_line_is_explained(line: str, agrees: bool | None, words: str) -> None:
    (note,) = explain(["boot", f"I (312) app: {line}\r\n"], NEED)
    assert note.line == 2
    assert note.agrees is agrees
    assert words in note.meaning


def test_other_lines_have_no_note() -> None:
    assert explain(["hello", "", "Requested: 5"], NEED) == ()
