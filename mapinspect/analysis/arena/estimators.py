"""Rules of thumb for a model's memory, by name, beside the exact figures.

They are how memory is budgeted before anything is built: largest tensor, input plus output,
double buffering, im2col, runtime overhead. Each gives its formula, what was put in and a range
in bytes. Where a rule is stated in KB it means 1000 bytes, since its own examples add up so.
"""

import math
from collections.abc import Iterator

from mapinspect.analysis.arena.layers import activation_bytes
from mapinspect.model.layer import Estimate
from mapinspect.model.network import Network, Operator, Subgraph, Tensor

KB = 1000
RUNTIME_BASE = 12 * KB
RUNTIME_PER_TENSOR = 80
RUNTIME_TEMPORARY = (2 * KB, 4 * KB)
TASK_STACK = 8 * KB
RECURRENT_GATES = {"UNIDIRECTIONAL_SEQUENCE_LSTM": 4}


def estimates(network: Network) -> tuple[Estimate, ...]:
    """Return every rule that has something to say about ``network``."""
    graph = network.subgraphs[0]
    found = [_largest(graph), _in_and_out(graph), _double(graph), _im2col(graph)]
    found += [_gates(graph), runtime_overhead(len(graph.tensors))]
    return tuple(estimate for estimate in found if estimate is not None)


def _activations(graph: Subgraph) -> list[Tensor]:
    return [tensor for tensor in graph.tensors if tensor.bytes and not tensor.constant]


def _shape(tensor: Tensor) -> str:
    return "×".join(str(size) for size in tensor.shape) or "1"


def _exactly(name: str, formula: str, inputs: str, size: int) -> Estimate:
    return Estimate(name, formula, inputs, size, size)


def _largest(graph: Subgraph) -> Estimate | None:
    tensors = _activations(graph)
    if not tensors:
        return None
    largest = max(tensors, key=lambda tensor: tensor.bytes or 0)
    inputs = f"{_shape(largest)} {largest.type}"
    return _exactly("largest tensor", "bytes of the largest activation", inputs, largest.bytes or 0)


def _in_and_out(graph: Subgraph) -> Estimate | None:
    if not graph.operators:
        return None
    widest = max(graph.operators, key=lambda operator: activation_bytes(operator, graph))
    size = activation_bytes(widest, graph)
    inputs = f"{widest.custom or widest.code} ({widest.index})"
    return _exactly("input + output", "inputs plus outputs of the widest layer", inputs, size)


def _double(graph: Subgraph) -> Estimate | None:
    tensors = _activations(graph)
    if not tensors:
        return None
    largest = max(tensors, key=lambda tensor: tensor.bytes or 0)
    size = 2 * (largest.bytes or 0)
    inputs = f"2 × {largest.bytes}"
    return _exactly("double buffering", "2 × the largest activation", inputs, size)


def im2col(kernel: tuple[int, int], channels: int, pixels: int, width: int) -> int:
    """Return the bytes of an im2col matrix: kernel elements × pixels × bytes per element.

    ``kernel`` is (height, width), ``pixels`` are those of the output.
    """
    return kernel[0] * kernel[1] * channels * pixels * width


def _im2col(graph: Subgraph) -> Estimate | None:
    sizes = list(_im2col_sizes(graph))
    if not sizes:
        return None
    by_output = max(size for size, _, _ in sizes)
    by_input = max(size for _, size, _ in sizes)
    inputs = next(text for size, _, text in sizes if size == by_output)
    return Estimate(
        name="im2col",
        formula="kernel height × width × input channels × pixels; output pixels, or input pixels",
        inputs=inputs,
        low=min(by_output, by_input),
        high=max(by_output, by_input),
    )


def _im2col_sizes(graph: Subgraph) -> Iterator[tuple[int, int, str]]:
    """Yield (bytes by output pixels, bytes by input pixels, the numbers) per convolution."""
    for operator in graph.operators:
        given = len(operator.inputs) > 1 and min(operator.inputs[:2]) >= 0 and operator.outputs
        if operator.code != "CONV_2D" or not given:
            continue
        data, weights = graph.tensors[operator.inputs[0]], graph.tensors[operator.inputs[1]]
        output = graph.tensors[operator.outputs[0]]
        if not len(data.shape) == len(weights.shape) == len(output.shape) == 4:
            continue
        elements = math.prod(data.shape)
        width = (data.bytes or 0) // elements if elements else 0
        kernel, channels = (weights.shape[1], weights.shape[2]), weights.shape[3]
        sizes = [
            im2col(kernel, channels, tensor.shape[1] * tensor.shape[2], width)
            for tensor in (output, data)
        ]
        text = (
            f"{kernel[0]}×{kernel[1]}×{channels} × {output.shape[1]}×{output.shape[2]} "
            f"× {width} B (operator {operator.index})"
        )
        yield sizes[0], sizes[1], text


def gates(steps: int, units: int, count: int, width: int = 1) -> int:
    """Return the bytes of a recurrent layer's gates over all steps; ``width`` per element."""
    return steps * units * count * width


def _gates(graph: Subgraph) -> Estimate | None:
    rows = [(_gate_size(graph, operator), operator) for operator in graph.operators]
    known = [(row[0], row[1], operator) for row, operator in rows if row is not None]
    if not known:
        return None
    size, text, operator = max(known, key=lambda entry: entry[0])
    return _exactly(
        "recurrent gates",
        "time steps × units × gates × bytes per element",
        f"{text} (operator {operator.index})",
        size,
    )


def _gate_size(graph: Subgraph, operator: Operator) -> tuple[int, str] | None:
    count = RECURRENT_GATES.get(operator.code)
    given = operator.inputs and operator.inputs[0] >= 0
    data = graph.tensors[operator.inputs[0]] if given else None
    if count is None or data is None or len(data.shape) < 2 or not operator.outputs:
        return None
    output = graph.tensors[operator.outputs[0]]
    elements = math.prod(data.shape)
    width = (data.bytes or 0) // elements if elements else 0
    steps = math.prod(data.shape[:-1])
    units = output.shape[-1]
    return gates(steps, units, count, width), f"{steps} × {units} × {count} × {width} B"


def runtime_overhead(tensors: int) -> Estimate:
    """Return the rule for what the runtime itself takes, task stack included."""
    fixed = RUNTIME_BASE + tensors * RUNTIME_PER_TENSOR + TASK_STACK
    return Estimate(
        name="runtime overhead",
        formula="12 KB + 80 B per tensor + 2 to 4 KB temporaries + 8 KB task stack",
        inputs=f"{tensors} tensors",
        low=fixed + RUNTIME_TEMPORARY[0],
        high=fixed + RUNTIME_TEMPORARY[1],
    )
