"""What a model needs of its arena under one profile: head, tail and the smallest arena."""

from collections.abc import Iterator, Sequence

from mapinspect.analysis.arena.greedy import place
from mapinspect.analysis.arena.kernels.node import KernelMemory, Node
from mapinspect.analysis.arena.kernels.registry import kernel_memory
from mapinspect.analysis.arena.kernels.resources import Resources
from mapinspect.analysis.arena.lifetimes import ScratchRequest
from mapinspect.analysis.arena.linear import place_in_sequence
from mapinspect.analysis.arena.profile import Profile
from mapinspect.analysis.arena.refusals import refusal
from mapinspect.analysis.arena.requirements import ALIGNMENT, planned_buffers, round_up
from mapinspect.analysis.arena.tail import (
    SCRATCH_LIMIT,
    Tail,
    planning_work,
    take_allocator,
    take_graph,
    take_interface,
    take_variables,
    views_end,
)
from mapinspect.model.arena import ArenaNeed, ArenaPart, ArenaPlan
from mapinspect.model.network import Network

BUFFER_LIMIT = 8192  # each is compared with every other
COMPRESSION = "COMPRESSION_METADATA"  # TFLM compression/metadata.fbs
NO_PLAN = ArenaPlan((), 0)
SAME_ARENA = -1  # resource variables in the tensor arena, as many as the model names


def need(
    network: Network, profile: Profile, *, variables: int | None = SAME_ARENA, end: int = 0
) -> ArenaNeed:
    """Return what ``network`` needs of its arena under ``profile``.

    ``variables`` is the number given to MicroResourceVariables::Create in this arena, None when
    the application creates none or creates them elsewhere; by default the number of resource
    variables that the model names, if there are any. ``end`` is by how many bytes the arena's
    end lies past a multiple of 16.
    """
    resources = Resources(network)
    nodes = list(_prepared(network, profile, resources))
    plan = _plan(network, profile, nodes)
    count = resources.count or None if variables == SAME_ARENA else variables
    simulation = _Simulation(network, profile, end)
    simulation.initialise(nodes, count)
    for node, memory in nodes:
        simulation.prepare(node, memory)
    simulation.finish(plan)
    reasons = tuple(dict.fromkeys(_reasons(network, nodes)))
    refused = refusal(network, profile, nodes)
    if plan is NO_PLAN:
        refused = refused or f"more than {BUFFER_LIMIT} buffers are to be planned"
    known = not reasons and refused is None
    return ArenaNeed(
        model=network.path,
        profile=profile.name,
        plan=plan,
        nonpersistent=plan.head,
        persistent=simulation.tail.used,
        smallest=simulation.smallest,
        accepted=simulation.accepted,
        enough=simulation.smallest if known else None,
        exact=not reasons,
        reasons=reasons,
        refused=refused,
        parts=tuple(ArenaPart(name, size) for name, size in simulation.tail.parts.items()),
        end=end,
    )


def _plan(
    network: Network, profile: Profile, nodes: Sequence[tuple[Node, KernelMemory]]
) -> ArenaPlan:
    """Return the plan of activations and scratch; NO_PLAN where it would take minutes."""
    requests = [
        ScratchRequest((node.graph.index, node.operator.index), size)
        for node, memory in nodes
        for size in memory.scratch
    ]
    buffers = planned_buffers(network, requests)
    if len(buffers) > BUFFER_LIMIT:
        return NO_PLAN
    return place_in_sequence(buffers) if profile.linear else place(buffers)


def _reasons(network: Network, nodes: Sequence[tuple[Node, KernelMemory]]) -> Iterator[str]:
    """Yield why the figures are a lower bound."""
    for _, memory in nodes:
        if memory.unsure:
            yield memory.unsure
    if COMPRESSION in network.metadata:
        yield "the model is compressed"
    if network.sketched:
        yield "the model is a table of layers, not a converted file"


def _prepared(
    network: Network, profile: Profile, resources: Resources
) -> Iterator[tuple[Node, KernelMemory]]:
    """Yield every node with its memory, in the order in which kernels are prepared."""
    for graph in network.subgraphs:
        for operator in graph.operators:
            node = Node(network, graph, operator, profile)
            yield node, resources.apply(node, kernel_memory(node))


class _Simulation:
    """The arena's two sides while AllocateTensors runs; ``smallest`` is their highest sum.

    ``accepted`` is the highest sum that the runtime itself looks at.
    """

    def __init__(self, network: Network, profile: Profile, end: int) -> None:
        self.network = network
        self.profile = profile
        self.tail = Tail(end)
        self.smallest = 0
        self.accepted = 0
        self.requests = 0
        self.record = profile.sizes["ScratchBufferRequest"]

    def _reach(self, head: int) -> None:
        self.smallest = max(self.smallest, self.tail.used + head)
        self.accepted = max(self.accepted, self.tail.used + head)

    def initialise(self, nodes: Sequence[tuple[Node, KernelMemory]], variables: int | None) -> None:
        """Allocate everything up to the kernels' own records."""
        take_allocator(self.tail, self.profile, variables)
        take_graph(self.tail, self.profile, self.network)
        for _, memory in nodes:
            for size in memory.records:
                self.tail.take(size, ALIGNMENT, "kernel records")
        self._reach(self.record * SCRATCH_LIMIT)

    def prepare(self, node: Node, memory: KernelMemory) -> None:
        """Allocate what one kernel asks for while preparing, its descriptions beside it."""
        start = self.record * (self.requests + SCRATCH_LIMIT)
        early = views_end(start, self.profile, node.graph, memory.views)
        self._reach(early)
        for size in memory.persistent:
            self.tail.take(size, ALIGNMENT, "kernel buffers")
        # The runtime lets these buffers grow into the descriptions taken before; we do not.
        self.smallest = max(self.smallest, self.tail.used + early)
        self._reach(start)
        if memory.late_views:
            self._reach(views_end(early, self.profile, node.graph, memory.late_views))
        self.requests += len(memory.scratch)

    def finish(self, plan: ArenaPlan) -> None:
        """Make the plan and allocate the descriptions of inputs and outputs."""
        if self.requests:
            what = "scratch handles"
            self.tail.take_struct(self.profile, "ScratchBufferHandle", what, self.requests)
        take_variables(self.tail, self.network)
        work = planning_work(self.profile, self.network, self.requests, len(plan.buffers))
        self._reach(round_up(self.tail.used, ALIGNMENT) - self.tail.used + work)
        self._reach(plan.head)
        take_interface(self.tail, self.profile, self.network.subgraphs[0])
        self._reach(plan.head)
