"""region-beyond-part: the linker script claims memory that the part does not have.

With `mcu` in `[project]`, or `--mcu`, every memory region is compared with the memory banks of the
part: a region that reaches past the bank it begins in links well and fails on the board. So does a
script that was copied from the part's larger sister. A region at an address where the part's table
has no memory is a warning, since tables leave out option bytes and the like; where every region
that stores the image is one of those, the part is not this image's, and the claim is undecided. A
region of the size that only a setting of the part gives a bank (FlexRAM of i.MX RT) is a warning.
A region that the table or its name calls Flash must not be RAM, nor may variables lie in Flash.
RAM banks that no region covers are information: they are paid for. Memory outside the part is
known where the table calls it so, by `kind = "external-flash"` or `"psram"`.

    error[region-beyond-part]: FLASH ends at 0x08080000, 262144 bytes past FLASH of GD32F303xC

Mend it by the lengths of the part's data sheet, or by naming the part that is fitted.
"""

from collections.abc import Iterator

from mapinspect.checks.check import check
from mapinspect.model.finding import (
    Finding,
    Outcome,
    Severity,
    broken,
    holds,
    not_claimed,
    undecided,
)
from mapinspect.model.image import Region, Role, Span
from mapinspect.model.inspection import Inspection, Usage
from mapinspect.model.part import MemoryBank, Part
from mapinspect.model.region_kind import bank_at, is_for_programmers

_SMALL = 1024  # bytes; battery-backed registers are no bank that firmware misses
_REMEDY = 'name the part that is fitted, or state kind = "external-flash" or "psram" in [[region]]'
_OUTSIDE = ("external-flash", "psram")  # kinds that only the table states
_KINDS = {
    "flash": ("flash", "external"),
    "sram": ("ram", "external"),
    "psram": ("external", "ram"),
    "eeprom": ("eeprom",),
}


@check("region-beyond-part", "every memory region is memory that the part has", __doc__)
def region_beyond_part(inspection: Inspection) -> Iterator[Outcome]:
    """Compare used and budgeted regions with the part's banks, then the banks with the regions."""
    part = inspection.part
    if part is None:
        yield not_claimed("part", "no part is named")
        return
    budgeted = {row.name for row in inspection.table.regions}
    for usage in inspection.usages:
        if usage.used or usage.region.name in budgeted:
            yield _judge(inspection, part, usage.region, usage.used)
    stray = _of_another_part(inspection, part)
    if stray is not None:
        yield stray
        return
    unused = [bank for bank in part.banks if _is_unused(inspection, bank)]
    if unused:
        yield holds(part.name, _unused(part, unused))


def _of_another_part(inspection: Inspection, part: Part) -> Outcome | None:
    """Return that the part is not the image's: where its bytes are stored, the part has nothing.

    Memory outside the part that the table calls so (`kind = "external-flash"`) is meant.
    """
    stored = [usage.region for usage in inspection.usages if usage.used and _stores(usage)]
    homes = {region.name: bank_at(region, part) for region in stored}
    if any(bank is not None and bank.kind != "ram" for bank in homes.values()):
        return None
    lost = [
        region
        for region in stored
        if homes[region.name] is None and inspection.kind(region.name) not in _OUTSIDE
    ]
    if not lost:
        return None
    message = (
        f"{lost[0].name} stores the image at {lost[0].span.start:#010x}, where {part.name} has no "
        "memory, and nothing lies in its Flash"
    )
    return undecided(part.name, message, (lost[0].declared, part.declared), _REMEDY)


def _stores(usage: Usage) -> bool:
    """Return whether bytes of the image are kept there, not only copied to it by start-up."""
    return any(
        item.role is Role.LOAD
        or (item.section.has_contents and item.section.lma == item.section.vma)
        for item in usage.placements
    )


def _judge(inspection: Inspection, part: Part, region: Region, used: int) -> Outcome:
    views = [(view, bank) for bank in part.banks for view in bank.views()]
    first = Span(region.span.start, 1)
    home = next((pair for pair in views if pair[0].contains(first)), None)
    evidence = (region.declared, part.declared)
    if home is None:
        meant = inspection.kind(region.name) in _OUTSIDE or is_for_programmers(region)
        return holds(region.name, *(() if meant else (_unknown(region, part),)))
    end = _reach(home[0].end, [view for view, _ in views])
    bank = home[1]
    if end < region.span.end <= home[0].start + (bank.most or 0):
        return holds(region.name, _set_larger(region, bank, part))
    if region.span.end > end:
        past = region.span.end - end
        message = (
            f"{region.name} ends at {region.span.end:#010x}, "
            f"{past} bytes past {bank.name} of {part.name}"
        )
        return broken(region.name, message, evidence, "write the length of the part's data sheet")
    if bank.static_limit is not None and used > bank.static_limit:
        message = (
            f"{region.name} holds {used} bytes, but of {bank.name} of {part.name} only "
            f"{bank.static_limit} can be placed at link time"
        )
        return broken(region.name, message, evidence, "move what is large to the heap or elsewhere")
    return _kind(inspection, region, bank, part)


def _unknown(region: Region, part: Part) -> Finding:
    message = f"{region.name} begins at {region.span.start:#010x}, where {part.name} has no memory"
    evidence = (region.declared, part.declared)
    return Finding(Severity.WARNING, region.name, message, evidence, _REMEDY)


def _set_larger(region: Region, bank: MemoryBank, part: Part) -> Finding:
    message = (
        f"{region.name} ends at {region.span.end:#010x}: {bank.name} of {part.name} has "
        f"{bank.span.size} bytes unless a setting makes it larger, at the cost of other banks"
    )
    remedy = "see that start-up code or fuses set it so"
    evidence = (region.declared, part.declared)
    return Finding(Severity.WARNING, region.name, message, evidence, remedy)


def _kind(inspection: Inspection, region: Region, bank: MemoryBank, part: Part) -> Outcome:
    row = next((row for row in inspection.table.regions if row.name == region.name), None)
    stated = row.kind if row is not None else None
    there = f"{bank.name} of {part.name} is {bank.kind}"
    written = _written(inspection, region)
    if stated is not None and bank.kind not in _KINDS.get(stated, (bank.kind,)):
        message = f"{region.name} is {stated}, but {there}"
    elif bank.kind == "ram" and "flash" in region.name.lower() and stated is None:
        message = f"{region.name} is Flash by its name, but {there}"
    elif bank.kind == "flash" and written is not None:
        message = f"{region.name} holds {written}, which start-up writes, but {there}"
    else:
        return holds(region.name)
    evidence = (region.declared, part.declared)
    return broken(region.name, message, evidence, "mend its attributes or its origin")


def _written(inspection: Inspection, region: Region) -> str | None:
    """Return a section that start-up code fills where the linker's attributes grant writing.

    Attributes alone say little: RAM for code may be RX, and many scripts call Flash RWX.
    """
    if "w" not in region.attributes.split("!")[0]:
        return None
    usage = inspection.usage(region.name)
    for item in usage.placements if usage else ():
        if item.role is Role.RUN and item.span.size:
            copied = item.section.has_contents and item.section.lma != item.section.vma
            cleared = not item.section.has_contents and item.section.writable
            if copied or cleared:
                return item.section.name
    return None


def _reach(end: int, views: list[Span]) -> int:
    """Return where memory ends that begins before ``end``: banks that touch are one run."""
    for view in sorted(views):
        if view.start <= end < view.end:
            end = view.end
    return end


def _is_unused(inspection: Inspection, bank: MemoryBank) -> bool:
    if bank.kind != "ram" or bank.span.size < _SMALL:
        return False
    return not any(
        view.overlap(region.span) for view in bank.views() for region in inspection.regions
    )


def _unused(part: Part, banks: list[MemoryBank]) -> Finding:
    names = ", ".join(f"{bank.name} ({bank.span.size} bytes)" for bank in banks)
    message = f"no memory region covers {names} of {part.name}"
    remedy = "add a region for it to the linker script"
    return Finding(Severity.INFORMATION, banks[0].name, message, (part.declared,), remedy)
