"""Words that the model reports share: shapes, types, the line to paste."""

from mapinspect.model.layer import Layer, ModelCost, SharedArena
from mapinspect.model.network import Network
from mapinspect.reports.printable import printable

ALIGNMENT = 16  # what an arena's size and start are rounded to
SHORT_TYPES = {
    "FLOAT32": "f32",
    "FLOAT16": "f16",
    "BFLOAT16": "bf16",
    "FLOAT64": "f64",
    "INT4": "i4",
    "INT8": "i8",
    "INT16": "i16",
    "INT32": "i32",
    "INT64": "i64",
    "UINT8": "u8",
    "UINT16": "u16",
    "UINT32": "u32",
    "UINT64": "u64",
    "BOOL": "bool",
}


def shape_text(shape: tuple[int, ...]) -> str:
    """Return a shape as 1x32x32x16; a scalar as 1."""
    return "x".join(str(size) for size in shape) or "1"


def output_text(layer: Layer) -> str:
    """Return shape and short type of a layer's output."""
    kind = SHORT_TYPES.get(layer.type, layer.type.lower())
    return f"{shape_text(layer.shape)} {kind}" if layer.type else "-"


def tensor_name(network: Network, place: tuple[int, int], width: int = 60) -> str:
    """Return a tensor's number and its printable name, cut at its start to ``width``.

    Converters join the names of fused operators with semicolons; the first one is shown.
    """
    name = printable(network.subgraphs[place[0]].tensors[place[1]].name.split(";")[0])
    number = str(place[1]) if place[0] == 0 else f"{place[0]}.{place[1]}"
    room = width - len(number) - 1
    return f"{number} {name if len(name) <= room else '..' + name[2 - room :]}".rstrip()


def declared_size(cost: ModelCost) -> int:
    """Return the arena size to declare: the largest need in question, rounded up to 16."""
    return _rounded(max(need.smallest for need in (cost.need, *cost.alternatives)))


def paste_line(cost: ModelCost) -> str:
    """Return the line of C++ that declares the arena's size."""
    smallest = max(need.smallest for need in (cost.need, *cost.alternatives))
    return _line(smallest)


def shared_line(arena: SharedArena) -> str:
    """Return the line of C++ for an arena that several models share."""
    return _line(arena.smallest)


def _line(smallest: int) -> str:
    return f"constexpr int kTensorArenaSize = {_rounded(smallest)};  // smallest {smallest}"


def _rounded(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT


def doubts(cost: ModelCost) -> tuple[str, ...]:
    """Return why the figures are no exact ones, the runtime's refusal first."""
    refused = cost.need.refused
    first = (f"the runtime would refuse this model: {refused}",) if refused else ()
    return (*first, *cost.need.reasons)


def range_text(low: int, high: int) -> str:
    """Return a range of bytes, or the one number it is."""
    return f"{low:,}" if low == high else f"{low:,} - {high:,}"
