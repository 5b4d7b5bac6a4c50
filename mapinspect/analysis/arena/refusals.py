"""Why a runtime would not accept a model at all: AllocateTensors fails."""

from collections.abc import Sequence

from mapinspect.analysis.arena.kernels.node import KernelMemory, Node
from mapinspect.analysis.arena.linear import BUFFER_LIMIT
from mapinspect.analysis.arena.profile import Profile
from mapinspect.analysis.arena.requirements import planned_buffers
from mapinspect.analysis.arena.tail import SCRATCH_LIMIT
from mapinspect.model.network import Network, Tensor

# Types without a size in TensorFlow Lite Micro (TfLiteTypeSizeOf).
SIZELESS = ("STRING", "VARIANT", "INT2", "UINT4", "FLOAT8_E4M3FN", "FLOAT8_E5M2")


def refusal(
    network: Network, profile: Profile, nodes: Sequence[tuple[Node, KernelMemory]]
) -> str | None:
    """Return the first reason why AllocateTensors would fail, or None."""
    if network.offline_fault:
        return network.offline_fault
    for graph in network.subgraphs:
        for tensor in graph.tensors:
            if tensor.type in SIZELESS:
                return f"{_name(graph.index, tensor)} has type {tensor.type}"
            if tensor.external:
                return f"{_name(graph.index, tensor)} is stored outside the flatbuffer"
    for node, memory in nodes:
        if reason := _node_refusal(node, memory):
            return reason
    if profile.linear and len(planned_buffers(network)) > BUFFER_LIMIT:
        return f"the linear planner takes at most {BUFFER_LIMIT} buffers"
    return None


# Kernels that divide by their strides: without options these are 0.
_NEED_OPTIONS = (
    "CONV_2D",
    "DEPTHWISE_CONV_2D",
    "TRANSPOSE_CONV",
    "AVERAGE_POOL_2D",
    "MAX_POOL_2D",
    "L2_POOL_2D",
)


def _name(graph: int, tensor: Tensor) -> str:
    return f"tensor {tensor.index} of subgraph {graph}"


def _node_refusal(node: Node, memory: KernelMemory) -> str | None:
    operator = node.operator
    place = f"operator {operator.index} ({operator.custom or operator.code})"
    if node.graph.index:
        place += f" of subgraph {node.graph.index}"
    if memory.refused:
        return f"{place}: {memory.refused}"
    lacking = operator.options_type == "NONE" and not node.network.sketched
    if operator.code in _NEED_OPTIONS and lacking:
        return f"{place}: has no options, so its strides are 0"
    if len(memory.scratch) > SCRATCH_LIMIT:
        return f"{place}: asks for more than {SCRATCH_LIMIT} scratch buffers"
    for index in operator.intermediates:
        if node.tensor(index).bytes:
            return f"{place}: intermediate tensor {index} has a size"
    for index in operator.outputs:
        # A shape of one zero is how old converters wrote a scalar.
        shape = node.tensor(index).shape
        if shape != (0,) and 0 in shape:
            return f"{place}: output tensor {index} has an empty dimension (dynamic tensor)"
    return None
