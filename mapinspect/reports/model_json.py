"""The cost of models as JSON, format ``mapinspect-model`` version 1."""

import json
from collections.abc import Sequence
from typing import Any

from mapinspect.model.arena import ArenaNeed
from mapinspect.model.layer import Layer, ModelCost, SharedArena
from mapinspect.reports.model_words import declared_size, doubts
from mapinspect.reports.printable import printable


def render(costs: Sequence[ModelCost], arena: SharedArena | None = None) -> str:
    """Return one document: of one model, or of several with the arena they share."""
    head: dict[str, Any] = {"format": "mapinspect-model", "version": 1}
    if arena is None and len(costs) == 1:
        document = {**head, **_model(costs[0])}
    else:
        document = {**head, "models": [_model(cost) for cost in costs]}
        if arena is not None:
            document["shared_arena"] = _shared(arena)
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _model(cost: ModelCost) -> dict[str, Any]:
    network = cost.network
    return {
        "model": {"path": printable(network.path, 4096), "size": network.size},
        "arena": _arena(cost, cost.need),
        "alternatives": [_arena(cost, need) for need in cost.alternatives],
        "weights": {"bytes": cost.weights, "by_type": dict(cost.by_type)},
        "operators": [_operator(layer) for layer in cost.layers],
        "operators_needed": dict(cost.operators),
        "tensors": _tensors(cost),
        "peak": {
            "step": cost.peak.step,
            "operator": printable(cost.peak.operator),
            "bytes": cost.peak.bound,
            "tensors": [list(place) for place in cost.peak.tensors],
        },
        "estimates": [
            {
                "name": estimate.name,
                "formula": estimate.formula,
                "inputs": estimate.inputs,
                "low": estimate.low,
                "high": estimate.high,
            }
            for estimate in cost.estimates
        ],
        "declare": declared_size(cost),
        "log": [
            {
                "line": note.line,
                "text": printable(note.text, 1000),
                "meaning": note.meaning,
                "agrees": note.agrees,
            }
            for note in cost.log
        ],
    }


def _arena(cost: ModelCost, need: ArenaNeed) -> dict[str, Any]:
    main = need is cost.need
    return {
        "nonpersistent": need.nonpersistent,
        "persistent": need.persistent,
        "used": need.nonpersistent + need.persistent,
        "smallest": need.smallest,
        "exact": need.exact and need.refused is None,
        "target": cost.target,
        "kernels": cost.kernels if main else need.profile.split(" ", 1)[1],
        "reasons": [printable(reason, 1000) for reason in doubts(cost)],
    }


def _operator(layer: Layer) -> dict[str, Any]:
    return {
        "subgraph": layer.subgraph,
        "index": layer.index,
        "operator": printable(layer.operator),
        "shape": list(layer.shape),
        "type": layer.type,
        "parameters": layer.parameters,
        "weights": layer.weights,
        "biases": layer.biases,
        "macs": layer.multiplications,
        "activations": layer.activations,
        "workspace": layer.workspace,
        "live": layer.live,
        "step": layer.step,
    }


def _tensors(cost: ModelCost) -> list[dict[str, Any]]:
    """Every tensor; offset, first and last only for those that the plan places."""
    planned = {buffer.tensor: buffer for buffer in cost.need.plan.buffers if buffer.tensor}
    rows = []
    for graph in cost.network.subgraphs:
        for tensor in graph.tensors:
            buffer = planned.get((graph.index, tensor.index))
            rows.append(
                {
                    "name": printable(tensor.name),
                    "shape": list(tensor.shape),
                    "type": tensor.type,
                    "bytes": tensor.data_size if tensor.constant else tensor.bytes,
                    "offset": buffer.offset if buffer else None,
                    "first": buffer.first if buffer else None,
                    "last": buffer.last if buffer else None,
                }
            )
    return rows


def _shared(arena: SharedArena) -> dict[str, Any]:
    return {
        "nonpersistent": arena.nonpersistent,
        "persistent": arena.persistent,
        "used": arena.nonpersistent + arena.persistent,
        "smallest": arena.smallest,
        "exact": arena.exact,
    }
