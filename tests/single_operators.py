"""One model per operator and kind of tensor: what the wheel is asked about, one by one."""

from collections.abc import Sequence
from typing import Any

from tests.model_builder import G, Op, T, write_model

WIDTH = {"FLOAT32": 4, "INT8": 1, "INT16": 2, "INT32": 4, "INT64": 8, "UINT8": 1, "BOOL": 1}


PROBABILITIES = {
    "LOGISTIC": (1 / 256, -128),
    "SOFTMAX": (1 / 256, -128),
    "TANH": (1 / 128, 0),
    "LOG_SOFTMAX": (16 / 256, 127),
}


def count(shape: Sequence[int]) -> int:
    total = 1
    for size in shape:
        total *= size
    return total


def tensor(shape: Sequence[int], kind: str = "INT8", **more: Any) -> T:
    """A tensor quantised as its type asks: none for float and index types."""
    if kind in ("INT8", "UINT8"):
        return T(shape, kind, scales=(0.5,), zero_points=(0,), **more)
    if kind == "INT16":
        return T(shape, kind, scales=(0.001,), zero_points=(0,), **more)
    return T(shape, kind, scales=None, zero_points=None, **more)


def constant(shape: Sequence[int], kind: str, *values: int) -> T:
    """A constant index tensor (INT32) or zero-filled weights."""
    if values:
        data = b"".join(value.to_bytes(WIDTH[kind], "little", signed=True) for value in values)
    else:
        data = bytes(count(shape) * WIDTH.get(kind, 1))
    return tensor(shape, kind, data=data)


SCALES = {"INT8": 0.5, "INT16": 0.001, "FLOAT32": 1.0}
FILTER_SCALE = 0.01


def per_channel(
    shape: Sequence[int],
    kind: str,
    channels: int,
    dimension: int = 0,
    scale: float = FILTER_SCALE,
) -> T:
    """Constant weights with a scale per channel; a bias's scale is input times filter."""
    size = -(-count(shape) // 2) if kind == "INT4" else count(shape) * WIDTH[kind]
    return T(
        shape,
        kind,
        data=size,
        scales=(scale,) * channels,
        zero_points=(0,) * channels,
        dimension=dimension,
    )


def model(tensors: Sequence[T], op: Op, outputs: Sequence[int] | None = None) -> bytes:
    """A graph of one operator; its inputs without data are the graph's inputs."""
    inputs = [
        i for i in op.inputs if i >= 0 and tensors[i].data is None and not tensors[i].variable
    ]
    return write_model(G(tensors, [op], list(dict.fromkeys(inputs)), outputs or op.outputs))


def unary(
    code: str, kind: str, out: str | None = None, shape: Sequence[int] = (1, 6, 5, 3)
) -> bytes:
    table = {
        "SOFTMAX": ("SoftmaxOptions", {"beta": 1.0}),
        "LEAKY_RELU": ("LeakyReluOptions", {"alpha": 0.1}),
        "CAST": ("CastOptions", {}),
        "L2_NORMALIZATION": ("L2NormOptions", {}),
    }.get(code, (None, {}))
    result = tensor(shape, out or kind)
    if code in PROBABILITIES and kind in ("INT8", "INT16"):
        # The runtime insists on the scales that a converter gives these outputs.
        scale, zero = PROBABILITIES[code] if kind == "INT8" else (1 / 32768, 0)
        result = T(shape, kind, scales=(scale,), zero_points=(zero,))
    tensors = [tensor(shape, kind), result]
    return model(tensors, Op(code, [0], [1], table[1], table[0]))


def binary(code: str, kind: str, out: str | None = None, fixed: bool = False) -> bytes:
    table = {
        "ADD": "AddOptions",
        "SUB": "SubOptions",
        "MUL": "MulOptions",
        "DIV": "DivOptions",
    }.get(code)
    shape = (1, 6, 5, 3)
    second = constant(shape, kind) if fixed else tensor(shape, kind)
    tensors = [tensor(shape, kind), second, tensor(shape, out or kind)]
    return model(tensors, Op(code, [0, 1], [2], {}, table))


def convolution(
    code: str,
    kind: str,
    weights: str,
    *,
    size: tuple[int, int] = (9, 8),
    channels: int = 4,
    outputs: int = 6,
    kernel: tuple[int, int] = (3, 3),
    stride: tuple[int, int] = (1, 1),
    dilation: tuple[int, int] = (1, 1),
    padding: int = 0,
    batch: int = 1,
    bias: bool = True,
    groups: int = 1,
    channelwise: bool = True,
) -> bytes:
    """CONV_2D or DEPTHWISE_CONV_2D; pairs are (height, width), padding 0 is SAME."""
    depthwise = code == "DEPTHWISE_CONV_2D"
    dims = []
    for i in range(2):
        reach = (kernel[i] - 1) * dilation[i] + 1
        dims.append(
            -(-size[i] // stride[i]) if padding == 0 else -(-(size[i] - reach + 1) // stride[i])
        )
    shape = (1, *kernel, outputs) if depthwise else (outputs, *kernel, channels // groups)
    if weights == "FLOAT32":
        filters = constant(shape, weights)
    else:
        filters = per_channel(shape, weights, outputs if channelwise else 1, 3 if depthwise else 0)
    sums = {"FLOAT32": "FLOAT32", "INT8": "INT32", "INT16": "INT64"}[kind]
    tensors = [
        tensor((batch, *size, channels), kind),
        filters,
        constant((outputs,), sums)
        if sums == "FLOAT32"
        else per_channel(
            (outputs,), sums, outputs if channelwise else 1, scale=SCALES[kind] * FILTER_SCALE
        ),
        tensor((batch, *dims, outputs), kind),
    ]
    options = {
        "padding": padding,
        "stride_h": stride[0],
        "stride_w": stride[1],
        "dilation_h_factor": dilation[0],
        "dilation_w_factor": dilation[1],
    }
    if depthwise:
        options["depth_multiplier"] = outputs // channels
    table = "DepthwiseConv2DOptions" if depthwise else "Conv2DOptions"
    return model(tensors, Op(code, [0, 1, 2 if bias else -1], [3], options, table))


def dense(
    kind: str,
    weights: str,
    *,
    batch: int = 2,
    depth: int = 12,
    outputs: int = 7,
    bias: bool = True,
    channelwise: bool = False,
    rank: int = 2,
) -> bytes:
    filters = (
        constant((outputs, depth), weights)
        if weights == "FLOAT32"
        else per_channel((outputs, depth), weights, outputs if channelwise else 1)
    )
    sums = {"FLOAT32": "FLOAT32", "INT8": "INT32", "INT16": "INT64"}[kind]
    lead = (1,) * (rank - 2) + (batch,)
    tensors = [
        tensor((*lead, depth), kind),
        filters,
        constant((outputs,), sums)
        if sums == "FLOAT32"
        else per_channel(
            (outputs,), sums, outputs if channelwise else 1, scale=SCALES[kind] * FILTER_SCALE
        ),
        tensor((*lead, outputs), kind),
    ]
    options = {"keep_num_dims": rank > 2}
    return model(
        tensors,
        Op("FULLY_CONNECTED", [0, 1, 2 if bias else -1], [3], options, "FullyConnectedOptions"),
    )


def pooling(code: str, kind: str) -> bytes:
    options = {"padding": 1, "stride_h": 2, "stride_w": 2, "filter_height": 2, "filter_width": 2}
    tensors = [tensor((1, 8, 6, 5), kind), tensor((1, 4, 3, 5), kind)]
    return model(tensors, Op(code, [0], [1], options, "Pool2DOptions"))


def transpose_conv(
    kind: str, bias: str | None, channels: int = 4, stride: int = 2, weights: str = "INT8"
) -> bytes:
    outputs, size = 3, 4
    filters = (outputs, 3, 3, channels)
    tensors = (
        [
            constant((4,), "INT32", 1, size * stride, size * stride, outputs),
            constant(filters, "FLOAT32")
            if kind == "FLOAT32"
            else per_channel(filters, weights, outputs),
            tensor((1, size, size, channels), kind),
            constant((outputs,), bias)
            if bias in ("FLOAT32", None)
            else per_channel((outputs,), bias, outputs),
            tensor((1, size * stride, size * stride, outputs), kind),
        ]
        if bias
        else [
            constant((4,), "INT32", 1, size * stride, size * stride, outputs),
            constant(filters, "FLOAT32")
            if kind == "FLOAT32"
            else per_channel(filters, weights, outputs),
            tensor((1, size, size, channels), kind),
            tensor((1, size * stride, size * stride, outputs), kind),
        ]
    )
    inputs = [0, 1, 2, 3] if bias else [0, 1, 2]
    options = {"padding": 0, "stride_h": stride, "stride_w": stride}
    return model(
        tensors, Op("TRANSPOSE_CONV", inputs, [len(tensors) - 1], options, "TransposeConvOptions")
    )


def reduction(code: str, kind: str, axes: Sequence[int] = (1, 2), keep: bool = False) -> bytes:
    shape = (2, 6, 5, 3)
    left = [1 if keep else None if i in axes else size for i, size in enumerate(shape)]
    if keep:
        left = [1 if i in axes else size for i, size in enumerate(shape)]
    out = [size for size in left if size is not None]
    tensors = [tensor(shape, kind), constant((len(axes),), "INT32", *axes), tensor(out, kind)]
    return model(tensors, Op(code, [0, 1], [2], {"keep_dims": keep}, "ReducerOptions"))
