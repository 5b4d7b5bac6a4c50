"""The cost of models as Markdown: for a pull request or a wiki."""

from collections.abc import Iterator, Sequence

from tabulate import tabulate

from mapinspect.model.layer import ModelCost, SharedArena
from mapinspect.reports.model_words import (
    doubts,
    paste_line,
    range_text,
    shape_text,
    shared_line,
    tensor_name,
)
from mapinspect.reports.printable import printable

_SPECIAL = str.maketrans({char: f"\\{char}" for char in "\\`*_{}[]<>()#+-!|~"})


def render(costs: Sequence[ModelCost], arena: SharedArena | None = None) -> str:
    """Return a section per model; sizes are bytes."""
    blocks = [block for cost in costs for block in _blocks(cost)]
    if arena is not None:
        blocks.append(f"## {len(costs)} models in one arena")
        blocks.append(f"```cpp\n{shared_line(arena)}\n```")
    return "\n\n".join(blocks) + "\n"


def plain(text: str) -> str:
    """Return text that means nothing but itself in Markdown."""
    return printable(text).translate(_SPECIAL)


def _blocks(cost: ModelCost) -> Iterator[str]:
    need = cost.need
    yield f"## {plain(cost.network.path)}"
    yield f"```cpp\n{paste_line(cost)}\n```"
    rows = [
        ("head", need.nonpersistent),
        ("tail", need.persistent),
        ("used", need.nonpersistent + need.persistent),
        ("smallest", need.smallest),
        *((f"smallest, {other.profile}", other.smallest) for other in cost.alternatives),
        ("weights", cost.weights),
        ("file", cost.network.size),
    ]
    yield _table(rows, (f"{cost.target}, {cost.kernels}", "bytes"))
    for doubt in doubts(cost):
        yield f"Not exact: {plain(doubt)}."
    yield _layers(cost)
    peak = cost.peak
    alive = ", ".join(plain(tensor_name(cost.network, place)) for place in peak.tensors)
    yield f"Peak at step {peak.step}, {plain(peak.operator)}: {peak.bound:,} bytes of {alive}."
    estimates = [
        (item.name, range_text(item.low, item.high), item.formula, plain(item.inputs))
        for item in cost.estimates
    ]
    yield _table(estimates, ("rule of thumb", "bytes", "formula", "from"))


def _layers(cost: ModelCost) -> str:
    rows = [
        (
            f"{layer.subgraph}.{layer.index}",
            plain(layer.operator),
            shape_text(layer.shape),
            layer.type,
            layer.parameters,
            layer.weights,
            layer.biases,
            layer.multiplications,
            layer.activations,
            layer.workspace,
            layer.live,
        )
        for layer in cost.layers
    ]
    headers = ("layer", "operator", "output", "type", "parameters", "weights", "biases")
    return _table(rows, (*headers, "MACs", "in + out", "workspace", "live"))


def _table(rows: Sequence[Sequence[object]], headers: Sequence[str]) -> str:
    cells = [[f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in row] for row in rows]
    return tabulate(cells, headers, tablefmt="github", disable_numparse=True)
