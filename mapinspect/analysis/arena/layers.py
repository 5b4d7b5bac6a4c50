"""A model layer by layer: parameters, stored bytes, multiply-accumulates, bytes alive."""

import math
from collections import Counter
from collections.abc import Iterator

from mapinspect.analysis.arena.kernels.node import ABSENT
from mapinspect.analysis.arena.lifetimes import Lifetimes
from mapinspect.model.arena import ArenaPlan
from mapinspect.model.layer import Layer, Peak
from mapinspect.model.network import Network, Operator, Subgraph, Tensor

# Inputs that hold weights and biases, by operator. Source: the operators' definitions in the
# TensorFlow Lite converter (tfl_ops).
_DENSE = ((1,), (2,))
WEIGHTED: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = {
    "CONV_2D": _DENSE,
    "DEPTHWISE_CONV_2D": _DENSE,
    "FULLY_CONNECTED": _DENSE,
    "TRANSPOSE_CONV": ((1,), (3,)),
    "EMBEDDING_LOOKUP": ((1,), ()),
    "SVDF": ((1, 2), (3,)),
    "UNIDIRECTIONAL_SEQUENCE_LSTM": (tuple(range(1, 12)), (12, 13, 14, 15)),
    "BATCH_MATMUL": ((0, 1), ()),
    "PRELU": ((1,), ()),
}


def constants_of(operator: Operator, graph: Subgraph) -> tuple[list[Tensor], list[Tensor]]:
    """Return the constant weights and the constant biases of an operator."""
    weights, biases = WEIGHTED.get(operator.code, ((), ()))
    found: tuple[list[Tensor], list[Tensor]] = ([], [])
    for places, into in ((weights, found[0]), (biases, found[1])):
        for place in places:
            if place < len(operator.inputs) and operator.inputs[place] != ABSENT:
                tensor = graph.tensors[operator.inputs[place]]
                if tensor.constant:
                    into.append(tensor)
    return found


def multiplications(operator: Operator, graph: Subgraph) -> int:
    """Return the multiply-accumulates of one run of ``operator``; 0 where it has no weights."""
    if operator.code in ("SVDF", "UNIDIRECTIONAL_SEQUENCE_LSTM"):
        return _recurrent(operator, graph)
    data, weights = _shape_of(operator, graph, 0), _shape_of(operator, graph, 1)
    out = math.prod(graph.tensors[operator.outputs[0]].shape) if operator.outputs else 0
    found = 0
    match operator.code, weights:
        case "CONV_2D", (_, height, width, channels):
            found = out * height * width * channels
        case "DEPTHWISE_CONV_2D", (_, height, width, _):
            found = out * height * width
        case "FULLY_CONNECTED", (*_, depth):
            found = out * depth
        case "TRANSPOSE_CONV", (outputs, height, width, _):
            found = math.prod(_shape_of(operator, graph, 2)) * outputs * height * width
        case "BATCH_MATMUL", _ if len(data) > 1:
            found = out * data[-2 if operator.options.get("adj_x", False) else -1]
    return found


def _shape_of(operator: Operator, graph: Subgraph, place: int) -> tuple[int, ...]:
    """Return the shape of input ``place``, () where there is none."""
    if place >= len(operator.inputs) or operator.inputs[place] == ABSENT:
        return ()
    return graph.tensors[operator.inputs[place]].shape


def _recurrent(operator: Operator, graph: Subgraph) -> int:
    """Every weight of a recurrent layer meets one element per batch and time step."""
    steps = math.prod(_shape_of(operator, graph, 0)[:-1])
    shapes = (_shape_of(operator, graph, place) for place in WEIGHTED[operator.code][0])
    return steps * sum(math.prod(shape) for shape in shapes if shape)


def layers(network: Network, plan: ArenaPlan, times: Lifetimes) -> tuple[Layer, ...]:
    """Return one row per operator, in file order of subgraphs and operators."""
    first: dict[tuple[int, int], int] = {}
    for step, place in times.operators.items():
        first.setdefault(place, step)
    live = live_bytes(plan, times.steps)
    scratch: Counter[tuple[int, int]] = Counter()
    for buffer in plan.buffers:
        if buffer.operator is not None:
            scratch[buffer.operator] += buffer.size
    counted: set[int] = set()
    return tuple(
        _layer(graph, operator, counted, scratch, first, live)
        for graph in network.subgraphs
        for operator in graph.operators
    )


def _layer(  # noqa: PLR0917 - all of them positions of one row
    graph: Subgraph,
    operator: Operator,
    counted: set[int],
    scratch: Counter[tuple[int, int]],
    first: dict[tuple[int, int], int],
    live: list[int],
) -> Layer:
    place = (graph.index, operator.index)
    weights, biases = constants_of(operator, graph)
    output = graph.tensors[operator.outputs[0]] if operator.outputs else None
    step = first.get(place)
    fresh = [list(_fresh(tensors, counted)) for tensors in (weights, biases)]
    return Layer(
        subgraph=graph.index,
        index=operator.index,
        operator=operator.custom or operator.code,
        shape=output.shape if output else (),
        type=output.type if output else "",
        parameters=sum(math.prod(tensor.shape) for tensor in fresh[0] + fresh[1]),
        weights=sum(tensor.data_size for tensor in fresh[0]),
        biases=sum(tensor.data_size for tensor in fresh[1]),
        multiplications=multiplications(operator, graph),
        activations=activation_bytes(operator, graph),
        workspace=scratch[place],
        live=live[step] if step is not None else 0,
        step=step,
    )


def _fresh(tensors: list[Tensor], counted: set[int]) -> Iterator[Tensor]:
    """Yield the tensors whose buffer no earlier operator has counted."""
    for tensor in tensors:
        if tensor.buffer not in counted:
            counted.add(tensor.buffer)
            yield tensor


def activation_bytes(operator: Operator, graph: Subgraph) -> int:
    """Return the bytes of the inputs and outputs that are no constants, each tensor once."""
    indices = {index for index in operator.inputs + operator.outputs if index != ABSENT}
    tensors = (graph.tensors[index] for index in indices)
    return sum(tensor.bytes or 0 for tensor in tensors if not tensor.constant)


def live_bytes(plan: ArenaPlan, steps: int) -> list[int]:
    """Return the bytes of planned buffers alive at each step, 0 to ``steps``."""
    change = [0] * (steps + 2)
    for buffer in plan.buffers:
        if buffer.first >= 0:
            change[buffer.first] += buffer.size
            change[buffer.last + 1] -= buffer.size
    total, found = 0, []
    for difference in change[:-1]:
        total += difference
        found.append(total)
    return found


def peak(network: Network, plan: ArenaPlan, times: Lifetimes) -> Peak:
    """Return the first step at which most bytes are alive."""
    live = live_bytes(plan, times.steps)
    step = live.index(max(live))
    alive = [buffer for buffer in plan.buffers if buffer.first <= step <= buffer.last]
    place = times.operators.get(step)
    name = "the graph's inputs"
    if place is not None:
        operator = network.subgraphs[place[0]].operators[place[1]]
        name = f"{operator.custom or operator.code} ({place[1]})"
    return Peak(
        step=step,
        operator=name,
        bound=live[step],
        tensors=tuple(buffer.tensor for buffer in alive if buffer.tensor is not None),
        operators=tuple(buffer.operator for buffer in alive if buffer.operator is not None),
    )
