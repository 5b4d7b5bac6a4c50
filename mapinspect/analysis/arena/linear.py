"""The linear planner: every buffer in a place of its own, in order (all tensors preserved)."""

from collections.abc import Sequence
from dataclasses import replace

from mapinspect.model.arena import ArenaPlan, PlannedBuffer

BUFFER_LIMIT = 1024  # TFLM LinearMemoryPlanner kMaxBufferCount


def place_in_sequence(buffers: Sequence[PlannedBuffer]) -> ArenaPlan:
    """Return the plan in which buffers follow each other; ``head`` is the sum of their sizes."""
    placed: list[PlannedBuffer] = []
    offset = 0
    for buffer in buffers:
        placed.append(replace(buffer, offset=offset))
        offset += buffer.size
    return ArenaPlan(buffers=tuple(placed), head=offset)
