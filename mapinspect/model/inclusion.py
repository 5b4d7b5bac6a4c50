"""Why an object is in the image."""

from dataclasses import dataclass

from mapinspect.model.image import Evidence
from mapinspect.model.link_map import ObjectFile


@dataclass(frozen=True, slots=True)
class Reference:
    """A symbol for which ld included a member, and who asked for it.

    ``requester`` is the file as the map prints it; None where the command line or the script
    asked (``-u``, ``EXTERN``, ``--whole-archive``).
    """

    member: ObjectFile
    symbol: str
    requester: str | None
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class SymbolUse:
    """A symbol that the object defines, and the other files that refer to it."""

    symbol: str
    users: tuple[str, ...]
    line: int


@dataclass(frozen=True, slots=True)
class Inclusion:
    """Why one object is in the image.

    ``chain`` leads from the member to a file that was named to the linker, each step the first
    reference that ld met; it is empty where the object itself was named. ``uses`` are all
    references to it, where the map has a cross reference table. ``bytes`` is what its input
    sections take up at run time, as far as a map alone can tell.
    """

    object: ObjectFile
    chain: tuple[Reference, ...]
    uses: tuple[SymbolUse, ...]
    bytes: int
