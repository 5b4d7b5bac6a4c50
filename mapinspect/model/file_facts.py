"""What map and ELF are, each by itself, and where they state different things."""

from dataclasses import dataclass

from mapinspect.model.conservation import Unconserved
from mapinspect.model.image import Evidence, Region
from mapinspect.model.placed import Usage


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A fact that map and ELF state differently: the map is not of this link."""

    subject: str
    message: str
    in_map: Evidence
    in_elf: Evidence


@dataclass(frozen=True, slots=True)
class MapFacts:
    """What the map says about itself; ``missing`` is what a whole map has and this one lacks.

    ``regions`` are those of its memory table, whatever the budget table makes of them;
    ``output_file`` is what the link wrote. ``shares_symbols`` is whether a symbol shows that it is
    of the ELF's link, not sections alone; ``lacks_regions`` that the table may have had more.
    """

    path: str
    line_count: int
    unknown: tuple[Evidence, ...]
    unconserved: tuple[Unconserved, ...]
    disagreements: tuple[Disagreement, ...]
    overflows: tuple[Usage, ...]  # regions that the map's own sections overflow
    sections: int
    missing: tuple[str, ...] = ()
    regions: tuple[Region, ...] = ()
    shares_symbols: bool = True
    output_file: str | None = None
    lacks_regions: bool = False


@dataclass(frozen=True, slots=True)
class ElfFacts:
    """What kind of ELF it is; ``stripped`` when it has no symbols, ``entry`` where it starts.

    ``bits`` is the width of its addresses.
    """

    path: str
    kind: str
    machine: str
    stripped: bool
    entry: int = 0
    bits: int = 32

    @property
    def target(self) -> str:
        """Return what the image was linked for, as reports name it: ``ARM 32``."""
        return f"{self.machine} {self.bits}"
