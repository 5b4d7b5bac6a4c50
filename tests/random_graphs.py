"""Random models for the runtime: odd shapes, residuals, plans, branches, variables."""

import random
import struct
from dataclasses import dataclass, field

from tests.model_builder import G, Op, T, write_model
from tests.single_operators import constant, per_channel, tensor

MAIN = 0
Shape = tuple[int, int, int, int]


@dataclass
class Draft:
    """A subgraph while it grows: tensors, operators and the tensors that may be used next."""

    chance: random.Random
    tensors: list[T] = field(default_factory=list)
    operators: list[Op] = field(default_factory=list)
    ready: list[int] = field(default_factory=list)

    def add(self, entry: T) -> int:
        self.tensors.append(entry)
        return len(self.tensors) - 1

    def activation(self, shape: Shape) -> int:
        return self.add(tensor(shape, "INT8"))

    def pick(self) -> int:
        return self.chance.choice(self.ready)

    def shape(self, index: int) -> Shape:
        a, b, c, d = self.tensors[index].shape or ()
        return a, b, c, d

    def emit(
        self, code: str, inputs: list[int], shape: Shape, table: str | None = None, **options: int
    ) -> int:
        output = self.activation(shape)
        self.operators.append(Op(code, inputs, [output], options, table))
        self.ready.append(output)
        return output


def grow(draft: Draft) -> None:
    """Append one random operator that fits what is ready."""
    steps = (
        _unary,
        _unary,
        _residual,
        _convolve,
        _depthwise,
        _dense,
        _concatenate,
        _pool,
        _pad,
        _split,
        _mean,
    )
    draft.chance.choice(steps)(draft)


def _unary(draft: Draft) -> None:
    source = draft.pick()
    code = draft.chance.choice(["RELU", "RELU6", "HARD_SWISH", "NEG", "ABS"])
    draft.emit(code, [source], draft.shape(source))


def _residual(draft: Draft) -> None:
    one = draft.pick()
    same = [i for i in draft.ready if draft.shape(i) == draft.shape(one)]
    code = draft.chance.choice(["ADD", "SUB", "MUL"])
    draft.emit(
        code, [one, draft.chance.choice(same)], draft.shape(one), f"{code.capitalize()}Options"
    )


def _bias(draft: Draft, outputs: int) -> int:
    return draft.add(per_channel((outputs,), "INT32", outputs, scale=0.005))


def _convolve(draft: Draft) -> None:
    source = draft.pick()
    batch, height, width, channels = draft.shape(source)
    kernel, stride, outputs = (
        draft.chance.choice([1, 3]),
        draft.chance.choice([1, 2]),
        draft.chance.randint(1, 9),
    )
    weights = draft.add(per_channel((outputs, kernel, kernel, channels), "INT8", outputs))
    bias = _bias(draft, outputs)
    shape = (batch, -(-height // stride), -(-width // stride), outputs)
    draft.emit(
        "CONV_2D",
        [source, weights, bias],
        shape,
        "Conv2DOptions",
        padding=0,
        stride_h=stride,
        stride_w=stride,
    )


def _depthwise(draft: Draft) -> None:
    source = draft.pick()
    batch, height, width, channels = draft.shape(source)
    stride = draft.chance.choice([1, 2])
    weights = draft.add(per_channel((1, 3, 3, channels), "INT8", channels, 3))
    bias = _bias(draft, channels)
    shape = (batch, -(-height // stride), -(-width // stride), channels)
    draft.emit(
        "DEPTHWISE_CONV_2D",
        [source, weights, bias],
        shape,
        "DepthwiseConv2DOptions",
        padding=0,
        stride_h=stride,
        stride_w=stride,
        depth_multiplier=1,
    )


def _dense(draft: Draft) -> None:
    source = draft.pick()
    batch, height, width, channels = draft.shape(source)
    outputs = draft.chance.randint(1, 12)
    weights = draft.add(per_channel((outputs, channels), "INT8", 1))
    draft.emit(
        "FULLY_CONNECTED",
        [source, weights, -1],
        (batch, height, width, outputs),
        "FullyConnectedOptions",
        keep_num_dims=1,
    )


def _concatenate(draft: Draft) -> None:
    one = draft.pick()
    fitting = [i for i in draft.ready if draft.shape(i)[:3] == draft.shape(one)[:3]]
    parts = [one, *draft.chance.choices(fitting, k=draft.chance.randint(1, 3))]
    batch, height, width, _ = draft.shape(one)
    channels = sum(draft.shape(i)[3] for i in parts)
    if channels < 64:
        draft.emit(
            "CONCATENATION", parts, (batch, height, width, channels), "ConcatenationOptions", axis=3
        )


def _pool(draft: Draft) -> None:
    source = draft.pick()
    batch, height, width, channels = draft.shape(source)
    code = draft.chance.choice(["MAX_POOL_2D", "AVERAGE_POOL_2D"])
    draft.emit(
        code,
        [source],
        (batch, -(-height // 2), -(-width // 2), channels),
        "Pool2DOptions",
        padding=0,
        stride_h=2,
        stride_w=2,
        filter_height=2,
        filter_width=2,
    )


def _pad(draft: Draft) -> None:
    source = draft.pick()
    batch, height, width, channels = draft.shape(source)
    if height * width * channels > 2000:
        return
    pads = draft.add(constant((4, 2), "INT32", 0, 0, 1, 2, 0, 1, 0, 0))
    draft.emit("PAD", [source, pads], (batch, height + 3, width + 1, channels), "PadOptions")


def _split(draft: Draft) -> None:
    source = draft.pick()
    batch, height, width, channels = draft.shape(source)
    if channels < 2 or channels > 8:
        return
    axis = draft.add(constant((1,), "INT32", 3))
    outputs = [draft.activation((batch, height, width, 1)) for _ in range(channels)]
    draft.operators.append(
        Op("SPLIT", [axis, source], outputs, {"num_splits": channels}, "SplitOptions")
    )
    draft.ready += outputs


def _mean(draft: Draft) -> None:
    source = draft.pick()
    batch, _, _, channels = draft.shape(source)
    axes = draft.add(constant((2,), "INT32", 1, 2))
    draft.emit("MEAN", [source, axes], (batch, 1, 1, channels), "ReducerOptions", keep_dims=1)


def subgraph(
    chance: random.Random, size: int, shape: Shape | None = None
) -> tuple[Draft, list[int], list[int]]:
    """Return a grown subgraph with its inputs and outputs; ``shape`` fixes both to one tensor."""
    draft = Draft(chance)
    given = shape or (1, chance.randint(1, 12), chance.randint(1, 12), chance.randint(1, 9))
    inputs = [draft.activation(given) for _ in range(1 if shape else chance.randint(1, 3))]
    draft.ready += inputs
    for _ in range(size):
        grow(draft)
    for _ in range(chance.randint(0, 2)):  # tensors that nothing touches
        draft.activation((1, 1, chance.randint(1, 50), 1))
    if shape:
        draft.ready = [inputs[0]]
        return draft, inputs, [draft.emit("RELU", [inputs[0]], shape)]
    outputs = list(dict.fromkeys(draft.ready[-1 - chance.randint(0, 2) :]))
    return (
        draft,
        inputs,
        [i for i in outputs if i not in inputs] or [draft.emit("RELU", [inputs[0]], given)],
    )


def plain_graph(seed: int) -> bytes:
    draft, inputs, outputs = subgraph(random.Random(seed), random.Random(seed).randint(1, 25))
    return write_model(G(draft.tensors, draft.operators, inputs, outputs))


def offline_graph(seed: int) -> bytes:
    """A graph of which some tensors have offsets of an offline plan, overlapping at random."""
    chance = random.Random(seed)
    draft, inputs, outputs = subgraph(chance, chance.randint(1, 15))
    offsets = [chance.choice([-1, -1, 16 * chance.randint(0, 60)]) for _ in draft.tensors]
    plan = struct.pack(f"<{3 + len(offsets)}i", 1, 1, len(offsets), *offsets)
    graph = G(draft.tensors, draft.operators, inputs, outputs)
    return write_model(graph, metadata={"OfflineMemoryAllocation": plan})


def branching_graph(seed: int) -> bytes:
    """IF and WHILE operators between ordinary ones; branches of their own size."""
    chance = random.Random(seed)
    draft, inputs, _ = subgraph(chance, chance.randint(1, 6))
    graphs: list[G] = []
    flag = draft.add(tensor((), "BOOL"))
    for _ in range(chance.randint(1, 3)):
        source = draft.pick()
        shape = draft.shape(source)
        numbers = []
        for _ in range(2):
            inner, given, results = subgraph(chance, chance.randint(0, 8), shape)
            graphs.append(G(inner.tensors, inner.operators, given, results))
            numbers.append(len(graphs))
        output = draft.activation(shape)
        options = {"then_subgraph_index": numbers[0], "else_subgraph_index": numbers[1]}
        draft.operators.append(Op("IF", [flag, source], [output], options, "IfOptions"))
        draft.ready.append(output)
        for _ in range(chance.randint(0, 4)):
            grow(draft)
    outputs = [draft.ready[-1]]
    if outputs[0] in inputs:
        outputs = [draft.emit("RELU", [inputs[0]], draft.shape(inputs[0]))]
    return write_model(G(draft.tensors, draft.operators, [*inputs, flag], outputs), *graphs)


def variable_graph(seed: int) -> bytes:
    """Resource variables that are assigned and read, in the main graph and in an init graph."""
    chance = random.Random(seed)
    draft, inputs, _ = subgraph(chance, chance.randint(1, 8))
    start = Draft(chance)
    for number in range(chance.randint(1, 4)):
        shape = draft.shape(draft.pick())
        name = {"container": "", "shared_name": f"v{number % 3}x{shape}"}
        for place in (start, draft) if chance.random() < 0.5 else (draft,):
            handle = place.add(T([], "RESOURCE", scales=None, zero_points=None))
            place.operators.append(Op("VAR_HANDLE", [], [handle], name, "VarHandleOptions"))
            if place is start:
                value = place.add(T(shape, "INT8", data=shape[0] * shape[1] * shape[2] * shape[3]))
                place.operators.append(Op("ASSIGN_VARIABLE", [handle, value], []))
                continue
            old = place.activation(shape)
            place.operators.append(Op("READ_VARIABLE", [handle], [old]))
            place.ready.append(old)
            same = [i for i in place.ready if place.shape(i) == shape]
            place.operators.append(Op("ASSIGN_VARIABLE", [handle, chance.choice(same)], []))
        grow(draft)
    outputs = [draft.emit("RELU", [draft.ready[-1]], draft.shape(draft.ready[-1]))]
    main = G(draft.tensors, draft.operators, inputs, outputs)
    if not start.operators:
        return write_model(main)
    once = Op("CALL_ONCE", [], [], {"init_subgraph_index": 1}, "CallOnceOptions")
    main = G(draft.tensors, [once, *draft.operators], inputs, outputs)
    return write_model(main, G(start.tensors, start.operators, [], []))
