"""Each section's load address, from segments that agree with the sections they hold.

Whether the addresses suit the memory is no question of this file: sections may share run-time
addresses (overlays), load addresses, or leave their region.
"""

from bisect import insort
from collections.abc import Sequence
from dataclasses import dataclass, field

from mapinspect.readers.elf_damage import DamageError
from mapinspect.readers.elf_tables import (
    SHF_ALLOC,
    SHF_TLS,
    SectionRow,
    SegmentRow,
    Tables,
)

PAIR_LIMIT = 1 << 22  # sections times segments; an image has some hundred


@dataclass(slots=True)
class _Load:
    """A PT_LOAD and the sections that explain its bytes."""

    segment: SegmentRow
    stored: list[SectionRow] = field(default_factory=list)
    zeroed: list[SectionRow] = field(default_factory=list)


def load_addresses(tables: Tables) -> list[int]:
    """Return each section's load address; raises DamageError where segments disagree with them."""
    sections, segments = tables.sections, tables.segments
    addresses = [section.vma for section in sections]
    if tables.header.kind == "REL":
        return addresses
    loads = [_Load(segment) for segment in segments if segment.kind == "LOAD"]
    if len(loads) * len(sections) > PAIR_LIMIT:
        raise DamageError(
            f"{len(sections)} sections in {len(loads)} segments are more than mapinspect reads",
            "name the linked firmware",
        )
    for section in sections[1:]:
        _note_stored(section, loads)
    with_lma = _load_addresses_known(segments)
    for section in sections[1:]:
        holder = _holder(tables, section, loads)
        if holder is not None and with_lma:
            addresses[section.ordinal] = _load_address(section, holder)
    for load in loads:
        _check_explained(tables, load)
    return addresses


def _load_addresses_known(segments: Sequence[SegmentRow]) -> bool:
    """Return whether p_paddr means something.

    Some linkers leave it 0 everywhere. Like binutils (bfd/elf.c), take that for "loaded where
    it runs" when there is more than one PT_LOAD.
    """
    if any(segment.lma for segment in segments):
        return True
    return sum(segment.kind == "LOAD" and segment.memory_size > 0 for segment in segments) < 2


def _load_address(section: SectionRow, segment: SegmentRow) -> int:
    if section.has_contents and section.size:
        return segment.lma + section.offset - segment.offset
    return segment.lma + section.vma - segment.vma


def _note_stored(section: SectionRow, loads: list[_Load]) -> None:
    """Note a section with contents at every PT_LOAD whose file bytes hold it, in file order."""
    if not (section.says(SHF_ALLOC) and section.has_contents and section.size):
        return
    for load in loads:
        if load.segment.offset <= section.offset and section.file_end <= load.segment.file_end:
            insort(load.stored, section, key=lambda each: each.offset)


def _holder(tables: Tables, section: SectionRow, loads: list[_Load]) -> SegmentRow | None:
    """Return the segment that places the section, None where none does."""
    if not section.says(SHF_ALLOC):
        _check_not_loaded(section, loads)
        return None
    if section.says(SHF_TLS) and section.kind == "NOBITS":
        return _around([each for each in tables.segments if each.kind == "TLS"], section)
    if not section.size:
        return _around([load.segment for load in loads], section)
    return (
        _stored(section, loads) if section.has_contents else _zeroed(tables.content, section, loads)
    )


def _around(segments: Sequence[SegmentRow], section: SectionRow) -> SegmentRow | None:
    """Return the first segment whose run-time addresses hold the section, ends included."""
    inside = [each for each in segments if each.vma <= section.vma and section.end <= each.end]
    at_offset = [each for each in inside if section.offset - each.offset == section.vma - each.vma]
    return next(iter(at_offset or inside), None)


def _check_not_loaded(section: SectionRow, loads: list[_Load]) -> None:
    for load in loads:
        segment = load.segment
        in_file = (
            section.has_contents
            and section.size
            and segment.file_end > segment.offset
            and segment.offset < section.file_end
            and section.offset < segment.file_end
        )
        in_memory = (
            section.kind == "NOBITS"
            and section.vma
            and segment.vma < section.end
            and section.vma < segment.end
        )
        if in_file or in_memory:
            raise DamageError(
                f"{section} is not allocated but lies in loaded segment {segment.ordinal}"
            )


def _stored(section: SectionRow, loads: list[_Load]) -> SegmentRow:
    """Return the PT_LOAD that holds the section's file bytes.

    GNU ld, lld and gold place a section at the same distance from its segment's start in file
    and memory. armlink writes one PT_LOAD per load region: its RAM sections lie outside every
    segment's addresses, behind the read-only ones in the file.
    """
    holders = [load for load in loads if section in load.stored]
    if not holders:
        raise DamageError(f"no segment loads {section}: where it is stored cannot be told")
    straight = [load.segment for load in holders if _in_step(section, load.segment)]
    if straight:
        return straight[0]
    apart = all(
        section.end <= load.segment.vma or load.segment.end <= section.vma for load in loads
    )
    for load in holders:
        first_in_step = _in_step(load.stored[0], load.segment)
        if apart and first_in_step and load.segment.vma == load.segment.lma:
            return load.segment
    segment = holders[0].segment
    expected = segment.vma + section.offset - segment.offset
    raise DamageError(
        f"{section} is at {section.vma:#x} in its header and at {expected:#x} in segment "
        f"{segment.ordinal}"
    )


def _in_step(section: SectionRow, segment: SegmentRow) -> bool:
    return section.vma - segment.vma == section.offset - segment.offset


def _zeroed(content: bytes, section: SectionRow, loads: list[_Load]) -> SegmentRow | None:
    """Return the PT_LOAD whose addresses hold the section, if any does.

    Overlays share addresses: a segment with file bytes there is another section's.
    """
    touching = [
        load for load in loads if load.segment.vma < section.end and section.vma < load.segment.end
    ]
    holders = [load for load in touching if _leaves_room(content, section, load)]
    if touching and not holders:
        ordinal = touching[0].segment.ordinal
        raise DamageError(
            f"{section} has no file contents, but segment {ordinal} disagrees: it stores bytes "
            f"there or ends before {section.end:#x}"
        )
    for load in holders:
        load.zeroed.append(section)
    return holders[0].segment if holders else None


def _leaves_room(content: bytes, section: SectionRow, load: _Load) -> bool:
    """Return whether a segment that shares addresses with the section holds it as zeros.

    They follow the segment's file bytes; ld writes the zeros out where a section with contents
    comes behind them in the same segment.
    """
    segment = load.segment
    if not (segment.vma <= section.vma and section.end <= segment.end):
        return False
    start = segment.offset + section.vma - segment.vma
    if start >= segment.file_end:
        return True
    followed = bool(load.stored) and load.stored[-1].offset >= start + section.size
    return followed and not any(content[start : start + section.size])


def _check_explained(tables: Tables, load: _Load) -> None:
    """Raise DamageError where a PT_LOAD has bytes that no allocated section explains."""
    segment = load.segment
    if segment.file_size:
        _check_file_bytes(tables, load)
    if segment.memory_size == segment.file_size:
        return
    if any(not _in_step(section, segment) for section in load.stored):
        return  # armlink counts the zeroed RAM that it places elsewhere
    last = segment.vma + segment.file_size
    alignment = max((each.alignment for each in (*load.stored, *load.zeroed)), default=0)
    if load.zeroed:
        last = max(section.end for section in load.zeroed)
        first = min(section.vma for section in load.zeroed)
        if not load.stored and first - segment.vma >= max(alignment, 1):
            _refuse_unexplained(segment, first - segment.vma, segment.vma)
    if segment.end - last >= max(alignment, 1):
        _refuse_unexplained(segment, segment.end - last, last)


def _check_file_bytes(tables: Tables, load: _Load) -> None:
    header, segment = tables.header, load.segment
    spans = [
        *((start, end, 1) for _, start, end in header.spans()),
        *((each.offset, each.file_end, each.alignment) for each in load.stored),
        (segment.file_end, segment.file_end, 1),
    ]
    at = segment.offset
    for start, end, alignment in sorted(spans):
        if end < segment.offset or start > segment.file_end:
            continue
        if start - at >= max(alignment, 1) and not _is_fill(tables.content[at:start]):
            _refuse_unexplained(segment, start - at, segment.vma + at - segment.offset)
        at = max(at, end)


def _is_fill(gap: bytes) -> bool:
    """Return whether bytes between sections repeat one pattern of up to 4, as linkers fill."""
    return gap[4:] == gap[:-4]


def _refuse_unexplained(segment: SegmentRow, size: int, address: int) -> None:
    raise DamageError(
        f"segment {segment.ordinal} loads {size} bytes at {address:#x} that no allocated "
        f"section explains"
    )
