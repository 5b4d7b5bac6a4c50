"""A failed link, explained in a few lines for the build log."""

from collections.abc import Iterator

from mapinspect.model.diagnosis import Diagnosis, Overflow
from mapinspect.reports.printable import printable
from mapinspect.reports.sizes import grouped


def render(diagnosis: Diagnosis) -> str:
    """Return the diagnosis as text; sizes are bytes."""
    return "".join(f"{line}\n" for line in _lines(diagnosis))


def _lines(diagnosis: Diagnosis) -> Iterator[str]:
    yield "mapinspect: the link failed, so there is no ELF to check"
    if diagnosis.doubt is not None:
        yield f"  {printable(diagnosis.map)}: {printable(diagnosis.doubt, 1000)}"
        return
    for overflow in diagnosis.overflows:
        yield from _overflow(overflow)
    if not diagnosis.overflows:
        yield (
            f"  by {printable(diagnosis.map)} every region holds what was linked: "
            "the reason is in the linker's messages above"
        )
    for need in diagnosis.needs:
        at_least = "" if need.exact else "at least "
        yield f"  model {printable(need.model)} needs {at_least}{grouped(need.smallest)} B of arena"


def _overflow(overflow: Overflow) -> Iterator[str]:
    name, length = printable(overflow.region.name), overflow.region.span.size
    yield (
        f"  {name} overflows by {grouped(overflow.over)} B: "
        f"{grouped(overflow.used)} of {grouped(length)} B. Largest in it:"
    )
    for item in overflow.contributors:
        yield f"    {grouped(item.bytes):>10}  {printable(item.name, 60)}  {printable(item.owner)}"
