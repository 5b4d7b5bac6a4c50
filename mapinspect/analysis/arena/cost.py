"""Everything that is known of a model before it is linked, gathered for the reports."""

from collections import Counter
from collections.abc import Sequence

from mapinspect.analysis.arena.estimators import estimates
from mapinspect.analysis.arena.layers import constants_of, layers, peak
from mapinspect.analysis.arena.lifetimes import lifetimes
from mapinspect.analysis.arena.need import SAME_ARENA, need
from mapinspect.analysis.arena.profile import Profile, older_versions
from mapinspect.model.arena import ArenaNeed
from mapinspect.model.layer import ModelCost, SharedArena
from mapinspect.model.network import Network


def cost(network: Network, profile: Profile, *, variables: int | None = SAME_ARENA) -> ModelCost:
    """Return what ``network`` costs under ``profile``; ``variables`` as for the need."""
    found = need(network, profile, variables=variables)
    times = lifetimes(network)
    others = _alternatives(network, profile, found, variables)
    codes = Counter(
        operator.custom or operator.code
        for graph in network.subgraphs
        for operator in graph.operators
    )
    by_type, rest = _stored(network)
    return ModelCost(
        network=network,
        target=profile.target,
        kernels=profile.kernels,
        need=found,
        alternatives=others,
        layers=layers(network, found.plan, times),
        by_type=tuple(sorted(by_type.items())),
        constants=rest,
        operators=tuple(sorted(codes.items())),
        peak=peak(network, found.plan, times),
        estimates=estimates(network),
    )


def _alternatives(
    network: Network, profile: Profile, found: ArenaNeed, variables: int | None
) -> tuple[ArenaNeed, ...]:
    """Return the needs that other versions of the kernel set would give, each figure once."""
    if not profile.version_matters:
        return ()
    needs = [need(network, other, variables=variables) for other in older_versions(profile)]
    seen = {(found.nonpersistent, found.persistent, found.smallest)}
    kept = []
    for other in needs:
        figures = (other.nonpersistent, other.persistent, other.smallest)
        if figures not in seen:
            seen.add(figures)
            kept.append(other)
    return tuple(kept)


def _stored(network: Network) -> tuple[Counter[str], int]:
    """Return the bytes of weights and biases by type, and those of other constants."""
    sizes: Counter[str] = Counter()
    counted: set[int] = set()
    for graph in network.subgraphs:
        for operator in graph.operators:
            weights, biases = constants_of(operator, graph)
            for tensor in weights + biases:
                if tensor.buffer not in counted:
                    counted.add(tensor.buffer)
                    sizes[tensor.type] += tensor.data_size
    rest = {
        tensor.buffer: tensor.data_size
        for graph in network.subgraphs
        for tensor in graph.tensors
        if tensor.constant and tensor.buffer not in counted
    }
    return sizes, sum(rest.values())


def shared(costs: Sequence[ModelCost]) -> SharedArena:
    """Return the arena in which these models take turns: heads overlap, tails add up.

    The allocators are counted once per model, as for interpreters of their own; one allocator
    for all would need a little less.
    """
    before, smallest = 0, 0
    for entry in costs:
        smallest = max(smallest, before + entry.need.smallest)
        before += entry.need.persistent
    head = max(entry.need.nonpersistent for entry in costs)
    return SharedArena(
        nonpersistent=head,
        persistent=before,
        smallest=max(smallest, before + head),
        exact=all(entry.need.exact for entry in costs),
    )
