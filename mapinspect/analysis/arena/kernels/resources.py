"""Resource variables: the buffers that assignments to them allocate while preparing."""

from dataclasses import replace

from mapinspect.analysis.arena.kernels.node import KernelMemory, Node
from mapinspect.model.network import Network


class Resources:
    """The resource variables of a network, and which of them have a buffer already.

    ``count`` is the number of distinct shared names over all subgraphs.
    """

    def __init__(self, network: Network) -> None:
        names = {
            str(operator.options.get("shared_name", ""))
            for graph in network.subgraphs
            for operator in graph.operators
            if operator.code == "VAR_HANDLE"
        }
        self.count = len(names)
        self._handles: dict[tuple[int, int], str] = {}
        self._allocated: set[str] = set()

    def apply(self, node: Node, memory: KernelMemory) -> KernelMemory:
        """Return ``memory`` with the buffer that this node is the first to allocate, if any.

        Only a handle that an earlier VAR_HANDLE of the same subgraph made is known while
        preparing.
        """
        operator = node.operator
        if operator.code == "VAR_HANDLE":
            for output in operator.outputs:
                name = str(operator.options.get("shared_name", ""))
                self._handles[node.graph.index, output] = name
        if operator.code != "ASSIGN_VARIABLE" or len(operator.inputs) < 2:
            return memory
        known = self._handles.get((node.graph.index, operator.inputs[0]))
        value = node.input(1)
        if known is None or known in self._allocated or value is None:
            return memory
        self._allocated.add(known)
        return replace(memory, persistent=(*memory.persistent, value.bytes or 0))
