"""A failed link → why: what its map shows, and what the models need. Beside the pipeline."""

from dataclasses import replace

from mapinspect.analysis.overflow import overflows
from mapinspect.analysis.planned import costly_weights, image_of_map, planned_arenas
from mapinspect.errors import InputError
from mapinspect.model.budget import BudgetTable
from mapinspect.model.diagnosis import Diagnosis
from mapinspect.pipeline import Request, Run


def diagnose(request: Request, *, stale: bool) -> Diagnosis:
    """Explain a failed link from ``request.map``, which it may have written.

    ``stale`` says that the link did not write it: ld leaves an older one behind when it stops
    early. Never raises InputError; what cannot be read is the diagnosis' doubt, or a model's.
    """
    path = str(request.map)
    if stale:
        return Diagnosis(path, "is of an earlier link: this one stopped before it wrote a map")
    run = Run(request)
    try:
        link_map = run.link_map(BudgetTable(path=""))
    except InputError as error:
        return Diagnosis(path, error.what)
    assert link_map is not None
    diagnosis = Diagnosis(path, overflows=overflows(link_map))
    try:
        entries, needs = run.needs()
    except InputError as error:
        return replace(diagnosis, unread=str(error))
    image = image_of_map(link_map)
    return replace(
        diagnosis,
        arenas=planned_arenas(image, entries, needs),
        weights=tuple(costly_weights(image, entries)),
    )
