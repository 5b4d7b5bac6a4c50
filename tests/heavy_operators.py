"""Random models of one operator each for the kernels with weights."""

import random
from collections.abc import Iterator

from tests.model_builder import Op, T
from tests.single_operators import (
    FILTER_SCALE,
    SCALES,
    convolution,
    dense,
    model,
    per_channel,
    tensor,
    transpose_conv,
)

PAIRS = (
    ("FLOAT32", "FLOAT32"),
    ("INT8", "INT8"),
    ("INT8", "INT4"),
    ("INT16", "INT8"),
    ("INT8", "INT8"),
)


def random_convolution(chance: random.Random) -> tuple[str, bytes]:
    """Return a CONV_2D or DEPTHWISE_CONV_2D of random geometry, named after it."""
    kind, weights = chance.choice(PAIRS)
    channels = chance.choice([1, 2, 3, 4, 8, 16, 17])
    depthwise = chance.random() < 0.5
    code = "DEPTHWISE_CONV_2D" if depthwise else "CONV_2D"
    kernel = chance.choice([(1, 1), (3, 3), (1, 5), (5, 1), (2, 3)])
    dilation = (1, 1) if kind == "INT16" else chance.choice([(1, 1), (1, 1), (2, 2), (1, 2)])
    size = chance.choice([(9, 8), (12, 12), (1, 20)])
    reach = [(kernel[i] - 1) * dilation[i] + 1 for i in range(2)]
    padding = chance.choice([0, 0, 1]) if reach[0] <= size[0] and reach[1] <= size[1] else 0
    options = {
        "size": size,
        "channels": channels,
        "outputs": channels * chance.choice([1, 2]) if depthwise else chance.choice([1, 4, 6]),
        "kernel": kernel,
        "stride": chance.choice([(1, 1), (2, 2), (1, 2)]),
        "dilation": dilation,
        "padding": padding,
        "batch": chance.choice([1, 1, 2]),
        "bias": chance.random() < 0.8,
        "channelwise": chance.random() < 0.7,
    }
    return f"{code} {kind} {weights} {options}", convolution(code, kind, weights, **options)


def random_dense(chance: random.Random) -> tuple[str, bytes]:
    """Return a FULLY_CONNECTED of random size."""
    kind, weights = chance.choice(PAIRS)
    options = {
        "batch": chance.choice([1, 3]),
        "depth": chance.choice([4, 12, 13, 64]),
        "outputs": chance.choice([1, 7, 16]),
        "bias": chance.random() < 0.8,
        "channelwise": chance.random() < 0.5,
        "rank": chance.choice([2, 2, 3, 4]),
    }
    return f"FULLY_CONNECTED {kind} {weights} {options}", dense(kind, weights, **options)


def svdf(kind: str, rank: int) -> bytes:
    """Return an SVDF of 8 inputs, 6 filters and a memory of 5 steps."""
    filters, memory, depth, batch = 6, 5, 8, 2
    sums = "FLOAT32" if kind == "FLOAT32" else "INT32"
    state = "FLOAT32" if kind == "FLOAT32" else "INT8"
    time = "FLOAT32" if kind == "FLOAT32" else "INT8"
    scale = SCALES[kind] * FILTER_SCALE
    tensors = [
        tensor((batch, depth), kind),
        per_channel((filters, depth), time, 1),
        per_channel((filters, memory), time, 1),
        per_channel((filters // rank,), sums, 1, scale=scale),
        T((batch, memory * filters), state, scales=(0.5,), zero_points=(0,), variable=True),
        tensor((batch, filters // rank), kind),
    ]
    return model(tensors, Op("SVDF", [0, 1, 2, 3, 4], [5], {"rank": rank}, "SVDFOptions"))


def heavy_operators(seed: int, count: int) -> Iterator[tuple[str, bytes]]:
    """Yield ``count`` convolutions and half as many others, each with its name."""
    chance = random.Random(seed)
    for _ in range(count):
        yield random_convolution(chance)
    for _ in range(count // 4):
        yield random_dense(chance)
    for kind, bias in (
        ("FLOAT32", "FLOAT32"),
        ("FLOAT32", None),
        ("INT8", "INT32"),
        ("INT8", None),
        ("INT16", "INT64"),
        ("INT16", "INT16"),
        ("INT16", None),
    ):
        for channels in (4, 17):
            for stride in (1, 2, 3):
                name = f"TRANSPOSE_CONV {kind} {bias} {channels} {stride}"
                yield name, transpose_conv(kind, bias, channels, stride)
    for kind in ("FLOAT32", "INT8"):
        for rank in (1, 2):
            yield f"SVDF {kind} {rank}", svdf(kind, rank)
