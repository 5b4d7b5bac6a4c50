"""Lifetimes of tensors and scratch buffers, as TensorFlow Lite Micro counts them.

One counter runs over the whole inference: graph inputs are born at step 0, every operator and
every subgraph it runs is one step more. A lifetime is the closed interval of steps in which the
buffer must keep its contents. Source: ARENA.md; behaviour of the runtime's
allocation-info builder.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from mapinspect.model.network import Network, Operator

UNUSED = -1  # a buffer that no operator touches
ABSENT = -1  # an optional input that is not given


@dataclass(frozen=True, slots=True)
class ScratchRequest:
    """A scratch buffer that one operator asks for: its (subgraph, operator) and its bytes."""

    operator: tuple[int, int]
    size: int


@dataclass(frozen=True, slots=True)
class Lifetimes:
    """First and last step of every tensor, by subgraph and index, and of every scratch request.

    Both are -1 for a tensor that nothing touches. ``steps`` counts the steps; ``operators`` maps
    each step to the (subgraph, operator) that runs in it, for the main graph and those it calls.
    """

    tensors: tuple[tuple[tuple[int, int], ...], ...]
    scratch: tuple[tuple[int, int], ...]
    operators: dict[int, tuple[int, int]]
    steps: int


def lifetimes(network: Network, scratch: Sequence[ScratchRequest] = ()) -> Lifetimes:
    """Return the lifetimes of all tensors of ``network`` and of the given scratch requests."""
    walk = _Walk(network, scratch)
    walk.subgraph(0)
    return Lifetimes(
        tensors=tuple(
            tuple(zip(first, last, strict=True))
            for first, last in zip(walk.first, walk.last, strict=True)
        ),
        scratch=tuple(zip(walk.scratch_first, walk.scratch_last, strict=True)),
        operators=walk.operators,
        steps=walk.step,
    )


class _Walk:
    """The counter and the marks made so far."""

    def __init__(self, network: Network, scratch: Sequence[ScratchRequest]) -> None:
        self.network = network
        self.step = 0
        self.first = [[UNUSED] * len(graph.tensors) for graph in network.subgraphs]
        self.last = [[UNUSED] * len(graph.tensors) for graph in network.subgraphs]
        self.scratch_first = [UNUSED] * len(scratch)
        self.scratch_last = [UNUSED] * len(scratch)
        self.operators: dict[int, tuple[int, int]] = {}
        self.requests: dict[tuple[int, int], list[int]] = {}
        for number, request in enumerate(scratch):
            self.requests.setdefault(request.operator, []).append(number)

    def subgraph(self, index: int) -> None:
        """Mark everything that one run of subgraph ``index`` touches."""
        graph = self.network.subgraphs[index]
        first, last = self.first[index], self.last[index]
        for tensor in graph.inputs:
            self._touch(first, last, tensor)
        for operator in graph.operators:
            self._operator(index, operator)
        for tensor in graph.outputs:
            self._touch(first, last, tensor)

    def _operator(self, index: int, operator: Operator) -> None:
        first, last = self.first[index], self.last[index]
        self.step += 1
        start = self.step
        self.operators[start] = (index, operator.index)
        for tensor in operator.outputs:
            if first[tensor] == UNUSED:
                first[tensor] = start
        for target in operator.called():
            self.step += 1
            self.subgraph(target)
        # Inputs and outputs live until the subgraphs that the operator runs have ended.
        for tensor in operator.inputs + operator.outputs:
            if tensor != ABSENT:
                last[tensor] = self.step
        for request in self.requests.get((index, operator.index), ()):
            if self.scratch_first[request] == UNUSED:
                self.scratch_first[request] = start
            self.scratch_last[request] = self.step

    def _touch(self, first: list[int], last: list[int], tensor: int) -> None:
        if first[tensor] == UNUSED:
            first[tensor] = self.step
        last[tensor] = self.step
