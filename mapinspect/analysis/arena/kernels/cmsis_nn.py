"""Arena memory of the CMSIS-NN kernel set (TFLM OPTIMIZED_KERNEL_DIR=cmsis_nn).

Source: ARENA.md; CMSIS-NN 4ab83cc3, the commit that TFLM 90b983c2 pins, built
with GCC. Scratch is requested only where its size is above 0. What these kernels do not replace
is as in the reference set.
"""

from dataclasses import replace

from mapinspect.analysis.arena.kernels import reference
from mapinspect.analysis.arena.kernels.geometry import Convolution, convolution
from mapinspect.analysis.arena.kernels.node import (
    KernelMemory,
    Node,
    dimension,
    scale_count,
)
from mapinspect.analysis.arena.kernels.reference import Rule, type_of
from mapinspect.analysis.arena.profile import DSP, MVE

RECORDS = {
    "AVERAGE_POOL_2D": "PoolCm",
    "MAX_POOL_2D": "PoolCm",
    "BATCH_MATMUL": "BatchMatmulCm",
    "CONV_2D": "ConvCm",
    "DEPTHWISE_CONV_2D": "ConvCm",
    "FULLY_CONNECTED": "FCCm",
    "SOFTMAX": "CMSISSoftmax",
    "SVDF": "SvdfCmReal",
    "TRANSPOSE_CONV": "TConvCm",
    "UNIDIRECTIONAL_SEQUENCE_LSTM": "LstmCm",
}
LSTM_SUMS = 8  # input and recurrent kernel sums of four gates


def _requests(*sizes: int) -> tuple[int, ...]:
    return tuple(size for size in sizes if size > 0)


def _record(node: Node, memory: KernelMemory) -> KernelMemory:
    return replace(memory, records=(node.profile.sizes[RECORDS[node.operator.code]],))


def _channels(node: Node, count: int) -> tuple[int, ...]:
    """Return multiplier and shift per channel; float kernels of this set take none."""
    quantised = type_of(node.input(0)) in ("INT8", "INT16")
    return (4 * count, 4 * count) if quantised else ()


def convolve(node: Node, memory: KernelMemory) -> KernelMemory:
    """CONV_2D: an im2col buffer, the size of which depends on the core's class."""
    shape = convolution(node)
    kind = type_of(node.input(0))
    size = 0
    if kind == "INT8":
        size = _convolve_s8(shape, node.profile.core)
    elif kind == "INT16":
        size = _im2col_s16(shape, node.profile.core)
    return replace(
        _record(node, memory),
        persistent=_channels(node, shape.outputs),
        scratch=_requests(size),
    )


def _convolve_s8(shape: Convolution, core: str) -> int:
    pointwise = shape.kernel_size == 1 and not shape.padded
    undilated = shape.dilation_width == 1 and shape.dilation_height == 1
    same_channels = shape.channels == shape.filter_channels
    if pointwise and undilated and same_channels:
        return 0
    line = shape.height == 1 and shape.kernel_height == 1 and shape.dilation_width == 1
    aligned = (shape.stride_width * shape.channels) % 4 == 0
    if core == MVE and line and aligned and same_channels:
        size = _convolve_line(shape)
        if size is not None:
            return size
    return _im2col_s8(shape.channels * shape.kernel_size, core)


def _convolve_line(shape: Convolution) -> int | None:
    """Return the buffer of the 1 x n convolution; None where its cases do not add up."""
    width, stride, pad = shape.output_width, shape.stride_width, shape.pad_width
    total = (width - 1) * stride + shape.kernel_width - shape.width
    odd = total % 2 if total >= 0 else -(-total % 2)  # the remainder of C
    right = 0 if pad + odd == 0 else max(1, (pad + odd + stride - 1) // stride)
    left = 0 if pad == 0 else max(1, (pad + stride - 1) // stride)
    middle = max(width - (right + left), 0)
    if right + middle + left != width:
        return None
    channels, row = shape.channels, shape.kernel_width * shape.channels
    tail = right * channels if odd else pad * channels
    return max(row + pad * channels, row - channels + tail)


def _im2col_s8(columns: int, core: str) -> int:
    if core == MVE:
        return 64 * -(-columns // 16)
    return 4 * (-(-columns // 4) * 4)


def _im2col_s16(shape: Convolution, core: str) -> int:
    columns = shape.channels * shape.kernel_size
    return 64 * -(-columns // 8) if core == MVE else 4 * columns


def depthwise(node: Node, memory: KernelMemory) -> KernelMemory:
    """DEPTHWISE_CONV_2D: buffers for the optimised cases of int8 only."""
    shape = convolution(node)
    size = 0
    if type_of(node.input(0)) == "INT8":
        size = _depthwise_s8(shape, node.profile.core, type_of(node.input(1)))
    return replace(
        _record(node, memory),
        persistent=_channels(node, shape.outputs),
        scratch=_requests(size),
    )


def _depthwise_s8(shape: Convolution, core: str, weights: str) -> int:
    if core == MVE and shape.channels == 1 and shape.outputs > 1 and weights == "INT8":
        # Run as a convolution over a filter that is transposed into the same buffer.
        single = replace(shape, filter_channels=1)
        return _convolve_s8(single, core) + shape.outputs * shape.kernel_size
    undilated = shape.dilation_width == 1 and shape.dilation_height == 1
    if shape.channels != shape.outputs or shape.batch != 1 or not undilated:
        return 0
    if core == MVE:
        return 496 * shape.kernel_size
    square = shape.kernel_width == 3 and shape.kernel_height == 3
    if weights == "INT8" and square and shape.pad_width <= 1 and shape.pad_height <= 1:
        return 0
    return 2 * shape.channels * shape.kernel_size if core == DSP or weights == "INT4" else 0


def fully_connected(node: Node, memory: KernelMemory) -> KernelMemory:
    """FULLY_CONNECTED: kernel sums on MVE, kept when the build prefers speed."""
    scales = scale_count(node.input(1))
    kind, weights = type_of(node.input(0)), type_of(node.input(1))
    per_channel = kind != "FLOAT32" and scales > 1
    persistent: tuple[int, ...] = (4 * scales, 4 * scales) if per_channel else ()
    outputs = dimension(node.input(1), 0)
    scratch: tuple[int, ...] = ()
    unsure = None
    output = node.output()
    if kind == "INT8" and weights != "INT4":
        depth = dimension(node.input(1), -1)
        if output and len(output.shape) > 2 and depth % 4 == 0:
            unsure = "CMSIS-NN FULLY_CONNECTED with an output of more than two dimensions"
            scratch = _requests(0 if per_channel else 8 * outputs)
        elif node.profile.core == MVE:
            constant = all(t is None or t.constant for t in (node.input(1), node.input(2)))
            if constant and node.profile.for_speed:
                persistent += (4 * outputs,)
            else:
                scratch = (4 * outputs,)
    return replace(
        _record(node, memory),
        persistent=persistent,
        scratch=scratch,
        unsure=unsure,
    )


def average_pool(node: Node, memory: KernelMemory) -> KernelMemory:
    """AVERAGE_POOL_2D: an accumulator per channel on cores with DSP but without MVE."""
    quantised = type_of(node.input(0)) in ("INT8", "INT16")
    size = 4 * dimension(node.input(0), 3) if quantised and node.profile.core == DSP else 0
    return replace(_record(node, memory), scratch=_requests(size))


def max_pool(node: Node, memory: KernelMemory) -> KernelMemory:
    """MAX_POOL_2D: its record only."""
    return _record(node, memory)


def softmax(node: Node, memory: KernelMemory) -> KernelMemory:
    """SOFTMAX: as the reference with a larger record."""
    return reference.softmax(node, _record(node, memory))


def svdf(node: Node, memory: KernelMemory) -> KernelMemory:
    """SVDF: as the reference, plus kernel sums for int8 on MVE."""
    result = reference.svdf(node, _record(node, memory))
    if type_of(node.input(0)) != "INT8" or node.profile.core != MVE:
        return result
    sums = 4 * dimension(node.input(1), 0)
    if node.profile.for_speed:
        return replace(result, persistent=(*result.persistent, sums))
    return replace(result, scratch=(*result.scratch, sums))


def lstm(node: Node, memory: KernelMemory) -> KernelMemory:
    """UNIDIRECTIONAL_SEQUENCE_LSTM: quantised, one gate buffer less and eight kernel sums."""
    kind = type_of(node.input(0))
    result = _record(node, memory)
    gate = reference.lstm_gate(node)
    if kind not in ("INT8", "INT16"):
        return replace(result, scratch=(gate,) * 4)
    sums = dimension(node.input(18), 1) * (4 if kind == "INT8" else 8)
    return replace(result, persistent=(sums,) * LSTM_SUMS, scratch=(gate,) * 3)


def transpose_conv(node: Node, memory: KernelMemory) -> KernelMemory:
    """TRANSPOSE_CONV: int8 either as a convolution over a reversed filter, or row by row."""
    result = reference.transpose_conv(node, _record(node, memory))
    if type_of(node.input(2)) != "INT8":
        return result
    weights, data = node.input(1), node.input(2)
    outputs, channels = dimension(weights, 0), dimension(data, 3)
    height, width = dimension(weights, 1), dimension(weights, 2)
    stride_width, stride_height = node.number("stride_w"), node.number("stride_h")
    if stride_width <= 2 and stride_height <= 2 and channels > 16:
        columns = channels * width * height
        scratch = (_im2col_s8(columns, node.profile.core), columns * outputs)
    else:
        span = (dimension(data, 2) - 1) * stride_width + max(width, stride_height)
        scratch = (4 * span * outputs * max(height, stride_height), 0)
    return replace(result, scratch=scratch)


def batch_matmul(node: Node, memory: KernelMemory) -> KernelMemory:
    """BATCH_MATMUL: as the reference, plus a row of sums for int8 on MVE."""
    result = reference.batch_matmul(node, _record(node, memory))
    if type_of(node.input(0)) != "INT8" or node.profile.core != MVE:
        return result
    return replace(result, scratch=_requests(4 * dimension(node.output(), -1)))


RULES: dict[str, Rule] = {
    **reference.RULES,
    "AVERAGE_POOL_2D": average_pool,
    "BATCH_MATMUL": batch_matmul,
    "CONV_2D": convolve,
    "DEPTHWISE_CONV_2D": depthwise,
    "FULLY_CONNECTED": fully_connected,
    "MAX_POOL_2D": max_pool,
    "SOFTMAX": softmax,
    "SVDF": svdf,
    "TRANSPOSE_CONV": transpose_conv,
    "UNIDIRECTIONAL_SEQUENCE_LSTM": lstm,
}
