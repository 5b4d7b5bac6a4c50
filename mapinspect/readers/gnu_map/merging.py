"""What merged input sections occupy: for them, the size a map prints is not a size.

ld merges equal strings and constants of all inputs, and writes attributes and some debug tables
anew. Depending on its version the map then prints an input's own size, its original size, or the
size of the whole group; only the addresses tell what is really there. (Observed with ld 2.32,
2.35, 2.38, 2.40, 2.44 and 2.47, which differ among each other.)
"""

from collections.abc import Sequence
from typing import NamedTuple

from mapinspect.model.link_map import MapSection

# Suffixes that gcc and clang give to sections of mergeable contents, before a digit: string
# literals (".rodata.str1.4") and constants (".rodata.cst8").
_MERGEABLE_PARTS = (".str", ".cst")
_MERGEABLE_NAMES = frozenset(
    {".comment", ".debug_str", ".debug_line_str", ".GCC.command.line", ".stabstr"}
)
# ld writes one such section for all inputs: bfd/elf-attrs.c, bfd/elf-properties.c,
# bfd/elfxx-mips.c (.reginfo, .MIPS.abiflags), bfd/ecofflink.c (.mdebug).
_REWRITTEN_NAMES = frozenset(
    {
        ".ARM.attributes",
        ".MIPS.abiflags",
        ".gnu.attributes",
        ".mdebug",
        ".note.gnu.property",
        ".reginfo",
        ".riscv.attributes",
    }
)
_STUB_ALIGNMENT = 16  # bytes; no stub section of ld is aligned to more


class Line(NamedTuple):
    """A line that takes up bytes: an input section by ``name``, or a fill or data statement.

    ``is_input`` marks input sections, ``is_stub`` those that ld made itself.
    """

    address: int
    size: int
    name: str = ""
    is_input: bool = False
    is_stub: bool = False


def occupied_bytes(section: MapSection, lines: Sequence[Line]) -> tuple[list[int], int]:
    """Return the bytes that each input section occupies, and those that no line explains by rule.

    Only for a section whose printed sizes do not add up or whose inputs do not all lie inside it;
    ``lines`` are its lines in print order. An input that cannot be merged keeps its size, unless
    it lies outside: then the sum must not fit. One that can be merged occupies at most what lies
    between it and the next line, and nothing where ld left it out (an address before its
    neighbours'). ld aligns its stubs without printing a fill, and says nothing about what it
    writes anew.
    """
    start = section.vma or 0
    end = start + (section.size or 0)
    lasting = [number for number, line in enumerate(lines) if line.size]
    ends = _room_ends([lines[number] for number in lasting], start, end)
    room = dict(zip(lasting, ends, strict=True))
    occupied: list[int] = []
    outside: list[int] = []
    for number, line in enumerate(lines):
        if not line.is_input:
            continue
        size = line.size
        if is_mergeable(line.name) and number in room:
            size = min(size, max(0, room[number] - line.address))
        elif not start <= line.address <= end - size:
            outside.append(len(occupied))
        occupied.append(size)
    unprinted = _unprinted(section, [lines[number] for number in lasting], ends, occupied)
    others = sum(line.size for line in lines if not line.is_input)
    if sum(occupied) + others + unprinted == section.size:
        for number in outside:  # the sum fits, but with bytes of another place
            occupied[number] = 0
    return occupied, unprinted


def is_mergeable(name: str) -> bool:
    """Return whether ld may have merged the contents of an input section of this name."""
    if name in _MERGEABLE_NAMES or name in _REWRITTEN_NAMES:
        return True
    return any(
        name[at + len(part) : at + len(part) + 1].isdigit()
        for part in _MERGEABLE_PARTS
        if (at := name.rfind(part)) >= 0
    )


def _room_ends(lines: Sequence[Line], start: int, end: int) -> list[int]:
    """Return, per line, the address where the next one begins; 0 for merged ones left outside."""
    ends = [0] * len(lines)
    highest, previous = start, -1
    for number, line in enumerate(lines):
        if is_mergeable(line.name) and not highest <= line.address <= end:
            continue
        if previous >= 0:
            ends[previous] = min(line.address, end)
        highest, previous = line.address, number
    if previous >= 0:
        ends[previous] = end
    return ends


def _unprinted(
    section: MapSection, lines: Sequence[Line], ends: Sequence[int], occupied: Sequence[int]
) -> int:
    """Return the bytes that no line explains although nothing is wrong."""
    if section.name in _REWRITTEN_NAMES and lines and all(map(_is_rewritten, lines)):
        return max(0, (section.size or 0) - sum(occupied))
    total = 0
    for number, line in enumerate(lines):
        gap = ends[number] - line.address - line.size
        beside_stub = line.is_stub or (number + 1 < len(lines) and lines[number + 1].is_stub)
        if beside_stub and 0 < gap < _STUB_ALIGNMENT:
            total += gap
    return total


def _is_rewritten(line: Line) -> bool:
    return line.name in _REWRITTEN_NAMES
