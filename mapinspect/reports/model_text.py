"""The cost of models as text for a terminal: layers, lifetimes, arena, estimates."""

import textwrap
from collections.abc import Iterator, Sequence

from tabulate import tabulate

from mapinspect.model.arena import ArenaNeed, PlannedBuffer
from mapinspect.model.layer import Layer, ModelCost, SharedArena
from mapinspect.reports.log_text import log_text
from mapinspect.reports.model_words import (
    doubts,
    output_text,
    paste_line,
    range_text,
    shared_line,
    tensor_name,
)
from mapinspect.reports.printable import printable
from mapinspect.reports.sizes import kib_up

NAME_WIDTH = 20  # characters; keeps the tables within 80 columns
CHART_WIDTH = 36
PEAK_ROWS = 6
CHART_ROWS = 60  # tensors shown one by one; JSON has them all
_ALIVE, _IDLE = "#", "."


def render(costs: Sequence[ModelCost], arena: SharedArena | None = None) -> str:
    """Return a block per model, and the shared arena behind them; sizes are bytes."""
    blocks = [block for cost in costs for block in _blocks(cost)]
    if arena is not None:
        blocks.append(_shared(arena, len(costs)))
    return "\n\n".join(blocks) + "\n"


def _blocks(cost: ModelCost) -> Iterator[str]:
    network = cost.network
    yield f"{printable(network.path)}  {network.size:,} B"
    yield _layer_table(cost)
    yield _totals(cost)
    yield _chart(cost)
    yield _peak(cost)
    yield _arena(cost)
    yield _estimates(cost)
    notes = [f"note: {printable(text, 1000)}" for text in network.oddities]
    lines = [f"not exact: {printable(text, 1000)}" for text in doubts(cost)] + notes
    if lines:
        yield "\n".join(lines)
    if cost.log:
        yield log_text(cost.log)
    yield paste_line(cost)


def _layer_table(cost: ModelCost) -> str:
    several = len(cost.network.subgraphs) > 1
    headers = ("layer", "output", "params", "weights", "bias", "MACs", "in+out", "work", "live")
    rows = [_layer_row(layer, several=several) for layer in cost.layers]
    align = ("left", "left", *("right",) * 7)
    # One blank between columns; tabulate's own styles put two.
    table = tabulate(rows, headers, tablefmt="plain", colalign=align, disable_numparse=True)
    return _tightened(table)


def _tightened(table: str) -> str:
    """Return the table with the columns one blank apart."""
    lines = table.split("\n")
    width = max(len(line) for line in lines)
    padded = [line.ljust(width) for line in lines]
    empty = [all(line[i] == " " for line in padded) for i in range(width)]
    drop = {i for i in range(width - 1) if empty[i] and empty[i + 1]}
    return "\n".join(
        "".join(char for i, char in enumerate(line) if i not in drop).rstrip() for line in padded
    )


def _layer_row(layer: Layer, *, several: bool) -> tuple[str, ...]:
    number = f"{layer.subgraph}.{layer.index}" if several else str(layer.index)
    return (
        _cut(f"{number} {printable(layer.operator)}"),
        output_text(layer),
        str(layer.parameters),
        str(layer.weights),
        str(layer.biases),
        _scaled(layer.multiplications),
        str(layer.activations),
        str(layer.workspace),
        str(layer.live) if layer.step is not None else "-",
    )


def _cut(text: str, width: int = NAME_WIDTH) -> str:
    return text if len(text) <= width else f"{text[: width - 2]}.."


def _scaled(count: int) -> str:
    """Return a count with three digits and k, M or G; exact below 10,000."""
    if count < 10_000:
        return str(count)
    for unit, factor in (("k", 10**3), ("M", 10**6), ("G", 10**9)):
        value = count / factor
        if value < 999.5 or unit == "G":
            digits = 2 if value < 9.995 else 1 if value < 99.95 else 0
            return f"{value:.{digits}f}{unit}"
    raise AssertionError


def _totals(cost: ModelCost) -> str:
    parameters = sum(layer.parameters for layer in cost.layers)
    macs = sum(layer.multiplications for layer in cost.layers)
    kinds = ", ".join(f"{name} {size:,}" for name, size in cost.by_type) or "none"
    needed = ", ".join(
        printable(code) if count == 1 else f"{printable(code)} x{count}"
        for code, count in cost.operators
    )
    return "\n".join(
        (
            f"weights    {cost.weights:,} B ({kinds}), other constants {cost.constants:,} B",
            f"parameters {parameters:,}, multiply-accumulates {macs:,}",
            *_wrapped("operators  ", needed or "none"),
        )
    )


def _wrapped(label: str, text: str) -> list[str]:
    """Return the text in lines of 80 columns, the first one labelled."""
    indent = " " * len(label)
    return textwrap.wrap(text, 80, initial_indent=label, subsequent_indent=indent)


def _chart(cost: ModelCost) -> str:
    buffers = sorted(cost.need.plan.buffers, key=lambda b: (b.first, b.offset, b.size))
    last = max((buffer.last for buffer in buffers), default=0)
    columns = min(last + 1, CHART_WIDTH)
    title = f"arena plan: offset and bytes of each tensor, alive over steps 0 to {last}"
    rows = [_chart_row(cost, buffer, last + 1, columns) for buffer in buffers[:CHART_ROWS]]
    if len(buffers) > CHART_ROWS:
        rows.append(f"... {len(buffers) - CHART_ROWS} more in --format json")
    return "\n".join((title, *rows))


def _chart_row(cost: ModelCost, buffer: PlannedBuffer, steps: int, columns: int) -> str:
    if buffer.tensor is not None:
        name = tensor_name(cost.network, buffer.tensor, NAME_WIDTH)
    else:
        assert buffer.operator is not None
        name = f"- scratch of {buffer.operator[1]}"
    bar = "".join(
        _ALIVE if _touches(buffer, column, steps, columns) else _IDLE for column in range(columns)
    )
    return f"{_cut(name):{NAME_WIDTH}} {buffer.offset:>9} {buffer.size:>9} {bar}"


def _touches(buffer: PlannedBuffer, column: int, steps: int, columns: int) -> bool:
    """Return whether the buffer is alive in one of the steps that a column stands for."""
    low, high = column * steps // columns, max((column + 1) * steps // columns - 1, 0)
    return buffer.first >= 0 and buffer.first <= high and buffer.last >= low


def _peak(cost: ModelCost) -> str:
    peak, head = cost.peak, cost.need.nonpersistent
    alive = [tensor_name(cost.network, place, 64) for place in peak.tensors[:PEAK_ROWS]]
    if len(peak.tensors) > PEAK_ROWS:
        alive.append(f"and {len(peak.tensors) - PEAK_ROWS} more")
    if peak.operators:
        alive.append("and scratch buffers")
    return "\n           ".join(
        (
            f"peak       step {peak.step}, {printable(peak.operator)}: {peak.bound:,} B alive",
            *alive,
            f"the plan takes {head:,} B, {head - peak.bound:,} above",
        )
    )


def _arena(cost: ModelCost) -> str:
    need = cost.need
    rows = [
        f"arena      {cost.target}, {need.profile.split(' ', 1)[-1]} kernels",
        *_arena_rows(need),
    ]
    for other in cost.alternatives:
        rows.append(
            f"  or with {other.profile.split(' ', 1)[-1]}: head {other.nonpersistent:,}, "
            f"tail {other.persistent:,}, smallest {other.smallest:,}"
        )
    return "\n".join(rows)


def _arena_rows(need: ArenaNeed) -> Iterator[str]:
    used = need.nonpersistent + need.persistent
    yield f"  head     {need.nonpersistent:>10,}  activations and scratch, reused"
    yield f"  tail     {need.persistent:>10,}  kept as long as the model runs:"
    yield from (f"           {part.size:>10,}    {part.name}" for part in need.parts)
    yield f"  used     {used:>10,}  what the runtime reports once it runs"
    yield f"  smallest {need.smallest:>10,}  what it needs to start, {kib_up(need.smallest)} KiB"


def _estimates(cost: ModelCost) -> str:
    rows = [
        (estimate.name, range_text(estimate.low, estimate.high), printable(estimate.inputs))
        for estimate in cost.estimates
    ]
    formulas = [
        line
        for estimate in cost.estimates
        for line in _wrapped(f"  {estimate.name}: ", estimate.formula)
    ]
    table = tabulate(
        rows,
        ("rule of thumb", "bytes", "from"),
        tablefmt="plain",
        colalign=("left", "right", "left"),
        disable_numparse=True,
    )
    return "\n".join((table, *formulas))


def _shared(arena: SharedArena, count: int) -> str:
    return (
        f"{count} models in one arena: head {arena.nonpersistent:,} (the largest), "
        f"tail {arena.persistent:,} (all)\n{shared_line(arena)}"
    )
