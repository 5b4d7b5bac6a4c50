"""weights-duplicated: a model is in the image more than once.

Two copies of one model waste its size in Flash, and the build may update only one of them. It
happens when a header that defines the array is included in two files.

    error[weights-duplicated]: g_model is in the image 2 times: 41456 bytes more than needed

Mend it by defining the array in one source file and declaring it `extern` elsewhere.
"""

from collections.abc import Iterator

from mapinspect.checks.check import check
from mapinspect.model.finding import Outcome, broken, holds, not_claimed
from mapinspect.model.inspection import Inspection, ModelFacts


@check("weights-duplicated", "every model is in the image once", __doc__)
def weights_duplicated(inspection: Inspection) -> Iterator[Outcome]:
    """Count the copies of each model."""
    if not inspection.models:
        yield not_claimed("weights", "no model is given")
    for model in inspection.models:
        if not model.copies:
            yield not_claimed(model.entry.name, "its weights were not found")
        elif len(model.copies) == 1:
            yield holds(model.copies[0].place.name)
        else:
            yield _duplicated(model)


def _duplicated(model: ModelFacts) -> Outcome:
    places = [copy.place for copy in model.copies]
    name = places[0].name
    wasted = sum(place.span.size or model.size for place in places[1:])
    message = f"{name} is in the image {len(places)} times: {wasted} bytes more than needed"
    evidence = tuple(place.evidence for place in places)
    return broken(name, message, evidence, "define the array once and declare it extern elsewhere")
