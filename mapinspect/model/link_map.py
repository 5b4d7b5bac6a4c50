"""What a GNU ld link map says, as records.

Rows (input sections, symbols) are columns or are read on demand: they hand out a frozen record
when asked for one. A row's identity is its ordinal, never its name: one map may print a name many
times. Line numbers are 1-based and derive from byte offsets. Names are ``str`` decoded as UTF-8
with ``surrogateescape``; only reports make them printable. Addresses are as printed: a map of
ld 2.39 or older sign-extends those of some 32-bit targets to 64 bits.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

REGION_ROW: Final = "row of the memory table"
"""How ``missing`` names a region that may be lost."""


@dataclass(frozen=True, slots=True)
class MapRegion:
    """A row of the memory table, as printed; ``*default*`` is a row like the others."""

    name: str
    origin: int
    length: int
    attributes: str
    line: int


@dataclass(frozen=True, slots=True)
class ObjectFile:
    """An object file and the archive it came from, if any.

    ``path`` is what the map prints for a plain object, the member's name for an archive member.
    Pseudo files (``linker stubs``) have a path and no archive. The temporary objects of link-time
    optimisation have a stable path, ``ltrans0.ltrans.o``, without the random folder and prefix.
    """

    path: str
    archive: str | None


@dataclass(frozen=True, slots=True)
class MapSection:
    """An output section as the map prints it.

    ``vma`` and ``size`` are None for a name without numbers (a section ld dropped);
    ``lma`` equals ``vma`` unless the map prints a load address. ``ordinal`` is its place in
    ``LinkMap.sections``. ``is_orphan`` says that the linker script has no statement for it: ld
    placed it because an object brought it along (or made it itself).
    """

    ordinal: int
    name: str
    vma: int | None
    size: int | None
    lma: int | None
    line: int
    is_orphan: bool = False


@dataclass(frozen=True, slots=True)
class InputSection:
    """The piece of an output section that one object contributed, or that ld created.

    ``size`` is the size printed; for merged strings that is not what it occupies
    (``occupied`` is). ``section`` is the ordinal of its output section.
    """

    ordinal: int
    name: str
    address: int
    size: int
    occupied: int
    owner: ObjectFile
    section: int
    line: int


@dataclass(frozen=True, slots=True)
class UnknownLine:
    """A line no rule of the grammar accepts; ``text`` is the whole line."""

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class ArchiveMember:
    """Why an archive member was linked; ``requester`` is None for ``-u`` and its like."""

    member: ObjectFile
    requester: str | None
    symbol: str
    line: int


@dataclass(frozen=True, slots=True)
class Fill:
    """Padding that ld inserted; ``pattern`` is its bytes in hexadecimal, empty for zeros.

    ``section`` is the ordinal of its output section.
    """

    address: int
    size: int
    pattern: str
    section: int
    line: int


@dataclass(frozen=True, slots=True)
class DataStatement:
    """Bytes that the linker script wrote: ``keyword`` is BYTE, SHORT, LONG, QUAD, SQUAD or RELOC.

    ``text`` is what follows the keyword: the value, and its expression if it is no constant.
    """

    address: int
    size: int
    keyword: str
    text: str
    section: int
    line: int


@dataclass(frozen=True, slots=True)
class MapSymbol:
    """A symbol printed below its input section; maps give no sizes. Thumb bits are not set."""

    name: str
    address: int
    is_local: bool
    section: int
    line: int


@dataclass(frozen=True, slots=True)
class Assignment:
    """An assignment, PROVIDE or ASSERT of the linker script, in print order.

    ``symbol`` is the name assigned to, ``.`` for the location counter and empty for an ASSERT.
    ``value`` is the final value printed, None where ld prints none: a PROVIDE that nobody used,
    an expression that it could not evaluate. The text does not say whether an assignment stands
    inside an output section.
    """

    symbol: str
    value: int | None
    expression: str
    provided: bool
    line: int


@dataclass(frozen=True, slots=True)
class DiscardedSection:
    """An input section that did not get into the image; ``size`` is its full size in bytes."""

    name: str
    size: int
    owner: ObjectFile
    line: int


@dataclass(frozen=True, slots=True)
class CommonSymbol:
    """A row of the table of common symbols; its bytes also lie in a COMMON input section."""

    name: str
    size: int
    owner: ObjectFile
    line: int


@dataclass(frozen=True, slots=True)
class CrossReference:
    """A symbol and the files that define or use it; the definer, if there is one, comes first."""

    symbol: str
    files: tuple[str, ...]
    line: int


@dataclass(frozen=True, slots=True)
class SectionTotals:
    """What the map prints inside one output section, in bytes.

    ``inputs`` adds up what the input sections occupy, ``printed`` their sizes as printed: more,
    where strings or attributes were merged. ``unprinted`` is what ld puts there by rule without
    printing a line: the alignment of its stubs, attributes that it writes anew.
    """

    printed: int
    inputs: int
    fills: int
    data: int
    unprinted: int

    @property
    def found(self) -> int:
        """Return the bytes that the lines of the section explain."""
        return self.inputs + self.fills + self.data + self.unprinted


class InputRows(Protocol):
    """The input sections of a map, in print order."""

    def __len__(self) -> int:
        """Return how many rows there are."""
        ...

    def __getitem__(self, ordinal: int) -> InputSection:
        """Return one row."""
        ...

    def of_section(self, section: int) -> Iterator[InputSection]:
        """Yield the rows of one output section, by its ordinal, in address order."""
        ...

    def extents(self, section: int) -> tuple[Sequence[int], Sequence[int]]:
        """Return the columns of addresses and occupied bytes of one section, in print order."""
        ...

    def totals(self, section: int) -> SectionTotals:
        """Return the sums of one output section, by its ordinal."""
        ...

    def occupied_by_owner(self, sections: Iterable[int]) -> dict[ObjectFile, int]:
        """Return the bytes that each object occupies in the given output sections."""
        ...


@dataclass(frozen=True, slots=True)
class LinkMap:
    """A GNU ld map, read to its last line.

    ``regions`` is the memory table as printed, ``sections`` every output section in print
    order, ``unknown`` the lines no rule claims. ``missing`` says what of a whole map is not there
    (ld's ``OUTPUT(...)`` line, the end of the last line). ``line_count`` counts all lines of the
    file. ``members`` says why each archive member was linked, ``needed`` the same for as-needed
    shared libraries. ``loaded`` names the files ld opened. ``output_file`` and ``output_format``
    are of the ``OUTPUT(...)`` line. ``discarded_sizes`` holds the sizes of ``discarded`` alone:
    they are added up far more often than a record is looked at.
    """

    path: str
    regions: tuple[MapRegion, ...]
    sections: tuple[MapSection, ...]
    inputs: InputRows
    members: tuple[ArchiveMember, ...]
    unknown: tuple[UnknownLine, ...]
    line_count: int
    output_format: str | None
    output_file: str | None = None
    missing: tuple[str, ...] = ()
    needed: tuple[ArchiveMember, ...] = ()
    loaded: tuple[str, ...] = ()
    fills: Sequence[Fill] = ()
    data: Sequence[DataStatement] = ()
    symbols: Sequence[MapSymbol] = ()
    assignments: Sequence[Assignment] = ()
    discarded: Sequence[DiscardedSection] = ()
    discarded_sizes: Sequence[int] = ()
    commons: Sequence[CommonSymbol] = ()
    cross_references: Sequence[CrossReference] = ()

    @property
    def complete(self) -> bool:
        """Return whether every line is understood and nothing of a whole map is missing."""
        return not self.unknown and not self.missing

    @property
    def lacks_regions(self) -> bool:
        """Return whether the memory table may have had more regions than were read."""
        return any(REGION_ROW in what for what in self.missing)

    def script_values(self) -> dict[str, int]:
        """Return the value of each symbol that the linker script assigns, by name.

        A symbol assigned more than once has one value: ld prints the final one every time.
        """
        return {
            assignment.symbol: assignment.value
            for assignment in self.assignments
            if assignment.value is not None and assignment.symbol not in ("", ".")
        }
