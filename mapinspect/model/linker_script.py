"""What a linker script says about memory: regions and their second names."""

from dataclasses import dataclass

from mapinspect.model.image import Evidence, Region


@dataclass(frozen=True, slots=True)
class RegionAlias:
    """``REGION_ALIAS(name, region)``: ``region`` is the region's own name, never another alias."""

    name: str
    region: str
    declared: Evidence


@dataclass(frozen=True, slots=True)
class LinkerScript:
    """The ``MEMORY`` blocks of a linker script and of what it includes, in order.

    ``files`` are the files read, the script first. ``assumptions`` are the questions that the
    script leaves to the build and that were answered with no, each with its line: a name that
    ``DEFINED()`` or ``#ifdef`` asks for and that is defined nowhere in these files. The map, or
    the script after the preprocessor, needs no such answers.
    """

    path: str
    regions: tuple[Region, ...]
    aliases: tuple[RegionAlias, ...]
    files: tuple[str, ...]
    assumptions: tuple[Evidence, ...]

    def region(self, name: str) -> Region | None:
        """Return the region that ``name`` or an alias of that name stands for."""
        own = {alias.name: alias.region for alias in self.aliases}.get(name, name)
        return next((region for region in self.regions if region.name == own), None)
