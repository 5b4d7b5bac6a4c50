"""region-over-budget: a region holds more bytes than it may.

Every region is compared with the strictest of its length, its limit in the table and the
project's margin. What counts is the extent, from the region's origin to the last byte any section
occupies there, as `ld --print-memory-usage` counts; both roles count, so `.data` costs RAM where
it runs and Flash where it is loaded from. With `count = "occupied"` the bytes of sections count
instead, for layouts that pin a stack to the end of RAM; even then nothing may lie past the region's
end. A length in the table that is larger than the linker's excuses no overflow that the map shows:
`ld --noinhibit-exec` writes an ELF all the same.

    error[region-over-budget]: FLASH holds 108504 of 98304 bytes, 10200 over

Regions that share addresses are told apart by where ld went on in each. Where that leaves it open
and the answer depends on it, the limit is undecided.

A limit may be waived or made a warning; bytes past the end of a memory cannot be accepted.

Mend it by moving what is large elsewhere or making it smaller; raise the limit only when the part
really has the memory.
"""

import shlex
from collections.abc import Iterator
from dataclasses import replace

from mapinspect.checks.check import check
from mapinspect.checks.rows import APART
from mapinspect.model.finding import Finding, Outcome, Severity, Status, broken, holds, undecided
from mapinspect.model.image import Evidence
from mapinspect.model.inspection import Inspection, RegionLimit, Usage


@check("region-over-budget", "every region holds no more bytes than it may", __doc__, least="warn")
def region_over_budget(inspection: Inspection) -> Iterator[Outcome]:
    """Compare each region's use, in bytes, with its limit."""
    if not any(usage.used for usage in inspection.usages):
        yield _nothing_measured(inspection)
        return
    refused = {outcome.subject: outcome for outcome in map_overflows(inspection)}
    for usage in inspection.usages:
        outcome = _judge(inspection, usage, inspection.limit(usage.region.name))
        proven = refused.pop(outcome.subject, outcome)
        yield outcome if outcome.status is Status.BROKEN else proven
    yield from refused.values()


def _nothing_measured(inspection: Inspection) -> Outcome:
    if inspection.regions:
        message, remedy = "no region holds any byte", "check that this is the linked firmware"
    else:
        message = "no memory regions are known"
        remedy = "give the map of this link, or origin and length of each [[region]]"
    return undecided("regions", message, (Evidence(_image(inspection), None, message),), remedy)


def _image(inspection: Inspection) -> str:
    if inspection.elf is not None:
        return inspection.elf.path
    return inspection.map.path if inspection.map else inspection.table.path


def _judge(inspection: Inspection, usage: Usage, limit: RegionLimit) -> Outcome:
    name, used = usage.region.name, limit.measured(usage)
    word = "holds" if limit.measure == "extent" else "is occupied by"
    evidence = (limit.rules[0], Evidence(_image(inspection), None, _last(usage)))
    remedy = f"see what fills it: {_command(inspection, name)}"
    other = used if usage.otherwise is None else limit.measured(usage.otherwise)
    if (used > limit.limit) != (other > limit.limit):
        return _untold(usage, other, evidence)
    if used > limit.limit:
        message = f"{name} {word} {used} of {limit.limit} bytes, {used - limit.limit} over"
        return replace(broken(name, message, evidence, remedy), final=usage.free < 0)
    if usage.free < 0:  # few bytes may be counted, but some lie where there is no memory
        length = usage.region.span.size
        message = f"{name} extends over {usage.used} of {length} bytes, {-usage.free} over"
        evidence = (usage.region.declared, evidence[1])
        return replace(broken(name, message, evidence, remedy), final=True)
    if limit.warn is not None and used > limit.warn:
        message = f"{name} {word} {used} bytes, above its warning at {limit.warn}"
        evidence = (limit.warn_declared or limit.rules[0], evidence[1])
        return holds(name, Finding(Severity.WARNING, name, message, evidence, remedy))
    return holds(name)


def _command(inspection: Inspection, region: str) -> str:
    """Return the command that lists what is in a region, as a shell takes it."""
    elf, link_map = inspection.elf, inspection.map
    if elf is None:
        return shlex.join(["mapinspect", "map", *([link_map.path] if link_map else [])])
    words = ["mapinspect", "show", "sections", "--elf", elf.path]
    if link_map is not None:  # else the regions are the table's or the part's, unknown to show
        words += ["--map", link_map.path, "--region", region]
    return shlex.join(words)


def _untold(usage: Usage, other: int, evidence: tuple[Evidence, ...]) -> Outcome:
    """Return that the limit depends on what only the linker script says."""
    name = usage.region.name
    message = (
        f"{name} holds {usage.used} or {other} bytes: it shares addresses with another region, "
        "and neither map nor ELF says which one the script assigned them to"
    )
    return undecided(name, message, evidence, APART)


def _last(usage: Usage) -> str:
    if not usage.placements:
        return f"{usage.region.name} holds nothing"
    last = max(usage.placements, key=lambda item: item.span.end)
    return f"{last.section.name} ends at {last.span.end:#010x} in {usage.region.name}"


def map_overflows(inspection: Inspection) -> Iterator[Outcome]:
    """Yield the regions that the map's own sections overflow: proof without any ELF."""
    if inspection.map is None:
        return
    for usage in inspection.map.overflows:
        name, length = usage.region.name, usage.region.span.size
        message = f"{name} holds {usage.used} of {length} bytes, {-usage.free} over"
        last = max(usage.placements, key=lambda item: item.span.end)
        evidence = (usage.region.declared, last.section.evidence)
        remedy = f"see what fills it: mapinspect map {inspection.map.path}"
        yield broken(name, message, evidence, remedy)
