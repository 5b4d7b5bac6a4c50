"""Arena memory of the reference kernels. Source: ARENA.md.

Each function takes a node whose row of the table gave ``memory`` (record and views) and returns
it with the kernel's further buffers.
"""

from collections.abc import Callable
from dataclasses import replace

from mapinspect.analysis.arena.kernels.node import (
    ABSENT,
    WIDTHS,
    KernelMemory,
    Node,
    dimension,
    elements,
    scale_count,
)
from mapinspect.model.network import Tensor

Rule = Callable[[Node, KernelMemory], KernelMemory]
QUANTISED = ("INT8", "INT16")
ABSENT_BIAS = "crashes where its bias is given as absent (-1)"
PACKED_PER_CHANNEL = "does not accept int4 filters with a scale per channel"
BIAS = 2  # the input of convolutions and dense layers
SOFTMAX_TABLE = 2 * 513  # TFLM kLUTEntries int16 values, for exp and for 1/(1+x)


def type_of(tensor: Tensor | None) -> str:
    """Return the type name of ``tensor``, empty for none."""
    return tensor.type if tensor else ""


def dims_copy(tensor: Tensor | None) -> int:
    """Return the bytes of a writable copy of the shape of ``tensor``."""
    return 4 + 4 * (len(tensor.shape) if tensor else 0)


def unpacked_filter(node: Node) -> tuple[int, ...]:
    """Return the scratch buffer into which a packed int4 filter is unpacked, if there is one."""
    weights = node.input(1)
    return (elements(weights),) if type_of(weights) == "INT4" else ()


def convolve(node: Node, memory: KernelMemory) -> KernelMemory:
    """CONV_2D and DEPTHWISE_CONV_2D: multiplier and shift per output channel, in every type."""
    depthwise = node.operator.code == "DEPTHWISE_CONV_2D"
    channels = 4 * dimension(node.input(1), 3 if depthwise else 0)
    inputs = node.operator.inputs
    crash = depthwise and len(inputs) > BIAS and inputs[BIAS] == ABSENT
    return replace(
        memory,
        persistent=(channels, channels),
        scratch=unpacked_filter(node),
        refused=memory.refused or (ABSENT_BIAS if crash else None),
    )


def fully_connected(node: Node, memory: KernelMemory) -> KernelMemory:
    """FULLY_CONNECTED: multiplier and shift per channel only when quantised per channel."""
    scales = scale_count(node.input(1))
    per_channel = type_of(node.input(0)) != "FLOAT32" and scales > 1
    packed = per_channel and type_of(node.input(1)) == "INT4"
    return replace(
        memory,
        persistent=(4 * scales, 4 * scales) if per_channel else (),
        scratch=unpacked_filter(node),
        refused=memory.refused or (PACKED_PER_CHANNEL if packed else None),
    )


def transpose_conv(node: Node, memory: KernelMemory) -> KernelMemory:
    """TRANSPOSE_CONV: inputs are output shape, filter, data and bias."""
    kind, bias = type_of(node.input(2)), node.input(3)
    channels = 4 * dimension(node.input(1), 0)
    count = elements(node.output())
    scratch: tuple[int, ...] = ()
    if kind == "INT8":
        scratch = (4 * count,)
    elif kind == "INT16":
        scratch = (8 * count,)
        if type_of(bias) == "INT16":
            scratch = (*scratch, 8 * elements(bias))
    late = node.views(2, 1, 3, -1) if kind != "FLOAT32" else ()
    return replace(
        memory,
        persistent=(channels, channels),
        scratch=scratch,
        late_views=late,
    )


def softmax(node: Node, memory: KernelMemory) -> KernelMemory:
    """SOFTMAX: two look-up tables for int16 input."""
    tables = (SOFTMAX_TABLE, SOFTMAX_TABLE) if type_of(node.input(0)) == "INT16" else ()
    return replace(memory, persistent=tables)


def svdf(node: Node, memory: KernelMemory) -> KernelMemory:
    """SVDF: an accumulator per filter, quantised also one per unit."""
    batch, filters = dimension(node.input(0), 0), dimension(node.input(1), 0)
    units = filters // max(node.number("rank"), 1)
    accumulators = (4 * batch * filters, 4 * batch * units)
    quantised = type_of(node.input(0)) == "INT8"
    return replace(memory, scratch=accumulators if quantised else accumulators[:1])


def lstm_gate(node: Node) -> int:
    """Return the bytes of one gate buffer: batch x state size x cell state type."""
    time_major = bool(node.operator.options.get("time_major", False))
    batch = dimension(node.input(0), 1 if time_major else 0)
    state = dimension(node.input(18), 1)
    return batch * state * WIDTHS.get(type_of(node.input(19)), 0)


def lstm(node: Node, memory: KernelMemory) -> KernelMemory:
    """UNIDIRECTIONAL_SEQUENCE_LSTM: four gate buffers."""
    return replace(memory, scratch=(lstm_gate(node),) * 4)


def reduce(node: Node, memory: KernelMemory) -> KernelMemory:
    """MEAN and the other reductions: index arrays, quantised sums also an accumulator."""
    data, axis = node.input(0), node.input(1)
    scratch: tuple[int, ...] = (4 * (len(data.shape) if data else 0), 4 * elements(axis))
    views = memory.views
    if node.operator.code in ("MEAN", "SUM") and type_of(data) in QUANTISED:
        scratch = (4 * elements(node.output()), *scratch)
    if type_of(data) == "INT8":
        views += node.views(-1)
    return replace(memory, scratch=scratch, views=views)


def add_n(node: Node, memory: KernelMemory) -> KernelMemory:
    """ADD_N: a pointer per input."""
    count = len(node.operator.inputs)
    quantised = type_of(node.input(0)) == "INT8"
    return replace(
        memory,
        persistent=(node.profile.sizes["AddNOpData"],) if quantised else (),
        scratch=(node.profile.sizes.pointer * count,),
    )


def mirror_pad(node: Node, memory: KernelMemory) -> KernelMemory:
    """MIRROR_PAD: two index arrays over the dimensions of the input."""
    data = node.input(0)
    rank = 4 * (len(data.shape) if data else 0)
    return replace(memory, scratch=(rank, rank))


def log_softmax(node: Node, memory: KernelMemory) -> KernelMemory:
    """LOG_SOFTMAX: its record is taken while preparing, and only when quantised."""
    quantised = type_of(node.input(0)) == "INT8"
    return replace(
        memory, persistent=(node.profile.sizes["LogSoftmaxOpData"],) if quantised else ()
    )


def cumsum(node: Node, memory: KernelMemory) -> KernelMemory:
    """CUMSUM: its record is taken while preparing, and only when quantised."""
    quantised = type_of(node.input(0)) == "INT8"
    return replace(memory, persistent=(node.profile.sizes["CumsumOpData"],) if quantised else ())


def copies_shape(node: Node, memory: KernelMemory) -> KernelMemory:
    """GATHER and others that write their output's shape: a copy of it."""
    return replace(memory, persistent=(dims_copy(node.output()),))


def reshape(node: Node, memory: KernelMemory) -> KernelMemory:
    """RESHAPE: a copy of the output's shape where a dimension of it is left open."""
    output = node.output()
    opened = output is not None and -1 in output.shape
    return replace(memory, persistent=(dims_copy(output),) if opened else ())


def embedding_lookup(node: Node, memory: KernelMemory) -> KernelMemory:
    """EMBEDDING_LOOKUP: a copy of the output's shape, then its record."""
    return replace(
        memory,
        persistent=(dims_copy(node.output()), node.profile.sizes["EmbeddingLookupOpData"]),
    )


def concatenation(node: Node, memory: KernelMemory) -> KernelMemory:
    """CONCATENATION: the first input is described twice."""
    return replace(memory, views=node.views(0, *range(len(node.operator.inputs)), -1))


def batch_matmul(node: Node, memory: KernelMemory) -> KernelMemory:
    """BATCH_MATMUL: quantisation record, transposed copies of the operands, output shape."""
    sizes = node.profile.sizes
    persistent: list[int] = []
    if type_of(node.input(0)) in QUANTISED:
        persistent.append(sizes["QuantizationOpDataBatchMatmul"])
    transposed = (
        (node.input(0), bool(node.operator.options.get("adj_x", False))),
        (node.input(1), not node.operator.options.get("adj_y", False)),
    )
    for operand, copied in transposed:
        if copied and operand is not None:
            persistent += [sizes["TfLiteEvalTensor"], dims_copy(operand), operand.bytes or 0]
    persistent.append(dims_copy(node.output()))
    return replace(memory, persistent=tuple(persistent))


RULES: dict[str, Rule] = {
    "ADD_N": add_n,
    "BATCH_MATMUL": batch_matmul,
    "CONCATENATION": concatenation,
    "CONV_2D": convolve,
    "CUMSUM": cumsum,
    "DEPTHWISE_CONV_2D": convolve,
    "DEPTH_TO_SPACE": copies_shape,
    "EMBEDDING_LOOKUP": embedding_lookup,
    "FULLY_CONNECTED": fully_connected,
    "GATHER": copies_shape,
    "GATHER_ND": copies_shape,
    "L2_POOL_2D": copies_shape,
    "LOG_SOFTMAX": log_softmax,
    "MEAN": reduce,
    "MIRROR_PAD": mirror_pad,
    "REDUCE_ALL": reduce,
    "REDUCE_MAX": reduce,
    "REDUCE_MIN": reduce,
    "RESHAPE": reshape,
    "SOFTMAX": softmax,
    "SPACE_TO_DEPTH": copies_shape,
    "SUM": reduce,
    "SVDF": svdf,
    "TRANSPOSE_CONV": transpose_conv,
    "UNIDIRECTIONAL_SEQUENCE_LSTM": lstm,
}
