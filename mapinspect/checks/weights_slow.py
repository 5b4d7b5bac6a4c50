"""weights-slow: weights are read from slow Flash.

A network reads each of its weights for every inference. Flash is slower than a Cortex-M core, so
more than 512 KiB of weights in it bound the speed by wait states, whatever the kernels do. Some
parts read only the first part of their Flash without wait states (the first 256 KiB of a
GD32F303): weights beyond it are several times slower than the same weights in front.

    warning[weights-slow]: g_model (300000 bytes): 180000 bytes lie beyond the 262144 bytes of
    FLASH that GD32F303xE reads without wait states

Mend it by placing the weights first in Flash, by a smaller model, or by copying hot layers to RAM.
"""

from collections.abc import Iterator
from typing import Final

from mapinspect.checks.check import check
from mapinspect.model.finding import Finding, Outcome, Severity, holds, not_claimed
from mapinspect.model.inspection import Inspection, Located
from mapinspect.model.part import MemoryBank, Part

_MANY: Final = 512 * 1024  # bytes; above it a Cortex-M waits for its Flash, whatever the part
_READ_IN_PLACE: Final = ("flash", "external-flash")


@check("weights-slow", "weights lie where they are read fast", __doc__)
def weights_slow(inspection: Inspection) -> Iterator[Outcome]:
    """Compare each model's place with the part's fast Flash, then all weights together."""
    places = [copy.place for model in inspection.models for copy in model.copies]
    places += [model.place for model in inspection.embedded if model.entry is None]
    inside = [
        place
        for place in places
        if place.region and inspection.kind(place.region) in _READ_IN_PLACE
    ]
    if not inside:
        yield not_claimed("weights", "no weights in Flash are known")
        return
    for place in inside:
        yield holds(place.name, *_beyond(inspection.part, place))
    yield holds("weights", *_many(inside))


def _beyond(part: Part | None, place: Located) -> Iterator[Finding]:
    bank = part.bank_of(place.span) if part else None
    if part is None or bank is None or bank.zero_wait is None:
        return
    slow = _slow_bytes(bank, place)
    if slow > 0:
        message = (
            f"{place.name} ({place.span.size} bytes): {slow} bytes lie beyond the "
            f"{bank.zero_wait} bytes of {bank.name} that {part.name} reads without wait states"
        )
        evidence = (place.evidence, part.declared)
        remedy = "place the weights before the code, or copy the hot layers to RAM"
        yield Finding(Severity.WARNING, place.name, message, evidence, remedy)


def _slow_bytes(bank: MemoryBank, place: Located) -> int:
    assert bank.zero_wait is not None
    view = next(view for view in bank.views() if view.contains(place.span))
    return place.span.end - max(place.span.start, view.start + bank.zero_wait)


def _many(places: list[Located]) -> Iterator[Finding]:
    total = sum(place.span.size for place in places)
    if total > _MANY:
        largest = max(places, key=lambda place: place.span.size)
        message = (
            f"{total} bytes of weights are read from Flash, more than {_MANY}: it bounds the speed"
        )
        remedy = "quantise or prune the model, or copy hot layers to RAM"
        yield Finding(Severity.WARNING, largest.name, message, (largest.evidence,), remedy)
