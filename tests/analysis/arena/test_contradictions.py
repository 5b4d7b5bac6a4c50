"""The table names a runtime, core or kernel set, and the image shows another: no figure is proven.

The build attributes are those of ARM's ABI addenda; what each image needs is not at issue here.
"""

import pytest

from mapinspect.analysis.arena.image_need import image_need, target_need
from mapinspect.model.arena import BuildEvidence
from mapinspect.model.network import Network
from mapinspect.readers.tflite import read_network
from tests.analysis.arena.test_recognise import M4, M55, arm
from tests.single_operators import convolution

CMSIS = "arm_convolve_wrapper_s8"
M3 = {5: "7-M", 6: 10, 7: 77, 26: 1}


def conv() -> Network:
    return read_network("m", convolution("CONV_2D", "INT8", "INT8"))


def no_runtime(attributes: dict[int, int | str]) -> BuildEvidence:
    return BuildEvidence("ARM", 32, attributes, ("main",))


@pytest.mark.parametrize(
    ("target", "kernels", "build"),
    [
        pytest.param("cortex-m4", "reference", arm(M4, CMSIS), id="CMSIS-NN is linked"),
        pytest.param("cortex-m4", "cmsis-nn", arm(M4), id="no CMSIS-NN is linked"),
        pytest.param("cortex-m3", "cmsis-nn", arm(M4, CMSIS), id="a core with DSP"),
        pytest.param("cortex-m4", "cmsis-nn", arm(M55, CMSIS), id="a core with MVE"),
        pytest.param("cortex-m4", "cmsis-nn", no_runtime(M3), id="another core, stripped"),
        pytest.param("esp32", "esp-nn", arm(M4), id="another machine"),
        pytest.param("esp32c3", "esp-nn", BuildEvidence("XTENSA", 32, {}, ()), id="other ESP32"),
        pytest.param("x86-64", "reference", BuildEvidence("RISCV", 64, {}, ()), id="64-bit RISC-V"),
        pytest.param("cortex-m4", "reference", arm({**M4, 26: 2}), id="int enumerations"),
        pytest.param(
            "cortex-m4",
            "reference",
            arm(M4, "_ZN6tflite21SimpleMemoryAllocator6CreateEv"),
            id="a runtime whose structures are not known",
        ),
        pytest.param("cortex-m4", "reference", arm(M4, "xa_nn_conv2d"), id="kernels without rules"),
    ],
)
def test_a_declared_build_that_the_image_contradicts_is_a_lower_bound(
    target: str, kernels: str, build: BuildEvidence
) -> None:
    found = target_need(conv(), target, kernels, build)
    assert (found.exact, found.enough) == (False, None)
    assert found.reasons


@pytest.mark.parametrize(
    ("target", "kernels", "build"),
    [
        pytest.param("cortex-m4", "cmsis-nn", arm(M4, CMSIS), id="the build that it is"),
        pytest.param("cortex-m7", "cmsis-nn", arm(M4, CMSIS), id="a core of the same class"),
        pytest.param("cortex-m55", "cmsis-nn-size", arm(M55, CMSIS), id="what no image tells"),
        pytest.param("cortex-m4", "cmsis-nn", no_runtime(M4), id="stripped"),
        pytest.param("cortex-m4", "cmsis-nn", no_runtime({}), id="without build attributes"),
        pytest.param("cortex-m4", "cmsis-nn", arm({}, CMSIS), id="without attributes, a runtime"),
        pytest.param("cortex-m4", "cmsis-nn", arm(M4, "a.lto_priv.0"), id="inlined by LTO"),
        pytest.param("riscv32", "reference", BuildEvidence("RISCV", 32, {}, ()), id="RISC-V"),
    ],
)
def test_a_declared_build_decides_what_the_image_leaves_open(
    target: str, kernels: str, build: BuildEvidence
) -> None:
    found = target_need(conv(), target, kernels, build)
    assert found == target_need(conv(), target, kernels)
    assert found.exact


def test_plan_only_is_no_proof_where_tensorflow_lite_micro_is_linked() -> None:
    found = image_need(conv(), "plan-only", arm(M4))
    assert (found.exact, found.enough) == (False, None)
    assert "TensorFlow Lite Micro is linked" in found.reasons[0]
    assert image_need(conv(), "plan-only", no_runtime(M4)).exact


@pytest.mark.parametrize(
    "function",
    [
        "arm_convolve_wrapper_s16",
        "arm_fully_connected_s4",
        "arm_avgpool_s8",
        "arm_svdf_state_s16_s8",
        "arm_elementwise_add_s16",
        "arm_lstm_unidirectional_s8",
        "arm_softmax_s8.lto_priv.0",
    ],
)
def test_any_function_of_cmsis_nn_tells_its_kernels(function: str) -> None:
    assert not target_need(conv(), "cortex-m4", "reference", arm(M4, function)).exact
    assert image_need(conv(), None, arm(M4, function)).profile == "cortex-m4 cmsis-nn"


def test_kernels_that_link_time_optimisation_may_hide_are_in_doubt() -> None:
    assert image_need(conv(), "tflite-micro", arm(M4)).exact
    hidden = image_need(conv(), "tflite-micro", arm(M4, "main.lto_priv.0"))
    assert hidden.enough is None
