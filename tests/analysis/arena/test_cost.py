from pathlib import Path

import pytest

from mapinspect.analysis.arena.cost import cost, shared
from mapinspect.analysis.arena.need import need
from mapinspect.analysis.arena.profile import UnknownProfileError, profile
from mapinspect.model.network import Network
from mapinspect.readers.tflite import read_network
from tests.model_builder import G, Op, T, write_model
from tests.single_operators import per_channel, tensor

M4 = profile("cortex-m4", "cmsis-nn")


def shared_weights() -> Network:
    """Two dense layers that share one buffer of weights, and a constant shape."""
    weights = per_channel((8, 8), "INT8", 1)
    again = T((8, 8), "INT8", buffer=1, scales=(0.01,), zero_points=(0,))
    tensors = [tensor((1, 8)), weights, tensor((1, 8)), again, tensor((1, 8))]
    operators = [
        Op("FULLY_CONNECTED", [0, 1, -1], [2], {}, "FullyConnectedOptions"),
        Op("FULLY_CONNECTED", [2, 3, -1], [4], {}, "FullyConnectedOptions"),
    ]
    return read_network("m", write_model(G(tensors, operators, [0], [4])))


def test_a_buffer_that_two_layers_share_counts_once() -> None:
    found = cost(shared_weights(), M4)
    assert [layer.weights for layer in found.layers] == [64, 0]
    assert [layer.multiplications for layer in found.layers] == [64, 64]
    assert (found.weights, found.by_type) == (64, (("INT8", 64),))


@pytest.mark.corpus
def test_keyword_spotting_reference_model(shared: Path) -> None:
    # 2,656,768 multiply-accumulates: the figure that MLPerf Tiny gives for its model is 2.7 M.
    path = shared / "models/mlcommons-tiny/kws_ref_model.tflite"
    found = cost(read_network(path.name, path.read_bytes()), M4)
    assert sum(layer.multiplications for layer in found.layers) == 2_656_768
    assert found.peak.bound == found.need.nonpersistent == 16_000
    assert dict(found.operators)["DEPTHWISE_CONV_2D"] == 4


@pytest.mark.corpus
def test_live_bytes_never_exceed_the_plan_and_reach_the_peak(shared: Path) -> None:
    for path in sorted((shared / "models").rglob("*.tflite")):
        found = cost(read_network(path.name, path.read_bytes()), M4)
        live = [layer.live for layer in found.layers]
        assert max(live) <= found.peak.bound <= found.need.nonpersistent, path.name


def test_models_that_share_an_arena_overlap_their_heads_and_add_their_tails() -> None:
    small = cost(shared_weights(), M4)
    tensors = [tensor((1, 4000)), tensor((1, 4000))]
    wide = cost(read_network("w", write_model(G(tensors, [Op("RELU", [0], [1])], [0], [1]))), M4)
    both = shared([small, wide])
    assert both.nonpersistent == wide.need.nonpersistent == 8000 + 2 * 0
    assert both.persistent == small.need.persistent + wide.need.persistent
    assert both.smallest >= both.nonpersistent + both.persistent


def test_an_unknown_version_of_esp_nn_on_the_s3_shows_the_other_figures() -> None:
    convolution = Op("CONV_2D", [0, 1, -1], [2], {"stride_h": 1, "stride_w": 1}, "Conv2DOptions")
    tensors = [
        tensor((1, 16, 16, 16)),
        per_channel((8, 3, 3, 16), "INT8", 8),
        tensor((1, 16, 16, 8)),
    ]
    model = read_network("m", write_model(G(tensors, [convolution], [0], [2])))
    unknown = cost(model, profile("esp32s3", "esp-nn"))
    assert [other.profile for other in unknown.alternatives] == [
        "esp32s3 esp-nn@1.2.2",
        "esp32s3 esp-nn@1.2.0",
    ]
    named = cost(model, profile("esp32s3", "esp-nn@1.1"))
    assert named.alternatives == ()
    assert named.need.smallest == unknown.alternatives[-1].smallest
    assert cost(model, profile("esp32", "esp-nn")).alternatives == ()


def test_a_custom_operator_makes_the_figure_a_lower_bound() -> None:
    operator = Op("CUSTOM", [0], [1], custom="MyFilter")
    model = read_network("m", write_model(G([tensor((1, 8))] * 2, [operator], [0], [1])))
    found = cost(model, M4)
    assert not found.need.exact
    assert found.need.reasons == ("the custom operator MyFilter is not modelled",)
    assert not found.complete


@pytest.mark.parametrize(
    ("tensors", "operator", "reason"),
    [
        pytest.param(
            [tensor((1, 8), "FLOAT32"), per_channel((4, 8), "INT8", 1), tensor((1, 4), "FLOAT32")],
            Op("FULLY_CONNECTED", [0, 1, -1], [2], {}, "FullyConnectedOptions"),
            "hybrid",
            id="float data with int8 weights",
        ),
        pytest.param(
            [tensor((1, 4, 4, 2)), per_channel((2, 1, 1, 2), "INT8", 2), tensor((1, 4, 4, 2))],
            Op("CONV_2D", [0, 1], [2]),
            "has no options",
            id="a convolution without options",
        ),
        pytest.param([T([4])] * 2, Op("POW", [0, 0], [1]), "no kernel for POW", id="no kernel"),
        pytest.param(
            [T([4]), T([0, 4])], Op("RELU", [0], [1]), "dynamic tensor", id="an empty output"
        ),
        pytest.param(
            [T([4]), T([4], "STRING")], Op("RELU", [0], [0]), "has type STRING", id="strings"
        ),
        pytest.param(
            [T([4]), T([4]), T([8])],
            Op("RELU", [0], [1], intermediates=[2]),
            "intermediate tensor 2",
            id="intermediates with a size",
        ),
    ],
)
def test_a_model_that_the_runtime_refuses(tensors: list[T], operator: Op, reason: str) -> None:
    model = read_network("m", write_model(G(tensors, [operator], [0], operator.outputs)))
    found = need(model, M4)
    assert found.refused is not None
    assert reason in found.refused


@pytest.mark.parametrize(
    ("target", "kernels", "words"),
    [
        ("cortex-m9", "reference", "unknown target cortex-m9"),
        ("cortex-m4", "esp-nn", "does not exist for cortex-m4"),
        ("esp32", "cmsis-nn", "does not exist for esp32"),
        ("esp32", "fast", "unknown kernel set fast"),
        ("esp32", "esp-nn@new", "no version"),
        ("cortex-m4", "cmsis-nn@6", "no versions"),
    ],
)
def test_a_profile_that_does_not_exist_is_named(target: str, kernels: str, words: str) -> None:
    with pytest.raises(UnknownProfileError, match=words):
        profile(target, kernels)


def test_the_arenas_end_at_its_real_address_changes_the_padding() -> None:
    model = shared_weights()
    aligned = need(model, M4)
    sizes = {need(model, M4, end=end).persistent for end in range(16)}
    assert aligned.persistent in sizes
    assert max(sizes) - min(sizes) <= 32
