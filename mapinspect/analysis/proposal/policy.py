"""Which memory should hold what: weights in Flash, arenas in the main on-chip RAM."""

from dataclasses import dataclass

from mapinspect.model.image import Region, Role
from mapinspect.model.inspection import Inspection
from mapinspect.model.region_kind import FLASH_KINDS, says_ram

_FAST = ("DTCM", "ITCM", "TCM", "CCM", "FAST")  # core-coupled RAM, in the names of scripts


@dataclass(frozen=True, slots=True)
class Memories:
    """The regions of an image by what they are; largest first.

    ``main`` is the RAM where ``.data`` or ``.bss`` lies, None where there is none; ``outside``
    are those of PSRAM, where nothing lies by chance; ``guessed`` are the kinds of regions that
    nothing states.
    """

    flash: tuple[Region, ...]
    ram: tuple[Region, ...]
    main: str | None
    guessed: dict[str, str]
    outside: tuple[Region, ...] = ()

    def is_flash(self, region: str | None) -> bool:
        """Return whether a region of this name is Flash."""
        return any(item.name == region for item in self.flash)

    def for_weights(self, region: str | None) -> tuple[str, ...]:
        """Return the regions that weights should lie in: today's if it is Flash."""
        if region is not None and self.is_flash(region):
            return (region,)
        return tuple(item.name for item in self.flash[:1])

    def for_arena(self, region: str | None, needed: int) -> tuple[str, ...]:
        """Return the region that an arena of ``needed`` bytes should lie in; none is too small.

        It is today's where that is the main RAM, the largest, core-coupled or PSRAM: somebody
        chose it. Else it is the main RAM, or the largest where the main one is too small.
        """
        if region is not None and any(item.name == region for item in self.outside):
            return (region,)
        large = [item.name for item in self.ram if item.span.size >= needed]
        if region is not None and region in large:
            fast = any(word in region.upper() for word in _FAST)
            if fast or region in (self.main, large[0]):
                return (region,)
        if self.main is not None and self.main in large:
            return (self.main,)
        large += [item.name for item in self.outside if item.span.size >= needed]
        return tuple(large[:1])


def memories(inspection: Inspection) -> Memories:
    """Return the image's memories; the kind of a region that nothing states is guessed."""
    kinds: dict[str, str] = {}
    guessed: dict[str, str] = {}
    for region in inspection.regions:
        kind = inspection.kind(region.name)
        if kind is None:
            kind = _by_content(inspection, region)
            guessed |= {region.name: kind} if kind else {}
        kinds[region.name] = kind or ""
    ram = {name for name, kind in kinds.items() if kind == "sram"}
    by_size = sorted(inspection.regions, key=lambda region: -region.span.size)
    return Memories(
        flash=tuple(region for region in by_size if kinds[region.name] in FLASH_KINDS),
        ram=tuple(region for region in by_size if region.name in ram),
        main=_main(inspection, ram),
        guessed=guessed,
        outside=tuple(region for region in by_size if kinds[region.name] == "psram"),
    )


def _main(inspection: Inspection, ram: set[str]) -> str | None:
    """Return the RAM of ``.data``, else of ``.bss``: what the script means by RAM.

    Where no section has just that name, one whose name ends so counts: ``.dram0.data``.
    """
    running = [
        (item.section.name, item.region.name)
        for item in inspection.placements
        if item.role is Role.RUN and item.region and item.region.name in ram and item.span.size
    ]
    for name in (".data", ".bss"):
        found = [region for section, region in running if section == name]
        if found:
            return found[0]
    ends = [region for section, region in running if section.endswith((".data", ".bss"))]
    return ends[0] if ends else None


def _by_content(inspection: Inspection, region: Region) -> str | None:
    """Return what a region must be by its name or what lies in it: only RAM is not stored."""
    if says_ram(region.name):  # .iram1 in iram1_0_seg is only read, in RAM
        return "sram"
    usage = inspection.usage(region.name)
    running = [item.section for item in usage.placements if item.role is Role.RUN] if usage else []
    if any(not section.has_contents or section.lma != section.vma for section in running):
        return "sram"
    if running and not any(section.writable for section in running):
        return "flash"
    return None
