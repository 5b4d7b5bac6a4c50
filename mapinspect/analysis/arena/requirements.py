"""Which buffers the head of the arena must hold, in the runtime's order.

Source: ARENA.md. Sizes are bytes, rounded up to 16 as the planner does.
"""

from collections.abc import Sequence

from mapinspect.analysis.arena.lifetimes import ScratchRequest, lifetimes
from mapinspect.model.arena import PlannedBuffer
from mapinspect.model.network import Network

ALIGNMENT = 16  # TFLM MicroArenaBufferAlignment()
ONLINE = -1  # an offset that the planner is to choose


def round_up(size: int, alignment: int = ALIGNMENT) -> int:
    """Return ``size`` bytes rounded up to a multiple of ``alignment``."""
    return -(-size // alignment) * alignment


def planned_buffers(
    network: Network, scratch: Sequence[ScratchRequest] = ()
) -> tuple[PlannedBuffer, ...]:
    """Return every buffer of the head: tensors in file order, then scratch in request order.

    ``offset`` is the one the model's offline plan gives, -1 where the planner chooses. A tensor
    is left out when its data is in the model, when it has no bytes, when it is a variable (those
    live in the tail unless the offline plan places them) or the handle of a resource variable
    (that tensor points at its operator's own record).
    """
    times = lifetimes(network, scratch)
    plan = network.offline_plan
    found: list[PlannedBuffer] = []
    position = 0
    for graph, marks in zip(network.subgraphs, times.tensors, strict=True):
        handles = {
            output
            for operator in graph.operators
            if operator.code == "VAR_HANDLE"
            for output in operator.outputs
        }
        for tensor, (first, last) in zip(graph.tensors, marks, strict=True):
            offset = plan[position] if plan else ONLINE
            position += 1
            in_tail = tensor.is_variable and offset == ONLINE
            if tensor.constant or in_tail or not tensor.bytes or tensor.index in handles:
                continue
            key = (graph.index, tensor.index)
            size = round_up(tensor.bytes)
            found.append(PlannedBuffer(key, None, size, first, last, offset))
    for request, (first, last) in zip(scratch, times.scratch, strict=True):
        size = round_up(request.size)
        found.append(PlannedBuffer(None, request.operator, size, first, last, ONLINE))
    return tuple(found)
