"""weights-slow: weights lie where reading them takes time.

Every inference reads all weights. Cores run faster than Flash: from some size on, weights no
longer come out of caches and prefetch buffers, and the Flash's bandwidth decides how long an
inference takes. More than 512 KiB is worth a look. Some parts have Flash of two speeds: of a
GD32F303 only the first 256 KiB are read without wait states; name the part (`mcu` in
`[project]`) to have that judged.

    warning[weights-slow]: 40960 of the 300000 bytes of g_model lie beyond the first 262144 bytes
      of FLASH, which alone are read without wait states

Mend it by placing weights in the fast part, code that seldom runs behind it, or by copying the
first layers' weights to RAM.
"""

from collections.abc import Iterator

from mapinspect.checks.check import check
from mapinspect.model.embedded import unnamed
from mapinspect.model.finding import Finding, Outcome, Severity, holds, not_claimed
from mapinspect.model.inspection import Inspection, Located, ModelFacts, arrays

_MUCH = 512 * 1024  # bytes; the usual bandwidth rule for weights on Cortex-M


@check(
    "weights-slow", "the weights of every model are read at full speed", __doc__, worst="warning"
)
def weights_slow(inspection: Inspection) -> Iterator[Outcome]:
    """Judge the size of each model's weights, and how much of them lies in slow Flash."""
    subjects = [(model.entry.name, _places(model)) for model in inspection.models]
    subjects += [(other.place.name, [other.place]) for other in unnamed(inspection.embedded)]
    if not subjects:
        yield not_claimed("weights", "no model is given")
    for name, places in subjects:
        if not places:
            yield not_claimed(name, "its weights were not found")
        else:
            yield holds(name, *_findings(inspection, name, places))


def _places(model: ModelFacts) -> list[Located]:
    return [*(copy.place for copy in model.copies), *arrays(model.parts)]


def _findings(inspection: Inspection, name: str, places: list[Located]) -> Iterator[Finding]:
    size = sum(place.span.size for place in places)
    evidence = tuple(place.evidence for place in places[:3])
    if size > _MUCH:
        message = f"{name} has {size} bytes of weights, more than {_MUCH}: Flash bandwidth decides"
        remedy = "measure an inference; keep the first layers' weights in RAM, or use a cache"
        yield Finding(Severity.WARNING, name, message, evidence, remedy)
    for place in places:
        slow, fast, bank = _slow(inspection, place)
        if slow:
            message = (
                f"{slow} of the {place.span.size} bytes of {place.name} lie beyond the first "
                f"{fast} bytes of {bank}, which alone are read without wait states"
            )
            remedy = "place the weights in the fast part, and code that seldom runs behind it"
            yield Finding(Severity.WARNING, name, message, (place.evidence,), remedy)


def _slow(inspection: Inspection, place: Located) -> tuple[int, int, str]:
    """Return the bytes read with wait states, how many of the bank are not, and its name."""
    bank = inspection.part.bank_of(place.span) if inspection.part else None
    if bank is None or bank.zero_wait is None:
        return 0, 0, ""
    view = next(view for view in bank.views() if view.contains(place.span))
    slow = place.span.end - max(place.span.start, view.start + bank.zero_wait)
    return max(0, slow), bank.zero_wait, bank.name
