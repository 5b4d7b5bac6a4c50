"""The greedy planner: where each buffer of the head lies.

Largest first, each at the lowest offset where it fits beside the buffers that live at the same
time. Source: ARENA.md; behaviour of TFLM's GreedyMemoryPlanner.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace

from mapinspect.analysis.arena.requirements import ONLINE, planned_buffers
from mapinspect.model.arena import ArenaPlan, PlannedBuffer
from mapinspect.model.network import Network


def plan(network: Network) -> ArenaPlan:
    """Return the plan of the activations alone, without any runtime's scratch buffers.

    ``head`` is what a runtime needs that puts activations at these offsets and nothing else
    into its arena ("plan-only").
    """
    return place(planned_buffers(network))


def place(buffers: Sequence[PlannedBuffer]) -> ArenaPlan:
    """Return the greedy plan of ``buffers``; those with an offset keep it (offline plan).

    A placed buffer list is kept ordered by offset, later ones behind earlier ones at the same
    offset. Of buffers of one size the later in the list is placed first.
    """
    offline = [number for number, buffer in enumerate(buffers) if buffer.offset != ONLINE]
    online = [number for number, buffer in enumerate(buffers) if buffer.offset == ONLINE]
    online.sort(key=lambda number: (-buffers[number].size, -number))
    placed: list[PlannedBuffer] = []
    offsets: list[int] = []
    result = list(buffers)
    for number in offline + online:
        buffer = buffers[number]
        if buffer.offset == ONLINE:
            buffer = replace(buffer, offset=_first_fit(buffer, placed))
        result[number] = buffer
        position = bisect_right(offsets, buffer.offset)
        placed.insert(position, buffer)
        offsets.insert(position, buffer.offset)
    head = max((buffer.offset + buffer.size for buffer in result), default=0)
    return ArenaPlan(buffers=tuple(result), head=max(head, 0))


def _first_fit(buffer: PlannedBuffer, placed: Sequence[PlannedBuffer]) -> int:
    """Return the lowest offset that collides with no buffer alive at the same time."""
    first, last, size = buffer.first, buffer.last, buffer.size
    candidate = 0
    for other in placed:
        if other.first > last or first > other.last:
            continue
        if other.offset - candidate >= size:
            break
        candidate = max(candidate, other.offset + other.size)
    return candidate
