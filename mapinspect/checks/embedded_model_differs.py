"""embedded-model-differs: the model in the image is not the model file.

The bytes at the model's symbol are compared with the file. A difference means that another
version was converted or embedded than the one that was tested. A model in the image that is none
of the given files may be an older version, and the one that the program runs: which of them was
tested is undecided until its file is given too.

    error[embedded-model-differs]: g_model differs from kws.tflite, first at byte 1312

Mend it by generating the array again from the file, in the build.
"""

from collections.abc import Iterator

from mapinspect.checks.check import check
from mapinspect.model.embedded import EmbeddedModel, unnamed
from mapinspect.model.finding import Outcome, broken, holds, not_claimed, undecided
from mapinspect.model.image import Evidence
from mapinspect.model.inspection import Inspection, ModelCopy, ModelFacts


@check("embedded-model-differs", "every embedded model equals its file, byte for byte", __doc__)
def embedded_model_differs(inspection: Inspection) -> Iterator[Outcome]:
    """Compare each copy with the file, and say what a difference most likely comes from."""
    if not inspection.models:
        yield not_claimed("weights", "no model is given")
    for model in inspection.models:
        if model.parts and not model.absent:
            reason = "its tensors are in the image; what else the file says became code"
            yield not_claimed(model.entry.name, reason)
        elif not model.copies:
            yield not_claimed(model.entry.name, "its weights were not found")
        for copy in model.copies:
            yield holds(copy.place.name) if copy.matches else _differs(model, copy)
    for other in unnamed(inspection.embedded) if inspection.models else ():
        yield _of_no_file(other)


def _of_no_file(other: EmbeddedModel) -> Outcome:
    place = other.place
    message = f"{place.name} ({place.span.size} bytes) is a model, and none of the given files"
    remedy = "give its file as well ([inputs] models, --model), or take it out of the firmware"
    return undecided(place.name, message, (place.evidence,), remedy)


def _differs(model: ModelFacts, copy: ModelCopy) -> Outcome:
    name, size = copy.place.name, copy.place.span.size
    if copy.matches is None:
        message = f"{name} ({size} bytes) holds no bytes: {copy.place.section.name} is not stored"
    elif copy.first_difference == size and size < model.size:
        message = f"{name} holds {size} of the {model.size} bytes of {model.entry.file}"
    elif copy.first_difference == model.size:
        message = f"{name} holds {size} bytes, {model.entry.file} only {model.size}"
    else:
        message = f"{name} differs from {model.entry.file}, first at byte {copy.first_difference}"
    if copy.cause and copy.cause not in message:
        message = f"{message}: {copy.cause}"
    evidence = (
        Evidence(model.entry.file, None, f"{model.size} bytes"),
        copy.place.evidence,
    )
    return broken(name, message, evidence, "generate the array again from the model file")
