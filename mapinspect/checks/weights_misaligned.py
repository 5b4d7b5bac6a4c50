"""weights-misaligned: a model lies where a runtime cannot read it in place.

A .tflite model is read where it lies: its tables hold 32-bit and 64-bit numbers, and kernels load
weights by words and vectors. The array must begin at a multiple of 16. A `const unsigned char`
array has no alignment of its own, so that the next change of the program may move it.

    error[weights-misaligned]: g_model lies at 0x08000b86, 6 bytes past a multiple of 16

Mend it by declaring the array `alignas(16)`, or the file that holds it `.balign 16`.
"""

from collections.abc import Iterator

from mapinspect.checks.check import check
from mapinspect.model.embedded import unnamed
from mapinspect.model.finding import Outcome, broken, holds, not_claimed
from mapinspect.model.inspection import Inspection, Located

_ALIGNMENT = 16  # bytes; what TensorFlow Lite Micro's examples declare (alignas(16) g_model)


@check("weights-misaligned", "every model begins at a multiple of 16", __doc__)
def weights_misaligned(inspection: Inspection) -> Iterator[Outcome]:
    """Judge the run-time address of every copy of every model, also of those nobody named."""
    others = unnamed(inspection.embedded)
    if not inspection.models and not others:
        yield not_claimed("weights", "no model is given")
    for model in inspection.models:
        if not model.copies:
            yield not_claimed(model.entry.name, "its weights were not found")
        for copy in model.copies:
            yield _judge(copy.place)
    for other in others:
        yield _judge(other.place)


def _judge(place: Located) -> Outcome:
    past = place.span.start % _ALIGNMENT
    if not past:
        return holds(place.name)
    message = (
        f"{place.name} lies at {place.span.start:#010x}, {past} bytes past a multiple of "
        f"{_ALIGNMENT}"
    )
    evidence = (place.evidence, place.section.evidence)
    return broken(place.name, message, evidence, f"declare the array alignas({_ALIGNMENT})")
