"""One operator as its kernel sees it, and what the kernel takes of the arena."""

import math
from dataclasses import dataclass

from mapinspect.analysis.arena.profile import Profile
from mapinspect.model.network import Network, Operator, OptionValue, Subgraph, Tensor

ABSENT = -1


@dataclass(frozen=True, slots=True)
class KernelMemory:
    """The memory of one kernel, in bytes and in the order in which the kernel asks for it.

    ``records`` are the persistent buffers taken before any kernel prepares, its own structure
    first; ``persistent`` are those taken while preparing, ``scratch`` the ones of the head.
    ``views`` are the tensors (by index) of which preparing takes a temporary description before
    it takes the persistent buffers, ``late_views`` after.
    ``refused`` says why the kernel would stop AllocateTensors, ``unsure`` why these figures are
    a lower bound.
    """

    records: tuple[int, ...] = ()
    persistent: tuple[int, ...] = ()
    scratch: tuple[int, ...] = ()
    views: tuple[int, ...] = ()
    late_views: tuple[int, ...] = ()
    refused: str | None = None
    unsure: str | None = None


@dataclass(frozen=True, slots=True)
class Node:
    """An operator in its subgraph, with the profile whose kernel runs it."""

    network: Network
    graph: Subgraph
    operator: Operator
    profile: Profile

    def tensor(self, index: int) -> Tensor:
        """Return tensor ``index`` of the node's subgraph."""
        return self.graph.tensors[index]

    def input(self, position: int) -> Tensor | None:
        """Return input ``position``, None when the operator has none there."""
        inputs = self.operator.inputs
        if position >= len(inputs) or inputs[position] == ABSENT:
            return None
        return self.graph.tensors[inputs[position]]

    def output(self, position: int = 0) -> Tensor | None:
        """Return output ``position``, None when the operator has none there."""
        outputs = self.operator.outputs
        return self.graph.tensors[outputs[position]] if position < len(outputs) else None

    def number(self, name: str) -> int:
        """Return the integer option ``name``, 0 when the model does not give it."""
        value: OptionValue = self.operator.options.get(name, 0)
        return int(value) if isinstance(value, int | float) else 0

    def views(self, *positions: int) -> tuple[int, ...]:
        """Return the tensors at ``positions``: inputs from 0, outputs as -1, -2, …; none absent."""
        found: list[int] = []
        for position in positions:
            indices = self.operator.inputs if position >= 0 else self.operator.outputs
            place = position if position >= 0 else -position - 1
            if place < len(indices) and indices[place] != ABSENT:
                found.append(indices[place])
        return tuple(found)

    def all_views(self) -> tuple[int, ...]:
        """Return every input that is given, then every output."""
        return tuple(i for i in self.operator.inputs + self.operator.outputs if i != ABSENT)


def dimensions(tensor: Tensor) -> tuple[int, ...]:
    """Return the shape of ``tensor``, a dimension that RESHAPE leaves open (-1) resolved."""
    if ABSENT not in tensor.shape:
        return tensor.shape
    known = -math.prod(tensor.shape)
    total = elements(tensor)
    return tuple(total // known if size == ABSENT else size for size in tensor.shape)


def elements(tensor: Tensor | None) -> int:
    """Return the number of elements of ``tensor``, 0 for none."""
    if tensor is None:
        return 0
    if ABSENT not in tensor.shape:
        return math.prod(tensor.shape)
    return (tensor.bytes or 0) // WIDTHS[tensor.type]


def scale_count(tensor: Tensor | None) -> int:
    """Return how many scales the quantisation of ``tensor`` has."""
    return len(tensor.quantization.scales) if tensor and tensor.quantization else 0


def dimension(tensor: Tensor | None, position: int) -> int:
    """Return one dimension of ``tensor``; 1 where the shape has none there."""
    if tensor is None:
        return 1
    shape = dimensions(tensor)
    return shape[position] if -len(shape) <= position < len(shape) else 1


# Bytes per element in RAM; int4 is unpacked. Source: TFLM TfLiteTypeSizeOf and its allocator.
WIDTHS = {
    "FLOAT32": 4,
    "FLOAT16": 2,
    "BFLOAT16": 2,
    "INT32": 4,
    "UINT32": 4,
    "RESOURCE": 4,
    "INT16": 2,
    "UINT16": 2,
    "INT8": 1,
    "UINT8": 1,
    "BOOL": 1,
    "INT4": 1,
    "INT64": 8,
    "UINT64": 8,
    "FLOAT64": 8,
    "COMPLEX64": 8,
    "COMPLEX128": 16,
}
