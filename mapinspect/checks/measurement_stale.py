"""measurement-stale: a measurement is of another build.

A peak measured on last week's build proves nothing about this one. A measurement is told to be of
this image by the build-id (`-Wl,--build-id`) or the SHA-256 of the ELF that it carries; one that
names another, or a stack with more room than is linked, is of another build. It is left out of
every comparison. With `stale = "refuse"` in `[inputs]` it is refused instead, with exit status 2.

    undecided[measurement-stale]: run.log is of build 3b335c79, not of this image

Mend it by measuring this build, or by taking the file out.
"""

from collections.abc import Iterable, Iterator

from mapinspect.checks.check import check
from mapinspect.model.finding import Outcome, holds, not_claimed, undecided
from mapinspect.model.inspection import Inspection
from mapinspect.model.measurement import Build, Weighed


@check("measurement-stale", "every measurement is of this build", __doc__, worst="undecided")
def measurement_stale(inspection: Inspection) -> Iterator[Outcome]:
    """Judge each file of measurements by the first of its values that is of another build."""
    if not inspection.measured:
        yield not_claimed("measured", "no measurement is given")
    for file, items in by_file(inspection.measured).items():
        stale = next((item for item in items if _fault(item)), None)
        if stale is not None:
            remedy = "measure this build, linked with -Wl,--build-id"
            message = f"{file} {_fault(stale)}"
            yield undecided(file, message, (stale.item.evidence,), remedy)
        elif any(item.build is Build.SAME for item in items):
            yield holds(file)
        else:
            yield not_claimed(file, "it does not say which build it is of")


def by_file(items: Iterable[Weighed]) -> dict[str, list[Weighed]]:
    """Return the measurements by the file they are from, in the order of the files."""
    files: dict[str, list[Weighed]] = {}
    for item in items:
        files.setdefault(item.item.evidence.file, []).append(item)
    return files


def _fault(item: Weighed) -> str | None:
    stated = item.item.run.build_id
    if item.build is Build.OTHER:
        return f"is of build {stated}, not of this image"
    if item.build is Build.UNKNOWN:
        return f"is of build {stated}, and the image has no build-id to compare it with"
    size, room = item.item.size, item.room
    if item.item.kind == "stack" and size is not None and room is not None and size > room:
        return f"says that {item.reserved} has {size} bytes, but {room} are linked"
    return None
