"""map-elf-disagree: the map and the ELF are not of the same link.

The target is compared (the map's `OUTPUT(…)` line with the ELF's header), then every allocated
section: name, run-time address, size and load address; then the address of every global symbol,
and whether each variable lies in one input section of the map. The first differences are named.
A map that an earlier or a failed link left behind describes another image; whatever rests on it
cannot be judged. Without an ELF there is no proof that the link succeeded at all: ld writes a
complete map also when it fails. When the files were written is told only where they disagree, since
check-outs and copies change it. A map whose link wrote a file of another name than the ELF has is
information: the ELF may be renamed.

    undecided[map-elf-disagree]: .bss has 4096 bytes in the map and 2064 in the ELF

Mend it by linking again and naming the map and the ELF of that one link.
"""

from collections.abc import Iterator

from mapinspect.checks.check import check
from mapinspect.model.finding import Finding, Outcome, Severity, holds, not_claimed, undecided
from mapinspect.model.image import Evidence
from mapinspect.model.inspection import ElfFacts, Inspection, MapFacts


@check("map-elf-disagree", "map and ELF are of the same link", __doc__, least="error")
def map_elf_disagree(inspection: Inspection) -> Iterator[Outcome]:
    """Name what map and ELF state differently: target, sections, or the first symbols."""
    remedy = "link again, and name the map and the ELF of that one link"
    if inspection.map is None:
        yield not_claimed("map", "no map is given")
    elif inspection.elf is None:
        message = "a map alone cannot prove that the link succeeded"
        evidence = (Evidence(inspection.map.path, None, "no ELF is given"),)
        yield undecided("elf", message, evidence, "give the ELF too: --elf FILE")
    elif not inspection.map.disagreements:
        yield holds("map and ELF", *_renamed(inspection.map, inspection.elf))
    else:
        for difference in inspection.map.disagreements:
            both = (difference.in_map, difference.in_elf)
            yield undecided(difference.subject, difference.message, both, remedy)


def _renamed(link_map: MapFacts, elf: ElfFacts) -> Iterator[Finding]:
    """Yield that the link wrote a file of another name, which may be meant."""
    wrote = link_map.output_file
    if wrote is None or _base(wrote) == _base(elf.path):
        return
    message = f"the map is of the link that wrote {_base(wrote)}, and equals {_base(elf.path)}"
    evidence = (Evidence(link_map.path, None, f"OUTPUT({wrote} ...)"),)
    remedy = "nothing to mend, if the file was renamed after the link"
    yield Finding(Severity.INFORMATION, _base(elf.path), message, evidence, remedy)


def _base(path: str) -> str:
    return path.replace("\\", "/").rsplit("/", 1)[-1]
