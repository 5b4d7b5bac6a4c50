"""measurement-doubtful: a peak may be lower than what the device will use.

A high-water mark is only as good as the run behind it: fewer than 1,000 inferences may not have
met the largest input, a heap that ends higher than it began will go on growing, and a stack used to
its last byte may have needed more. Such values are shown and compared, with this warning.

    warning[measurement-doubtful]: run.log may show too little: 10 iterations are fewer than 1000

Mend it by running longer on the worst input, and by printing the number of iterations, the heap at
the start and at the end, and the build-id.
"""

from collections.abc import Iterable, Iterator

from mapinspect.checks.check import check
from mapinspect.checks.measurement_stale import by_file
from mapinspect.model.finding import Finding, Outcome, Severity, holds, not_claimed
from mapinspect.model.inspection import Inspection
from mapinspect.model.measurement import Weighed


@check(
    "measurement-doubtful",
    "every measurement is of a run that shows the worst case",
    __doc__,
    worst="warning",
)
def measurement_doubtful(inspection: Inspection) -> Iterator[Outcome]:
    """Name the doubts about each file of measurements, each once."""
    counting = [item for item in inspection.measured if item.counts]
    if not counting:
        yield not_claimed("measured", "no measurement of this build is given")
    for file, items in by_file(counting).items():
        doubts = _doubts(items)
        if doubts:
            message = f"{file} may show too little: {'; '.join(doubts)}"
            remedy = "run at least 1000 inferences of the worst input, and print how many"
            evidence = (items[0].item.evidence,)
            yield holds(file, Finding(Severity.WARNING, file, message, evidence, remedy))
        else:
            yield holds(file)


def _doubts(items: Iterable[Weighed]) -> list[str]:
    own = [f"{item.item.id}: {note}" for item in items for note in _own(item)]
    shared = [doubt for item in items for doubt in item.doubts() if doubt not in _own(item)]
    return list(dict.fromkeys([*own, *shared]))


def _own(item: Weighed) -> tuple[str, ...]:
    """Return the doubts about one value, not about its run."""
    run = item.item.run.doubts()
    return tuple(doubt for doubt in item.item.doubts() if doubt not in run)
