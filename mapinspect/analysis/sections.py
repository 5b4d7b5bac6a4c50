"""ELF or map records → the allocated sections of the image, and where the two differ."""

from mapinspect.analysis.overlays import overlay_names, overlay_ordinals
from mapinspect.analysis.placeholders import placeholder_ordinals
from mapinspect.model.elf_file import ElfFile, ElfSection
from mapinspect.model.image import Evidence, Region
from mapinspect.model.inspection import PlacedSection
from mapinspect.model.link_map import LinkMap, MapSection

# A map does not say which sections are allocated. These are the names that toolchains give to
# sections that are not; only overflow is judged by a map alone, never a pass.
_NOT_ALLOCATED = (
    ".comment",
    ".debug",
    ".stab",
    ".ARM.attributes",
    ".riscv.attributes",
    ".gnu.attributes",
    ".note.gnu.gold-version",
    ".xtensa.info",
    ".xt.",
    ".gnu.lto",
    ".symtab",
    ".strtab",
    ".shstrtab",
    "/DISCARD/",
)
_SIGN_EXTENDED = 0xFFFF_FFFF_8000_0000
# Parts of input section names that have contents for certain; what is not among them is not taken
# for a load image, since an overflow must be proven.
_STORED_INPUTS = ("data", "text", "const", "vector", "isr", "func", "init_array", "iram", "code")
_ALIGNMENT_LIMIT = 4096  # bytes; beyond a page a gap is more likely another address range
_ZEROED_INPUTS = ("noinit", "bss", "COMMON", "noload", "NOLOAD")


def sections_of_elf(elf: ElfFile, link_map: LinkMap | None = None) -> tuple[PlacedSection, ...]:
    """Return the allocated sections of an ELF; thread-local NOBITS take up no addresses.

    The map, where there is one, says which sections are overlays and which hold nothing.
    """
    overlays = overlay_ordinals(elf, link_map)
    placeholders = placeholder_ordinals(elf, link_map)
    order = _script_order(elf, link_map)
    return tuple(
        PlacedSection(
            ordinal=section.ordinal,
            name=section.name,
            size=section.size,
            vma=section.vma,
            lma=section.lma,
            alignment=section.alignment,
            has_contents=section.has_contents,
            writable=section.writable,
            executable=section.executable,
            evidence=evidence(elf.path, section),
            overlay=section.ordinal in overlays,
            placeholder=section.ordinal in placeholders,
            order=order.get(section.ordinal, 0),
        )
        for section in elf.sections
        if section.allocated and (section.has_contents or not section.thread_local)
    )


def unallocated_sections(elf: ElfFile, link_map: LinkMap | None) -> tuple[PlacedSection, ...]:
    """Return the COPY and INFO sections: with contents and an address, but not allocated.

    ld counts them in their region, and where the map prints a load address, there too. Without
    any flag the inputs were not allocated either; those ld does not count.
    """
    sections = [
        item
        for item in elf.sections
        if not item.allocated and item.vma and (item.writable or item.executable)
    ]
    loads = _load_addresses(link_map, elf.bits) if link_map is not None and sections else {}
    order = _script_order(elf, link_map) if sections else {}
    return tuple(
        PlacedSection(
            ordinal=section.ordinal,
            name=section.name,
            size=section.size,
            vma=section.vma,
            lma=loads.get((section.name, section.vma), section.vma),
            alignment=section.alignment,
            has_contents=True,
            writable=section.writable,
            executable=section.executable,
            evidence=evidence(elf.path, section),
            order=order.get(section.ordinal, 0),
        )
        for section in sections
        if section.has_contents and section.size
    )


def _script_order(elf: ElfFile, link_map: LinkMap | None) -> dict[int, int]:
    """Return the place of each section in the map, which is printed in script order.

    Empty where the map does not have all of them: then it is of another link.
    """
    if link_map is None:
        return {}
    mask = (1 << elf.bits) - 1
    printed: dict[tuple[str, int], int] = {}
    for section in link_map.sections:
        if section.vma is not None and section.size:
            printed.setdefault((section.name, section.vma & mask), section.ordinal + 1)
    order: dict[int, int] = {}
    for item in elf.sections:
        if item.size and (item.allocated or item.vma):
            place = printed.get((item.name, item.vma))
            if place is None:
                return {}
            order[item.ordinal] = place
    return order


def _load_addresses(link_map: LinkMap, bits: int) -> dict[tuple[str, int], int]:
    mask = (1 << bits) - 1
    return {
        (section.name, section.vma & mask): section.lma & mask
        for section in link_map.sections
        if section.vma is not None and section.lma is not None
    }


def evidence(path: str, section: ElfSection) -> Evidence:
    """Return what the ELF says about a section."""
    load = f", loaded from {section.lma:#010x}" if section.lma != section.vma else ""
    text = f"{section.name} at {section.vma:#010x}, {section.size} bytes{load}"
    return Evidence(path, None, text)


def map_evidence(path: str, section: MapSection) -> Evidence:
    """Return what the map says about a section, with its line."""
    text = f"{section.name} at {section.vma or 0:#010x}, {section.size} bytes"
    return Evidence(path, section.line, text)


def sections_of_map(link_map: LinkMap, regions: tuple[Region, ...]) -> tuple[PlacedSection, ...]:
    """Return the sections a map seems to allocate: for judging overflow, never for a pass.

    A section at address 0 that no region holds is taken for one that is not allocated.
    """
    overlays = overlay_names(link_map)
    return tuple(
        PlacedSection(
            ordinal=section.ordinal,
            name=section.name,
            size=section.size,
            vma=_reduced(section.vma),
            lma=_reduced(section.vma if section.lma is None else section.lma),
            alignment=_alignment_allowed(section.vma),
            has_contents=_is_stored(link_map, section),
            writable=False,
            executable=False,
            evidence=map_evidence(link_map.path, section),
            overlay=section.name in overlays,
        )
        for section in link_map.sections
        if section.vma is not None and section.size and seems_allocated(section)
        if section.vma or any(region.span.start == 0 for region in regions)
    )


def _reduced(address: int) -> int:
    """Return the address of a 32-bit target that an ld for 64 bits printed sign-extended."""
    return address & 0xFFFF_FFFF if address >= _SIGN_EXTENDED else address


def _alignment_allowed(address: int) -> int:
    """Return the largest alignment that an address allows: a map does not print the real one."""
    return min(address & -address or _ALIGNMENT_LIMIT, _ALIGNMENT_LIMIT)


def seems_allocated(section: MapSection) -> bool:
    """Return whether a section of a map is allocated, as far as its name tells."""
    return not section.name.startswith(_NOT_ALLOCATED)


def _is_stored(link_map: LinkMap, section: MapSection) -> bool:
    """Return whether some input of the section is named for contents."""
    return any(
        row.size
        and any(part in row.name.lower() for part in _STORED_INPUTS)
        and not any(part in row.name for part in _ZEROED_INPUTS)
        for row in link_map.inputs.of_section(section.ordinal)
    )
