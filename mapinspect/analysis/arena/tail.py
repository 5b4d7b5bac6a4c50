"""The persistent tail of the arena, allocation by allocation, and the arena's peaks.

The tail grows down from the arena's end, each buffer aligned at its real address; the order is
the runtime's. While kernels prepare, the head holds their requests and the temporary descriptions
of tensors; while the plan is made it holds the planner's work arrays. The smallest arena is the
highest sum of both sides at any time. Source: ARENA.md.
"""

from collections.abc import Sequence

from mapinspect.analysis.arena.kernels.registry import params_struct
from mapinspect.analysis.arena.profile import Profile
from mapinspect.analysis.arena.requirements import ALIGNMENT, round_up
from mapinspect.model.network import Network, Subgraph, Tensor

SCRATCH_LIMIT = 12  # TFLM kMaxScratchBuffersPerOp; so many request records are kept free


class Tail:
    """The tail pointer as a distance from an end that is ``end`` bytes past a multiple of 16.

    ``parts`` counts the bytes taken, with their padding, by what they hold.
    """

    __slots__ = ("end", "parts", "pointer")

    def __init__(self, end: int = 0) -> None:
        self.end = end
        self.pointer = end
        self.parts: dict[str, int] = {}

    @property
    def used(self) -> int:
        """Return the bytes between the tail pointer and the arena's end."""
        return self.end - self.pointer

    def take(self, size: int, alignment: int, what: str) -> None:
        """Allocate ``size`` bytes at a multiple of ``alignment``; count them as ``what``."""
        before = self.pointer
        self.pointer = (self.pointer - size) // alignment * alignment
        self.parts[what] = self.parts.get(what, 0) + before - self.pointer

    def take_struct(self, profile: Profile, name: str, what: str, count: int = 1) -> None:
        """Allocate ``count`` structures of one kind in one block."""
        self.take(profile.sizes[name] * count, profile.sizes.alignment(name), what)


def take_allocator(tail: Tail, profile: Profile, variables: int | None) -> None:
    """Allocate what exists before AllocateTensors: allocators, planner, resource variables.

    ``variables`` is the number that the application creates resource variables for in this
    arena, None when it does not.
    """
    what = "allocators"
    recording = "Recording" if profile.recording else ""
    tail.take_struct(profile, f"{recording}SingleArenaBufferAllocator", what)
    planner = "LinearMemoryPlanner" if profile.linear else "GreedyMemoryPlanner"
    tail.take_struct(profile, planner, what)
    tail.take_struct(profile, f"{recording}MicroAllocator", what)
    if variables is not None:
        tail.take(profile.sizes["MicroResourceVariables"], ALIGNMENT, "resource variables")
        tail.take(
            profile.sizes["MicroResourceVariable"] * variables, ALIGNMENT, "resource variables"
        )


def take_graph(tail: Tail, profile: Profile, network: Network) -> None:
    """Allocate the graph's own records: tensors, nodes, parsed options."""
    tail.take_struct(profile, "MicroBuiltinDataAllocator", "allocators")
    tail.take_struct(profile, "SubgraphAllocations", "graph records", len(network.subgraphs))
    for graph in network.subgraphs:
        tail.take_struct(profile, "TfLiteEvalTensor", "tensor records", len(graph.tensors))
    for graph in network.subgraphs:
        tail.take_struct(profile, "NodeAndRegistration", "node records", len(graph.operators))
    for graph in network.subgraphs:
        for operator in graph.operators:
            if name := params_struct(operator.code):
                tail.take_struct(profile, name, "operator options")


def take_variables(tail: Tail, network: Network) -> None:
    """Allocate variable tensors that the offline plan does not place."""
    plan = network.offline_plan
    for graph in network.subgraphs:
        for tensor in graph.tensors:
            # The runtime looks the offset up by the index within the subgraph.
            placed = plan is not None and plan[tensor.index] != -1
            if tensor.is_variable and not placed:
                tail.take(tensor.bytes or 0, ALIGNMENT, "variable tensors")


def take_interface(tail: Tail, profile: Profile, graph: Subgraph) -> None:
    """Allocate the full descriptions of the main graph's inputs and outputs."""
    what = "inputs and outputs"
    for indices in (graph.inputs, graph.outputs):
        if not indices:
            continue
        tail.take(profile.sizes.pointer * len(indices), ALIGNMENT, what)
        for index in indices:
            tail.take_struct(profile, "TfLiteTensor", what)
            if (scales := _described_scales(graph.tensors[index])) is not None:
                tail.take_struct(profile, "TfLiteAffineQuantization", what)
                tail.take(4 + 4 * scales, 4, what)


def _described_scales(tensor: Tensor) -> int | None:
    """Return the scales a description copies; None unless there are scales and zero points."""
    quantization = tensor.quantization
    if quantization is None or not quantization.scales or not quantization.zero_points:
        return None
    return len(quantization.scales)


def views_end(start: int, profile: Profile, graph: Subgraph, views: Sequence[int]) -> int:
    """Return the end of the temporary descriptions of ``views``, from ``start`` on."""
    position = start
    sizes = profile.sizes
    for index in views:
        position = round_up(position, sizes.alignment("TfLiteTensor")) + sizes["TfLiteTensor"]
        if (scales := _described_scales(graph.tensors[index])) is not None:
            position = round_up(position, sizes.alignment("TfLiteAffineQuantization"))
            position = round_up(position + sizes["TfLiteAffineQuantization"], 4) + 4 + 4 * scales
    return position


def planning_work(profile: Profile, network: Network, requests: int, planned: int) -> int:
    """Return the bytes of the head's work arrays while the plan is made."""
    sizes = profile.sizes
    tensors = sum(len(graph.tensors) for graph in network.subgraphs)
    size = round_up(sizes["ScratchBufferRequest"] * (requests + SCRATCH_LIMIT), sizes.pointer)
    size = round_up(size + sizes.pointer * len(network.subgraphs), sizes.pointer)
    size = round_up(size + sizes["AllocationInfo"] * (tensors + requests), ALIGNMENT)
    return size if profile.linear else size + sizes["PlannerBuffer"] * planned
