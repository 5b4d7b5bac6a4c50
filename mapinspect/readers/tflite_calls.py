"""Which subgraph calls which: control flow must end, and end soon."""

from collections.abc import Sequence

from mapinspect.model.network import Subgraph
from mapinspect.readers.flatbuffer import FlatBuffer

DEPTH_LIMIT = 64  # subgraphs within subgraphs; converters nest a handful
VISIT_LIMIT = 1_000_000  # operators met when every call is followed, as lifetimes need it


def check_calls(buffer: FlatBuffer, subgraphs: Sequence[Subgraph]) -> None:
    """Raise InputError for a call of no subgraph, in a circle, too deep or too often."""
    calls = [_calls_of(buffer, subgraph, len(subgraphs)) for subgraph in subgraphs]
    if not any(calls):
        return
    visits: dict[int, int] = {}
    for start in range(len(subgraphs)):
        _count(buffer, subgraphs, calls, start, visits)


def _calls_of(buffer: FlatBuffer, subgraph: Subgraph, count: int) -> tuple[int, ...]:
    found: list[int] = []
    for operator in subgraph.operators:
        for target in operator.called():
            if not 0 <= target < count:
                raise buffer.fault(
                    f"subgraph {subgraph.index} operator {operator.index} ({operator.code}) "
                    f"calls subgraph {target} of {count}"
                )
            found.append(target)
    return tuple(found)


def _count(
    buffer: FlatBuffer,
    subgraphs: Sequence[Subgraph],
    calls: Sequence[tuple[int, ...]],
    start: int,
    visits: dict[int, int],
) -> int:
    """Return how many operators run below ``start``, counting every call; fill ``visits``."""
    path: list[int] = []

    def visit(index: int) -> int:
        """Return how many operators a call of the subgraph runs."""
        if index in path:
            raise buffer.fault(f"subgraph {index} calls itself")
        if index in visits:
            return visits[index]
        path.append(index)
        if len(path) > DEPTH_LIMIT:
            raise buffer.fault(f"subgraphs call each other more than {DEPTH_LIMIT} deep")
        total = len(subgraphs[index].operators) + sum(visit(target) for target in calls[index])
        if total > VISIT_LIMIT:
            raise buffer.fault(f"its control flow runs more than {VISIT_LIMIT} operators")
        path.pop()
        visits[index] = total
        return total

    return visit(start)
