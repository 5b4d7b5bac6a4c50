"""data-not-stored: initial values lie nowhere but in RAM.

A section with contents that runs in RAM needs a copy in Flash from which start-up code fills it.
A linker script that forgets `AT> FLASH`, or whose `AT(…)` is an address of RAM, links without a
word and works under a debugger, which writes RAM as well; after power-up the variables hold noise.
That is asked only where the program starts in Flash: images that a loader or a boot ROM places in
RAM as a whole have no such copy.
A section of zeros is only a warning: it may be meant to keep its bytes over a reset; then make it
`(NOLOAD)`, with nothing but `.noinit` in it. A note, such as `.note.gnu.build-id`, is only a
warning too: tools read it, no program. What lies in EEPROM or in RAM that keeps its bytes is
written by a programmer.

    error[data-not-stored]: .data (4212 bytes) runs in RAM and is stored there, not in Flash

A section that the script makes `(NOLOAD)` is stored nowhere, whatever is put in it: initialised
variables lose their values there. The map tells them by their input sections (`.data`, `.rodata`).
In RAM that is broken; elsewhere a ROM may hold the bytes, so it is a warning.

Mend it by `> RAM AT> FLASH` in the linker script, or by taking initialised variables out of the
`(NOLOAD)` section.
"""

from collections.abc import Iterator

from mapinspect.checks.check import check
from mapinspect.model.finding import (
    Finding,
    Outcome,
    Severity,
    Status,
    broken,
    holds,
    not_claimed,
)
from mapinspect.model.image import Role, Span
from mapinspect.model.inspection import Inspection, Located, Placement
from mapinspect.model.region_kind import (
    FLASH_KINDS,
    RAM_KINDS,
    bank_at,
    keeps_bytes,
    says_flash,
)

_SHOWN = 4  # inputs of one section


@check("data-not-stored", "all that start-up initialises in RAM is stored in Flash", __doc__)
def data_not_stored(inspection: Inspection) -> Iterator[Outcome]:
    """Judge every section with contents that runs in RAM by where it is stored."""
    yield from _lost(inspection)
    if inspection.elf is None or not _starts_in_flash(inspection, inspection.elf.entry):
        yield not_claimed("data", "the program is not known to start in Flash")
        return
    stored = {
        item.section.ordinal
        for item in inspection.placements
        if item.role is Role.LOAD and item.region and not _is_ram(inspection, item)
    }
    for item in inspection.placements:
        section = item.section
        runs = item.role is Role.RUN and section.has_contents and item.span.size
        if not runs or not _is_ram(inspection, item):
            continue
        if section.ordinal in stored or _is_flash_by_name(inspection, item):
            yield holds(section.name)
        elif section.ordinal in inspection.habits.valued:
            yield Outcome(Status.BROKEN, section.name, (_finding(item, Severity.ERROR),))
        else:
            yield holds(section.name, _finding(item, Severity.WARNING))


def _lost(inspection: Inspection) -> Iterator[Outcome]:
    """Yield for every section without contents that holds initial values what is lost in it."""
    by_section: dict[str, list[Located]] = {}
    for item in inspection.habits.lost_values:
        by_section.setdefault(item.section.name, []).append(item)
    for name, lost in by_section.items():
        total = sum(item.span.size for item in lost)
        message = (
            f"{name} is not stored, and holds {total} bytes of initial values: "
            f"{lost[0].evidence.text}"
        )
        evidence = tuple(item.evidence for item in lost[:_SHOWN])
        remedy = f"take (NOLOAD) from {name} in the linker script, or these inputs out of it"
        region = lost[0].region
        if region is not None and inspection.kind(region) in RAM_KINDS:
            yield broken(name, message, evidence, remedy)
        else:
            yield holds(name, Finding(Severity.WARNING, name, message, evidence, remedy))


def _starts_in_flash(inspection: Inspection, entry: int) -> bool:
    homes = (region for region in inspection.regions if region.span.contains(Span(entry, 1)))
    return any(inspection.kind(region.name) in FLASH_KINDS for region in homes)


def _is_ram(inspection: Inspection, item: Placement) -> bool:
    region = item.region
    if region is None or keeps_bytes(region):
        return False
    return inspection.kind(region.name) in RAM_KINDS


def _is_flash_by_name(inspection: Inspection, item: Placement) -> bool:
    """Return whether constants lie in what is RAM by a ``w`` alone, and is called Flash.

    Scripts that write ``QSPI (rwx)`` are common; the table and the part know better.
    """
    region = item.region
    if region is None or item.section.writable or not says_flash(region.name):
        return False
    bank = bank_at(region, inspection.part)
    stated = any(row.name == region.name and row.kind for row in inspection.table.regions)
    return not stated and (bank is None or bank.kind != "ram")


def _finding(item: Placement, severity: Severity) -> Finding:
    name = item.section.name
    where = item.region.name if item.region else ""
    home = "there" if item.section.lma == item.section.vma else f"at {item.section.lma:#010x}"
    message = f"{name} ({item.span.size} bytes) runs in {where} and is stored {home}, not in Flash"
    evidence = (item.section.evidence,)
    remedy = f"add AT> FLASH to {name} in the linker script, or make it NOLOAD"
    return Finding(severity, name, message, evidence, remedy)
