"""Models of one operator each for the kernels without weights."""

from collections.abc import Iterator, Sequence
from typing import Any

from tests.model_builder import Op, T
from tests.single_operators import binary, constant, model, pooling, reduction, tensor, unary

KINDS = ("FLOAT32", "INT8", "INT16")
MORE_KINDS = (*KINDS, "INT32")
X = (1, 6, 5, 3)
Shape = tuple[int, ...]

UNARY = """ABS RSQRT SIN COS LOG SQRT SQUARE ROUND FLOOR CEIL EXP NEG RELU RELU6 LEAKY_RELU ELU
HARD_SWISH LOGISTIC TANH SOFTMAX LOG_SOFTMAX L2_NORMALIZATION ZEROS_LIKE""".split()  # noqa: SIM905
BINARY = """ADD SUB MUL DIV MAXIMUM MINIMUM SQUARED_DIFFERENCE FLOOR_DIV FLOOR_MOD
PRELU""".split()  # noqa: SIM905
COMPARISONS = ("EQUAL", "NOT_EQUAL", "LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL")
CONVERSIONS = {
    "QUANTIZE": ("FLOAT32 INT8", "FLOAT32 INT16", "INT8 INT16", "INT16 INT8", "INT8 INT8"),
    "DEQUANTIZE": ("INT8 FLOAT32", "INT16 FLOAT32", "UINT8 FLOAT32"),
    "CAST": ("FLOAT32 INT32", "INT32 FLOAT32", "INT8 FLOAT32", "INT32 INT8", "BOOL FLOAT32"),
    "LOGICAL_NOT": ("BOOL BOOL",),
}


class Int32:
    """A constant INT32 input with these values; ``shape`` is flat unless given."""

    def __init__(self, *values: int, shape: Shape | None = None) -> None:
        self.values = values
        self.shape = (len(values),) if shape is None else shape


class Typed:
    """An input of a fixed type, whatever the kind of the model."""

    def __init__(self, kind: str, *shape: int) -> None:
        self.kind = kind
        self.shape = shape


class Weights:
    """A constant input of the model's kind."""

    def __init__(self, *shape: int) -> None:
        self.shape = shape


Input = Shape | Int32 | Typed | Weights
PADS = Int32(0, 0, 1, 1, 2, 2, 0, 0, shape=(4, 2))
NO_PADS = Int32(0, 0, 0, 0, shape=(2, 2))
# Operator, table and options, inputs, output shapes.
Row = tuple[str, str, dict[str, Any], Sequence[Input], Sequence[Shape]]
SHAPED: tuple[Row, ...] = (
    ("RESHAPE", "ReshapeOptions", {}, [X, Int32(18, 5)], [(18, 5)]),
    ("RESHAPE", "ReshapeOptions", {}, [X, Int32(-1, 5)], [(-1, 5)]),
    ("SQUEEZE", "SqueezeOptions", {"squeeze_dims": [0]}, [X], [(6, 5, 3)]),
    ("EXPAND_DIMS", "ExpandDimsOptions", {}, [X, Int32(0)], [(1, *X)]),
    ("TRANSPOSE", "TransposeOptions", {}, [X, Int32(0, 2, 1, 3)], [(1, 5, 6, 3)]),
    ("SLICE", "SliceOptions", {}, [X, Int32(0, 1, 1, 0), Int32(1, 2, 2, 3)], [(1, 2, 2, 3)]),
    (
        "STRIDED_SLICE",
        "StridedSliceOptions",
        {},
        [X, Int32(0, 0, 0, 0), Int32(1, 4, 4, 3), Int32(1, 2, 2, 1)],
        [(1, 2, 2, 3)],
    ),
    ("PAD", "PadOptions", {}, [X, PADS], [(1, 8, 9, 3)]),
    ("PADV2", "PadV2Options", {}, [X, PADS, Weights(1)], [(1, 8, 9, 3)]),
    ("MIRROR_PAD", "MirrorPadOptions", {}, [X, PADS], [(1, 8, 9, 3)]),
    ("CONCATENATION", "ConcatenationOptions", {"axis": 3}, [X, X, Weights(*X)], [(1, 6, 5, 9)]),
    ("SPLIT", "SplitOptions", {"num_splits": 3}, [Int32(3), X], [(1, 6, 5, 1)] * 3),
    (
        "SPLIT_V",
        "SplitVOptions",
        {"num_splits": 2},
        [X, Int32(1, 2), Int32(3)],
        [(1, 6, 5, 1), (1, 6, 5, 2)],
    ),
    ("PACK", "PackOptions", {"values_count": 2, "axis": 0}, [X, X], [(2, *X)]),
    ("UNPACK", "UnpackOptions", {"num": 2, "axis": 0}, [(2, 3, 4)], [(3, 4), (3, 4)]),
    ("GATHER", "GatherOptions", {"axis": 1}, [X, Int32(0, 1)], [(1, 2, 5, 3)]),
    ("GATHER_ND", "GatherNdOptions", {}, [(4, 3), Int32(0, 1, shape=(2, 1))], [(2, 3)]),
    ("SPACE_TO_DEPTH", "SpaceToDepthOptions", {"block_size": 2}, [(1, 4, 4, 2)], [(1, 2, 2, 8)]),
    ("DEPTH_TO_SPACE", "DepthToSpaceOptions", {"block_size": 2}, [(1, 2, 2, 8)], [(1, 4, 4, 2)]),
    (
        "SPACE_TO_BATCH_ND",
        "SpaceToBatchNDOptions",
        {},
        [(1, 4, 4, 2), Int32(2, 2), NO_PADS],
        [(4, 2, 2, 2)],
    ),
    (
        "BATCH_TO_SPACE_ND",
        "BatchToSpaceNDOptions",
        {},
        [(4, 2, 2, 2), Int32(2, 2), NO_PADS],
        [(1, 4, 4, 2)],
    ),
    ("RESIZE_BILINEAR", "ResizeBilinearOptions", {}, [X, Int32(12, 10)], [(1, 12, 10, 3)]),
    (
        "RESIZE_NEAREST_NEIGHBOR",
        "ResizeNearestNeighborOptions",
        {},
        [X, Int32(12, 10)],
        [(1, 12, 10, 3)],
    ),
    ("FILL", "FillOptions", {}, [Int32(3, 4), ()], [(3, 4)]),
    ("REVERSE_V2", "ReverseV2Options", {}, [X, Int32(1)], [X]),
    ("BROADCAST_TO", "BroadcastToOptions", {}, [X, Int32(2, 6, 5, 3)], [(2, 6, 5, 3)]),
    ("SELECT_V2", "SelectV2Options", {}, [Typed("BOOL", *X), X, X], [X]),
    ("CUMSUM", "CumsumOptions", {}, [X, Int32(1)], [X]),
    ("ADD_N", "AddNOptions", {}, [X, X, X], [X]),
    (
        "DYNAMIC_UPDATE_SLICE",
        "DynamicUpdateSliceOptions",
        {},
        [(4, 4), (2, 2), Typed("INT32", 2)],
        [(4, 4)],
    ),
    ("EMBEDDING_LOOKUP", "", {}, [Typed("INT32", 3), Weights(8, 5)], [(3, 5)]),
    *(
        (
            "BATCH_MATMUL",
            "BatchMatMulOptions",
            {"adj_x": x, "adj_y": y},
            [(2, 5, 3) if x else (2, 3, 5), (2, 4, 5) if y else (2, 5, 4)],
            [(2, 3, 4)],
        )
        for x in (False, True)
        for y in (False, True)
    ),
)


def shaped(row: Row, kind: str) -> bytes:
    """Return the model of one row with tensors of ``kind``."""
    code, table, options, inputs, outputs = row
    tensors: list[T] = []
    for entry in inputs:
        if isinstance(entry, Int32):
            tensors.append(constant(entry.shape, "INT32", *entry.values))
        elif isinstance(entry, Weights):
            tensors.append(constant(entry.shape, kind))
        elif isinstance(entry, Typed):
            tensors.append(tensor(entry.shape, entry.kind))
        else:
            tensors.append(tensor(entry, kind))
    tensors += [tensor(shape, kind) for shape in outputs]
    places = list(range(len(tensors)))
    first = len(inputs)
    return model(tensors, Op(code, places[:first], places[first:], options, table or None))


def _elementwise() -> Iterator[tuple[str, bytes]]:
    for code in UNARY:
        for kind in KINDS:
            yield f"{code} {kind}", unary(code, kind)
    for code in BINARY:
        for kind in MORE_KINDS:
            for fixed in (False, True):
                yield f"{code} {kind} {fixed}", binary(code, kind, fixed=fixed)
    for code in COMPARISONS:
        for kind in ("FLOAT32", "INT8", "INT32", "INT64"):
            yield f"{code} {kind}", binary(code, kind, "BOOL")
    for code in ("LOGICAL_AND", "LOGICAL_OR"):
        yield code, binary(code, "BOOL")


def _others() -> Iterator[tuple[str, bytes]]:
    for code, pairs in CONVERSIONS.items():
        for pair in pairs:
            yield f"{code} {pair}", unary(code, *pair.split())
    for code in ("AVERAGE_POOL_2D", "MAX_POOL_2D", "L2_POOL_2D"):
        for kind in MORE_KINDS:
            yield f"{code} {kind}", pooling(code, kind)
    for code in ("MEAN", "SUM", "REDUCE_MAX", "REDUCE_MIN", "REDUCE_ALL"):
        for kind in (*MORE_KINDS, "BOOL"):
            yield f"{code} {kind}", reduction(code, kind)
            yield f"{code} {kind} kept", reduction(code, kind, keep=True)
            yield f"{code} {kind} last", reduction(code, kind, (3,))


def _index_makers() -> Iterator[tuple[str, bytes]]:
    for kind in MORE_KINDS:
        for code, table in (("ARG_MAX", "ArgMaxOptions"), ("ARG_MIN", "ArgMinOptions")):
            tensors = [tensor(X, kind), constant((1,), "INT32", 3), tensor(X[:3], "INT32")]
            operator = Op(code, [0, 1], [2], {"output_type": 2}, table)
            yield f"{code} {kind}", model(tensors, operator)
        operator = Op("SHAPE", [0], [1], {"out_type": 2}, "ShapeOptions")
        yield f"SHAPE {kind}", model([tensor(X, kind), tensor((4,), "INT32")], operator)
    sizes = [tensor((2,), "INT32") for _ in range(3)]
    yield "BROADCAST_ARGS", model(sizes, Op("BROADCAST_ARGS", [0, 1], [2]))


def plain_operators() -> Iterator[tuple[str, bytes]]:
    """Yield (name, model) for every kernel without weights and every kind worth asking."""
    yield from _elementwise()
    yield from _others()
    yield from _index_makers()
    for row in SHAPED:
        for kind in MORE_KINDS:
            yield f"{row[0]} {row[2]} {kind}", shaped(row, kind)
