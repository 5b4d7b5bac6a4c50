"""Where the bytes of an image lie: sections, their placements, what regions hold, found places.

Sizes are bytes, addresses integers.
"""

from dataclasses import dataclass

from mapinspect.model.image import Evidence, Region, Role, Span


@dataclass(frozen=True, slots=True)
class PlacedSection:
    """An allocated output section, from the ELF, or from the map where no ELF was given.

    ``lma`` equals ``vma`` where nothing is copied at start-up. A section without contents
    (``.bss``) costs nothing at its LMA, whatever load address a map prints. ``overlay`` marks a
    member of an OVERLAY, which may share run-time addresses with the members beside it;
    ``placeholder`` a section that holds nothing and only skips what another region's view of
    the same memory holds there. ``order`` is its place in the linker script, as far as known;
    sections of one place are in the order of their headers.
    """

    ordinal: int
    name: str
    size: int
    vma: int
    lma: int
    alignment: int
    has_contents: bool
    writable: bool
    executable: bool
    evidence: Evidence
    overlay: bool = False
    placeholder: bool = False
    order: int = 0


@dataclass(frozen=True, slots=True)
class Placement:
    """A section's bytes in one role; ``region`` is None where no region holds its first byte.

    ``overflows`` marks a section that ld placed past the end of its region: it starts where the
    previous section of that region ended, so its bytes count there. ``counted`` is False where
    ld does not count the bytes in the region: the script gave them an address and no region.
    """

    section: PlacedSection
    role: Role
    span: Span
    region: Region | None
    overflows: bool = False
    counted: bool = True


@dataclass(frozen=True, slots=True)
class Explained:
    """Bytes in which our use of a region differs from ld's: more than ld's where positive."""

    what: str
    bytes: int


@dataclass(frozen=True, slots=True)
class Usage:
    """What one region holds, in bytes.

    ``used`` is the extent from the origin to the last byte of any section in the region. It is
    the sum of ``occupied``, the bytes of sections, shared addresses once; ``padding``, bytes
    between sections that the next one's alignment explains; and ``gaps``, all other bytes
    between them. ``largest_free`` is the largest run of bytes that no section takes up, which may
    lie between sections. ``used`` minus what ``ld --print-memory-usage`` says is the sum of the
    rows of ``explained``: none on ordinary images. ``placements`` are in address order.
    ``otherwise`` is what the region holds if sections at addresses that it shares with another
    region were assigned the other way: neither map nor ELF tells.

    ``elastic`` are the bytes of the extent that only a heap or stack takes which is given whatever
    is left, ``elastic_occupied`` those of them that a section holds; ``reserved`` the bytes of
    stacks and heaps of a fixed size that lie outside the extent, where no section holds them;
    ``reserved_between`` those that lie inside it, between sections.
    """

    region: Region
    used: int
    occupied: int
    padding: int
    gaps: int
    largest_free: int
    explained: tuple[Explained, ...]
    placements: tuple[Placement, ...]
    otherwise: "Usage | None" = None
    elastic: int = 0
    elastic_occupied: int = 0
    reserved: int = 0
    reserved_between: int = 0

    @property
    def charged(self) -> int:
        """Return the bytes that count against limits: use and fixed reserves, nothing elastic."""
        return self.used - self.elastic + self.reserved

    @property
    def charged_occupied(self) -> int:
        """Return the same without padding and gaps: the bytes of sections and fixed reserves."""
        return self.occupied - self.elastic_occupied + self.reserved_between + self.reserved

    @property
    def free(self) -> int:
        """Return the bytes left past the extent; negative when the region overflows."""
        return self.region.span.size - self.used


@dataclass(frozen=True, slots=True)
class RegionLimit:
    """The most bytes a region may hold: the strictest of its length, its limit and the margin.

    ``measure`` says what is compared with it: the "extent" or the "occupied" bytes. ``rules``
    are all the limits that apply, the strictest first; ``warn_declared`` is the warning's line.
    """

    region: Region
    limit: int
    warn: int | None
    measure: str
    rules: tuple[Evidence, ...]
    warn_declared: Evidence | None = None

    def measured(self, usage: Usage) -> int:
        """Return the bytes of ``usage`` that count against the limit."""
        return usage.charged_occupied if self.measure == "occupied" else usage.charged


@dataclass(frozen=True, slots=True)
class Located:
    """Something with an address: a symbol, a section or a span found by its content.

    ``bank`` is the part's memory bank that holds all of it, where the part is known. ``most`` is
    set for a label without a size: the bytes it can mark at most, up to the next symbol;
    ``within_other`` says of such a label that a symbol with a size holds its first byte.
    """

    name: str
    span: Span
    lma: int
    section: PlacedSection
    region: str | None
    load_region: str | None
    evidence: Evidence
    bank: str | None = None
    most: int | None = None
    within_other: bool = False

    @property
    def reach(self) -> Span:
        """Return the bytes it has, or has at most where its size is not known."""
        return self.span if self.most is None else Span(self.span.start, self.most)

    @property
    def alignment(self) -> int:
        """Return the largest power of two that divides the address, at most 4096."""
        return min(self.span.start & -self.span.start or 4096, 4096)
