"""weights-duplicated: a model is in the image more than once.

Two copies of one model waste its size in Flash, and the build may update only one of them. It
happens when a header that defines the array is included in two files. Models that nobody gave
with `--model` are found by their content and compared with each other.

    error[weights-duplicated]: g_model is in the image 2 times: 41456 bytes more than needed

Mend it by defining the array in one source file and declaring it `extern` elsewhere.
"""

from collections.abc import Iterator, Sequence

from mapinspect.checks.check import check
from mapinspect.model.finding import Outcome, broken, holds, not_claimed
from mapinspect.model.inspection import Inspection
from mapinspect.model.placed import Located


@check("weights-duplicated", "every model is in the image once", __doc__)
def weights_duplicated(inspection: Inspection) -> Iterator[Outcome]:
    """Count the copies of each model."""
    unnamed = list(_unnamed(inspection))
    if not inspection.models and not unnamed:
        yield not_claimed("weights", "no model is given, and none is found")
    for model in inspection.models:
        if not model.copies:
            yield not_claimed(model.entry.name, "its weights were not found")
        elif len(model.copies) == 1:
            yield holds(model.copies[0].place.name)
        else:
            yield _duplicated([copy.place for copy in model.copies], model.size)
    for places in unnamed:
        yield _duplicated(places, 0) if len(places) > 1 else holds(places[0].name)


def _unnamed(inspection: Inspection) -> Iterator[list[Located]]:
    """Yield the places of each model that is in the image and that nobody gave."""
    found: dict[str, list[Located]] = {}
    for model in inspection.embedded:
        if model.entry is None and model.network is not None:
            found.setdefault(model.digest, []).append(model.place)
    yield from found.values()


def _duplicated(places: Sequence[Located], size: int) -> Outcome:
    """Judge a model at several places, of ``size`` bytes where no symbol says how many."""
    name = places[0].name
    wasted = sum(place.span.size or size for place in places[1:])
    message = f"{name} is in the image {len(places)} times: {wasted} bytes more than needed"
    evidence = tuple(place.evidence for place in places)
    return broken(name, message, evidence, "define the array once and declare it extern elsewhere")
