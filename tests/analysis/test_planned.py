"""Models against a map alone; binutils (facts.json) says what the pieces really are."""

import json
from pathlib import Path

import pytest

from mapinspect.analysis.pieces import pieces
from mapinspect.analysis.planned import costly_weights, image_of_map
from mapinspect.model.budget import ModelEntry
from mapinspect.model.image import Evidence
from mapinspect.readers.gnu_map import read_map

BUILT = Path(__file__).parents[2] / "fixtures" / "built"
MODEL = ModelEntry("kws", "kws.tflite", "g_kws_model", None, None, Evidence("t.toml", 1, ""))


@pytest.mark.parametrize(
    ("case", "symbol", "glob", "memory"),
    [
        pytest.param("good", "tensor_arena", "tensor_arena", "SRAM1", id="by its section's name"),
        pytest.param("good", "tensor_arena", "*arena*", "SRAM1", id="by a glob"),
        pytest.param(
            "cpp", "_ZN12_GLOBAL__N_112tensor_arenaE", "*tensor_arena*", "SRAM1", id="mangled"
        ),
        pytest.param(
            "arena-in-wrong-bank", "tensor_arena", "tensor_arena", "SRAM2", id="as the last symbol"
        ),
        pytest.param("good", "g_kws_model", "g_kws_model", "FLASH", id="with 4 bytes before it"),
    ],
)
def test_a_variable_of_its_own_section_is_found(
    case: str, symbol: str, glob: str, memory: str
) -> None:
    found = pieces(image_of_map(read_map("app.map", (BUILT / case / "app.map").read_bytes())), glob)
    facts = json.loads((BUILT / case / "facts.json").read_text(encoding="utf-8"))["symbols"]
    assert [(item.name, item.memory) for item in found] == [(symbol, memory)]
    assert (found[0].span.start, found[0].span.size) == (
        facts[symbol]["address"],
        facts[symbol]["size"],
    )


def test_without_sections_of_their_own_the_last_global_symbol_reaches_to_the_end() -> None:
    path = BUILT / "no-function-sections" / "app.map"
    [piece] = pieces(image_of_map(read_map("app.map", path.read_bytes())), "tensor_arena")
    assert (piece.span.start, piece.span.size, piece.exact) == (0x2000_0850, 12288, False)


def test_a_variable_that_the_map_does_not_show_is_not_guessed() -> None:
    image = image_of_map(read_map("app.map", (BUILT / "lto" / "app.map").read_bytes()))
    assert pieces(image, "tensor_arena") == ()


@pytest.mark.parametrize(
    ("case", "memories"),
    [
        pytest.param("good", [], id="in Flash"),
        pytest.param("weights-without-const", [("SRAM1", "FLASH")], id="copied to RAM"),
    ],
)
def test_weights_that_cost_ram(case: str, memories: list[tuple[str, str]]) -> None:
    image = image_of_map(read_map("app.map", (BUILT / case / "app.map").read_bytes()))
    found = [item.piece for item in costly_weights(image, [MODEL])]
    assert [(item.memory, item.loaded_from) for item in found] == memories
