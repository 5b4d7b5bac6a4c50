"""What a GNU ld link map says, as records.

Rows (input sections, symbols) are columns: arrays that hand out a frozen record when asked.
A row's identity is its ordinal, never its name: one map may print a name many times. Line
numbers are 1-based and derive from byte offsets. Names are ``str`` decoded as UTF-8 with
``surrogateescape``; only reports make them printable.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol


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
    Pseudo files (``linker stubs``) have a path and no archive.
    """

    path: str
    archive: str | None


@dataclass(frozen=True, slots=True)
class MapSection:
    """An output section as the map prints it.

    ``vma`` and ``size`` are None for a name without numbers (a section ld dropped);
    ``lma`` equals ``vma`` unless the map prints a load address. ``ordinal`` is its place in
    ``LinkMap.sections``.
    """

    ordinal: int
    name: str
    vma: int | None
    size: int | None
    lma: int | None
    line: int


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


@dataclass(frozen=True, slots=True)
class LinkMap:
    """A GNU ld map, read to its last line.

    ``regions`` is the memory table as printed, ``sections`` every output section in print
    order, ``unknown`` the lines no rule claims; ``complete`` is False when the file ends before
    ld's own end marks. ``line_count`` counts all lines of the file.
    """

    path: str
    regions: tuple[MapRegion, ...]
    sections: tuple[MapSection, ...]
    inputs: InputRows
    members: tuple[ArchiveMember, ...]
    unknown: tuple[UnknownLine, ...]
    line_count: int
    output_format: str | None
