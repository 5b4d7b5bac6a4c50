"""weights-scattered: the weights of one layer do not lie together.

A DMA controller or a cache streams a layer's weights best when they are one run of bytes: nothing
of another layer between them, in one memory. (Whether the layers follow each other in the order
of execution is only information: half of all converted models do not.) Biases may lie apart; they
are small.

    error[weights-scattered]: kws: the weights of layer 3 SVDF lie apart: 64 bytes at 0x08001000
      in FLASH, 512 bytes at 0x90000000 in QSPI

Mend it by placing the arrays of one layer in one section; for weights inside a .tflite file, by
converting it again, or accept it in `[checks]` when nothing streams them.
"""

from collections.abc import Iterator, Sequence

from mapinspect.checks.check import check
from mapinspect.model.embedded import TensorPlace
from mapinspect.model.finding import Outcome, broken, holds, not_claimed
from mapinspect.model.inspection import Inspection, Located, ModelFacts


@check("weights-scattered", "the weights of every layer lie together", __doc__)
def weights_scattered(inspection: Inspection) -> Iterator[Outcome]:
    """Judge each model by its layers; those whose tensors were not found are not claimed."""
    if not inspection.models:
        yield not_claimed("weights", "no model is given")
    for model in inspection.models:
        layers = _layers(model)
        if not layers:
            yield not_claimed(model.entry.name, "its weights were not found one by one")
        else:
            yield _judge(model, layers)


def _layers(model: ModelFacts) -> dict[tuple[int, int], list[TensorPlace]]:
    """Return the weights of each layer of which all were found."""
    layers: dict[tuple[int, int], list[TensorPlace]] = {}
    for tensor in model.tensors:
        if tensor.role == "weights":
            layers.setdefault(tensor.layer, []).append(tensor)
    return {
        layer: tensors
        for layer, tensors in layers.items()
        if all(tensor.places for tensor in tensors)
    }


def _judge(model: ModelFacts, layers: dict[tuple[int, int], list[TensorPlace]]) -> Outcome:
    others = sorted(
        (tensor.places[0].span.start, tensor.layer) for tensor in model.tensors if tensor.places
    )
    for layer, tensors in layers.items():
        places = sorted((tensor.places[0] for tensor in tensors), key=lambda place: place.span)
        if _apart(places, layer, others):
            where = ", ".join(_where(place) for place in places)
            message = (
                f"{model.entry.name}: the weights of layer {layer[1]} {tensors[0].code} lie "
                f"apart: {where}"
            )
            evidence = tuple(place.evidence for place in places[:4])
            remedy = "place the arrays of one layer in one section"
            return broken(model.entry.name, message, evidence, remedy)
    return holds(model.entry.name)


def _apart(
    places: Sequence[Located],
    layer: tuple[int, int],
    others: Sequence[tuple[int, tuple[int, int]]],
) -> bool:
    first, last = places[0], places[-1]
    if any(place.section.ordinal != first.section.ordinal for place in places):
        return True
    return any(
        first.span.start < start < last.span.start and other != layer for start, other in others
    )


def _where(place: Located) -> str:
    return f"{place.span.size} bytes at {place.span.start:#010x} in {place.region or 'no region'}"
