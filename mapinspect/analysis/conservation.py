"""Conservation: what a map prints inside an output section must add up to the section's size."""

from collections.abc import Container, Iterator

from mapinspect.model.conservation import Unconserved
from mapinspect.model.image import Evidence
from mapinspect.model.link_map import LinkMap, MapSection

_BUILD_ID = ".note.gnu.build-id"
_GATEWAYS = ".gnu.sgstubs"
_GATEWAYS_ALIGNMENT = 32  # bytes; bfd/elf32-arm.c, arm_dedicated_stub_section_padding
_WORD = 2**32  # ld 2.39 and older print addresses of 32-bit targets sign-extended to 64 bits


def unconserved(
    link_map: LinkMap, allocated: Container[tuple[str, int]] | None = None
) -> tuple[Unconserved, ...]:
    """Return the output sections whose inputs, fills and data statements do not add up.

    ``allocated`` holds name and VMA of the sections to judge, since only an ELF knows which ones
    are; None judges all. Merged strings, constants and attributes are summed by what they occupy
    (``InputSection.occupied``). Sizes are bytes as printed in the map.
    """
    return tuple(_unconserved(link_map, allocated))


def _unconserved(
    link_map: LinkMap, allocated: Container[tuple[str, int]] | None
) -> Iterator[Unconserved]:
    for section in link_map.sections:
        if allocated is not None and not _is_in(section, allocated):
            continue
        found = link_map.inputs.totals(section.ordinal).found
        expected = section.size or 0
        if found != expected and not _is_late(section.name, found, expected):
            text = f"{section.name} at {section.vma or 0:#010x}, {expected} bytes"
            evidence = Evidence(link_map.path, section.line, text)
            yield Unconserved(section.name, expected, found, evidence)


def _is_late(name: str, found: int, expected: int) -> bool:
    """Return whether ld printed the rows before it made the section's contents.

    ld 2.26 lists the build-id with the size 0 of the "linker stubs" that it is made for. The
    secure gateways of Armv8-M are filled up to their alignment (bfd/elf32-arm.c) after that.
    """
    if name == _GATEWAYS:
        return found < expected == found + -found % _GATEWAYS_ALIGNMENT
    return name == _BUILD_ID and found == 0


def _is_in(section: MapSection, allocated: Container[tuple[str, int]]) -> bool:
    """Return whether the section is to be judged; one without numbers always is.

    ld prints no numbers for a section it dropped, so nothing may stand inside it.
    """
    if section.vma is None:
        return True
    return any((section.name, vma) in allocated for vma in (section.vma, section.vma % _WORD))
