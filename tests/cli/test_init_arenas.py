"""Which arena `mapinspect init` gives to which model: by their names, and never by guessing."""

import pytest

from mapinspect.cli.init_arenas import with_arenas
from mapinspect.model.budget import ModelEntry
from mapinspect.model.image import Evidence


def entry(name: str, symbol: str | None = None) -> ModelEntry:
    return ModelEntry(name, f"{name}.tflite", symbol, None, None, Evidence("x", None, ""))


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        pytest.param(["tensor_arena"], ["tensor_arena"] * 2, id="one arena is that of all"),
        pytest.param(
            ["g_speech_arena", "_ZL8kwsArena"],
            ["_ZL8kwsArena", "g_speech_arena"],
            id="each by the word that it shares with its model",
        ),
        pytest.param(["speech_arena", "other_arena"], [None, None], id="one that is left over"),
        pytest.param(["kws_arena", "kws_speech_arena"], [None, None], id="two for one model"),
        pytest.param(["arena_0", "arena_1"], [None, None], id="numbers say nothing"),
        pytest.param([], [None, None], id="none at all"),
    ],
)
def test_arenas_of_two_models(names: list[str], expected: list[str | None]) -> None:
    entries, questions = with_arenas([entry("kws_int8"), entry("net", "g_speech_model")], names)
    assert [item.arena for item in entries] == expected
    assert bool(questions) == (expected == [None, None])


def test_of_one_model_the_arena_is_not_chosen_among_several() -> None:
    entries, questions = with_arenas([entry("kws")], ["kws_arena", "tensor_arena"])
    assert entries[0].arena is None
    assert questions == ["which is the arena: kws_arena, tensor_arena? write arena = in models"]


def test_without_models_nothing_is_asked() -> None:
    assert with_arenas([], ["a_arena"]) == ([], [])
