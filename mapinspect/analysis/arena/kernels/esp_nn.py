"""Arena memory of the ESP-NN kernel set (esp-tflite-micro on ESP32-class chips).

Source: ARENA.md; esp-tflite-micro 1.4.0 with ESP-NN 1.0.2 to 1.2.3. Four
variants: ``ansi`` asks for no scratch, ``opt`` only in SOFTMAX, ``esp32s3`` and ``esp32p4`` by
rules of their own that changed between versions. What the set does not replace, and int16 and
float in what it does, is as in the reference set.
"""

from collections.abc import Callable
from dataclasses import replace

from mapinspect.analysis.arena.kernels import reference
from mapinspect.analysis.arena.kernels.esp_nn_p4 import convolve_p4
from mapinspect.analysis.arena.kernels.esp_nn_s3 import Shape, convolve_s3, depthwise_s3
from mapinspect.analysis.arena.kernels.geometry import convolution
from mapinspect.analysis.arena.kernels.node import KernelMemory, Node, dimensions
from mapinspect.analysis.arena.kernels.reference import Rule, type_of

ScratchRule = Callable[[Shape, tuple[int, ...]], int]


def _none(shape: Shape, version: tuple[int, ...]) -> int:
    del shape, version
    return 0


CONVOLVE: dict[str, ScratchRule] = {
    "ansi": _none,
    "opt": _none,
    "esp32s3": convolve_s3,
    "esp32p4": convolve_p4,
}
DEPTHWISE: dict[str, ScratchRule] = {
    "ansi": _none,
    "opt": _none,
    "esp32s3": depthwise_s3,
    "esp32p4": _none,
}


def _shape(node: Node) -> Shape:
    """Return the geometry as ESP-NN gets it: every number cut to 16 bits."""
    full = convolution(node)
    depthwise = node.operator.code == "DEPTHWISE_CONV_2D"
    return Shape(
        W=full.width & 0xFFFF,
        H=full.height & 0xFFFF,
        C=full.channels & 0xFFFF,
        O=full.outputs & 0xFFFF,
        kw=full.kernel_width & 0xFFFF,
        kh=full.kernel_height & 0xFFFF,
        sw=full.stride_width & 0xFFFF,
        sh=full.stride_height & 0xFFFF,
        pw=full.pad_width & 0xFFFF,
        ph=full.pad_height & 0xFFFF,
        OW=full.output_width & 0xFFFF,
        OH=full.output_height & 0xFFFF,
        M=max(node.number("depth_multiplier"), 0) if depthwise else 1,
    )


def convolve(node: Node, memory: KernelMemory) -> KernelMemory:
    """CONV_2D and DEPTHWISE_CONV_2D: the reference's, then the variant's scratch for int8."""
    result = reference.convolve(node, replace(memory, records=(node.profile.sizes["ConvCm"],)))
    if type_of(node.input(0)) != "INT8" or result.refused:
        return result
    rules = DEPTHWISE if node.operator.code == "DEPTHWISE_CONV_2D" else CONVOLVE
    size = rules[node.profile.variant](_shape(node), node.profile.version)
    return replace(result, scratch=(*result.scratch, size)) if size > 0 else result


def softmax(node: Node, memory: KernelMemory) -> KernelMemory:
    """SOFTMAX: the optimised variants take a row of the input's dimension number 1."""
    result = reference.softmax(node, replace(memory, records=(node.profile.sizes["CMSISSoftmax"],)))
    quantised = type_of(node.input(0)) == "INT8" and type_of(node.output()) == "INT8"
    data = node.input(0)
    if not quantised or node.profile.variant == "ansi" or data is None:
        return result
    shape = dimensions(data)
    if len(shape) < 2:
        # The kernel reads a second dimension that is not there: bytes behind the shape.
        return replace(result, unsure="ESP-NN SOFTMAX of a tensor with one dimension")
    return replace(result, scratch=(4 * shape[1],) if shape[1] else ())


RULES: dict[str, Rule] = {
    **reference.RULES,
    "CONV_2D": convolve,
    "DEPTHWISE_CONV_2D": convolve,
    "SOFTMAX": softmax,
}
