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
    placed: list[_Placed] = []
    offsets: list[int] = []
    result = list(buffers)
    for number in offline + online:
        buffer = buffers[number]
        if buffer.offset == ONLINE:
            buffer = replace(buffer, offset=_first_fit(buffer, placed))
        result[number] = buffer
        position = bisect_right(offsets, buffer.offset)
        end = buffer.offset + buffer.size
        placed.insert(position, (buffer.offset, end, buffer.first, buffer.last))
        offsets.insert(position, buffer.offset)
    head = max((buffer.offset + buffer.size for buffer in result), default=0)
    return ArenaPlan(buffers=tuple(result), head=max(head, 0))


# Offset, end, first and last step of a placed buffer: a plain tuple, since every new buffer is
# compared with all of them.
_Placed = tuple[int, int, int, int]


def _first_fit(buffer: PlannedBuffer, placed: Sequence[_Placed]) -> int:
    """Return the lowest offset that collides with no buffer alive at the same time."""
    first, last, size = buffer.first, buffer.last, buffer.size
    candidate = 0
    for offset, end, other_first, other_last in placed:
        if other_first > last or first > other_last:
            continue
        if offset - candidate >= size:
            break
        candidate = max(candidate, end)
    return candidate
