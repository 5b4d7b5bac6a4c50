"""Who owns the bytes of a region: one row for each run of bytes, none left over.

Sizes are bytes, addresses integers.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from mapinspect.model.image import Role, Span
from mapinspect.model.link_map import ObjectFile


class OwnerKind(Enum):
    """What put bytes where they are."""

    INPUT = "input section"  # an object brought them
    MERGED = "merged"  # strings or constants, shared by the objects that brought them
    STUB = "stub"  # veneers and other code that ld wrote itself
    LINKER = "linker-created"  # tables that ld wrote; the map names an object all the same
    DATA = "data statement"  # BYTE, LONG and the like in the linker script
    FILL = "fill"  # what ld filled inside a section, by alignment or by `. = …`
    RESERVED = "stack or heap"  # a fill that the script keeps for one
    SECTION = "section"  # a section of which no map says what is in it
    UNEXPLAINED = "unexplained"  # the map's rows leave a hole: they do not add up
    PADDING = "padding"  # between sections, by the second one's alignment
    GAP = "gap"  # between sections otherwise, or before the first


@dataclass(frozen=True, slots=True)
class OwnerRow:
    """A run of bytes of one region with its one owner.

    ``span`` is where they lie in ``region``: for the LOAD role where they are stored. ``section``
    and ``name`` are the output section and the input section, empty between sections. ``owner``
    is the object that the map names, None where it names none. ``line`` is the map's.
    """

    kind: OwnerKind
    region: str
    role: Role
    span: Span
    section: str
    name: str
    owner: ObjectFile | None
    line: int | None


@dataclass(frozen=True, slots=True)
class OwnerTotal:
    """The bytes of one owner, in all and per region.

    ``owner`` is None for what no object brought; ``kind`` then says what it is. ``mixed`` marks
    an object that link-time optimisation made of several: which source its bytes come from, only
    its symbols tell.
    """

    kind: OwnerKind
    owner: ObjectFile | None
    bytes: int
    regions: tuple[tuple[str, int], ...]
    mixed: bool


@dataclass(frozen=True, slots=True)
class OwnedSymbol:
    """A symbol with a size, and what it belongs to.

    ``names`` are all symbols of this span, the first one in the file first: aliases count once.
    ``owner`` is the object whose input section holds it, None without a map.
    """

    names: tuple[str, ...]
    span: Span
    kind: str
    section: str
    region: str | None
    load_region: str | None
    owner: ObjectFile | None


@dataclass(frozen=True, slots=True)
class Declarations:
    """Where the sources declare what link-time optimisation mixed, by debugging information.

    ``files`` are paths by run-time address, as the compiler spells them. ``fault`` says why there
    are none: the debugging information is absent, damaged or too large.
    """

    files: Mapping[int, str]
    fault: str | None = None
