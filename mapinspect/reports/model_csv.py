"""The layers of models as CSV: one row per operator, sizes in bytes."""

import csv
import io
from collections.abc import Sequence

from mapinspect.model.layer import ModelCost, SharedArena
from mapinspect.reports.model_words import shape_text
from mapinspect.reports.printable import printable

COLUMNS = (
    "model",
    "subgraph",
    "index",
    "operator",
    "output",
    "type",
    "parameters",
    "weights",
    "biases",
    "macs",
    "activations",
    "workspace",
    "live",
    "step",
)
_FORMULA = ("=", "+", "-", "@")  # a cell that a spreadsheet would compute


def render(costs: Sequence[ModelCost], arena: SharedArena | None = None) -> str:
    """Return the layer tables of all models in one; a shared arena has no row of its own."""
    del arena
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for cost in costs:
        for layer in cost.layers:
            writer.writerow(
                (
                    _cell(cost.network.path),
                    layer.subgraph,
                    layer.index,
                    _cell(layer.operator),
                    shape_text(layer.shape),
                    layer.type,
                    layer.parameters,
                    layer.weights,
                    layer.biases,
                    layer.multiplications,
                    layer.activations,
                    layer.workspace,
                    layer.live,
                    "" if layer.step is None else layer.step,
                )
            )
    return out.getvalue()


def _cell(text: str) -> str:
    shown = printable(text)
    return f"'{shown}" if shown.startswith(_FORMULA) else shown
