"""section-orphaned: the linker script says nothing of a section.

ld places a section that no statement of the script takes where it likes, without a word: behind
something similar, in whatever region that is. A misspelt section attribute sends a DMA buffer to
the wrong memory so, and weights behind the code of the wrong bank. The map tells orphans by the
missing line of the script above their contents.

    warning[section-orphaned]: .model_data (41472 bytes) is in no statement of the linker script,
    and went to FLASH at 0x08004640

Mend it by a statement `*(.model_data)` in the linker script, or by the right name in the source.
"""

from collections.abc import Iterator

from mapinspect.checks.check import check
from mapinspect.model.finding import Finding, Outcome, Severity, holds, not_claimed
from mapinspect.model.inspection import Inspection, Located

# What toolchains add to every image, and ld places by rules of its own: notes and attributes.
_EXPECTED = (".note.", ".MIPS.", ".reginfo", ".ARM.attributes", ".riscv.attributes", ".xt.prop")


@check("section-orphaned", "the linker script places every section", __doc__, worst="warning")
def section_orphaned(inspection: Inspection) -> Iterator[Outcome]:
    """Warn of each orphan with the place that ld chose."""
    if inspection.map is None:
        yield not_claimed("sections", "no map is given")
        return
    found = [item for item in inspection.orphans if not item.name.startswith(_EXPECTED)]
    for item in found:
        yield holds(item.name, _warning(item))
    if not found:
        yield holds("sections")


def _warning(item: Located) -> Finding:
    message = (
        f"{item.name} ({item.span.size} bytes) is in no statement of the linker script, and went "
        f"to {item.region or 'no region'} at {item.span.start:#010x}"
    )
    remedy = f"add *({item.name}) to the script, or mend the name in the source"
    return Finding(Severity.WARNING, item.name, message, (item.evidence,), remedy)
