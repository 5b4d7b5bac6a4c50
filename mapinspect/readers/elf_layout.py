"""Each section's load address, from segments that agree with the sections they hold.

Whether the addresses suit the memory is no question of this file: sections may share run-time
addresses (overlays), load addresses, or leave their region.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from mapinspect.readers.elf_damage import DamageError
from mapinspect.readers.elf_tables import (
    SHF_ALLOC,
    SHF_TLS,
    SectionRow,
    SegmentRow,
    Tables,
)

PF_ARM_ENTRY = 0x8000_0000  # armlink marks the segment with the entry point
PAIR_LIMIT = 1 << 20  # sections times segments; an image has some hundred


@dataclass(slots=True)
class _Load:
    """A PT_LOAD and the allocated sections that explain its bytes, each kind in file order."""

    segment: SegmentRow
    stored: list[SectionRow] = field(default_factory=list)
    zeroed: list[SectionRow] = field(default_factory=list)
    alone: list[SectionRow] = field(default_factory=list)  # zeroed, and in no other segment
    empty: list[SectionRow] = field(default_factory=list)
    contents_end: int = 0  # the highest address at which contents start, empty ones included


def load_addresses(tables: Tables) -> list[int]:
    """Return each section's load address; raises DamageError where segments disagree with them."""
    sections, segments = tables.sections, tables.segments
    addresses = [section.vma for section in sections]
    if tables.header.kind == "REL":
        return addresses
    loads = [_Load(segment) for segment in segments if segment.kind == "LOAD"]
    if len(segments) * len(sections) > PAIR_LIMIT:
        raise DamageError(
            f"{len(sections)} sections in {len(segments)} segments are more than mapinspect reads",
            "name the linked firmware",
        )
    for section in sorted(sections[1:], key=lambda each: each.offset):
        _note(section, loads)
    holders = {section.ordinal: load for load in loads for section in load.stored}
    with_lma = _load_addresses_known(segments)
    for section in sections[1:]:
        holder = _holder(tables, section, loads, holders)
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


def _note(section: SectionRow, loads: list[_Load]) -> None:
    """Note a section with contents, or an empty one, at the PT_LOAD that holds it."""
    if not section.says(SHF_ALLOC):
        return
    for load in loads:
        segment = load.segment
        in_file = segment.offset <= section.offset <= section.file_end <= segment.file_end
        if section.size and section.has_contents and in_file:
            load.stored.append(section)
        elif not section.size and segment.vma <= section.vma <= segment.end:
            load.empty.append(section)
        else:
            continue
        if section.has_contents:
            load.contents_end = max(load.contents_end, section.vma)


def _holder(
    tables: Tables, section: SectionRow, loads: list[_Load], holders: dict[int, _Load]
) -> SegmentRow | None:
    """Return the segment that places the section, None where none does."""
    if not section.says(SHF_ALLOC):
        _check_not_loaded(section, loads)
        return None
    if section.says(SHF_TLS) and section.kind == "NOBITS":
        return _around([each for each in tables.segments if each.kind == "TLS"], section)
    if not section.size:
        return _around([load.segment for load in loads], section)
    if not section.has_contents:
        return _zeroed(section, loads)
    if section.ordinal not in holders:
        raise DamageError(f"no segment loads {section}: where it is stored cannot be told")
    return _stored(section, holders[section.ordinal], loads)


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


def _stored(section: SectionRow, holder: _Load, loads: list[_Load]) -> SegmentRow:
    """Return the segment of the section's file bytes, once it agrees with the section.

    GNU ld, lld, gold and mold place a section at the same distance from its segment's start in
    file and memory. armlink writes one PT_LOAD per load region, at its load address: sections
    that run elsewhere lie outside every segment's addresses, mostly behind one that does not.
    """
    segment = holder.segment
    if _in_step(section, segment):
        return segment
    apart = all(
        section.end <= load.segment.vma or load.segment.end <= section.vma for load in loads
    )
    load_region = _in_step(holder.stored[0], segment) or any(
        load.segment.flags & PF_ARM_ENTRY for load in loads
    )
    if apart and load_region and segment.vma == segment.lma:
        return segment
    raise DamageError(
        f"{section} is at {section.vma:#x} in its header and at "
        f"{segment.vma + section.offset - segment.offset:#x} in segment {segment.ordinal}"
    )


def _in_step(section: SectionRow, segment: SegmentRow) -> bool:
    return section.vma - segment.vma == section.offset - segment.offset


def _zeroed(section: SectionRow, loads: list[_Load]) -> SegmentRow | None:
    """Return the PT_LOAD whose addresses hold the section, if any does.

    Overlays share addresses: a segment with file bytes there is another section's.
    """
    touching = [
        load for load in loads if load.segment.vma < section.end and section.vma < load.segment.end
    ]
    holders = [load for load in touching if _leaves_room(section, load)]
    if touching and not holders:
        ordinal = touching[0].segment.ordinal
        raise DamageError(
            f"{section} has no file contents, but segment {ordinal} disagrees: it stores bytes "
            f"there or ends before {section.end:#x}"
        )
    for load in holders:
        load.zeroed.append(section)
    if len(holders) == 1:
        holders[0].alone.append(section)
    return holders[0].segment if holders else None


def _leaves_room(section: SectionRow, load: _Load) -> bool:
    """Return whether a segment that shares addresses with the section holds it as zeros.

    They follow the segment's file bytes; ld and lld write the zeros out where a section with
    contents, be it an empty one, comes behind them in the same segment.
    """
    segment = load.segment
    if not (segment.vma <= section.vma and section.end <= segment.end):
        return False
    start = segment.offset + section.vma - segment.vma
    if start >= segment.file_end:
        return True
    return load.contents_end >= section.end


def _check_explained(tables: Tables, load: _Load) -> None:
    """Raise DamageError where a PT_LOAD has bytes that no allocated section explains."""
    segment = load.segment
    for before, after in pairwise(sorted(load.alone, key=lambda each: each.vma)):
        if before.end > after.vma:
            raise DamageError(
                f"{before} and {after} share {before.end - after.vma} bytes of segment "
                f"{segment.ordinal}"
            )
    if segment.file_size:
        _check_file_bytes(tables, load)
    if segment.memory_size == segment.file_size:
        return
    if any(not _in_step(section, segment) for section in load.stored):
        return  # armlink counts the zeroed RAM that it places elsewhere
    known = [*load.stored, *load.zeroed, *load.empty]
    alignment = max((each.alignment for each in known), default=1)
    ends = [each.end for each in (*load.zeroed, *load.empty)]
    last = max([*ends, segment.vma + segment.file_size])
    first = min((each.vma for each in load.zeroed), default=segment.vma)
    if not load.stored and first - segment.vma >= alignment and not _begins_with_headers(load):
        _refuse_unexplained(segment, first - segment.vma, segment.vma)
    if segment.end - last >= alignment:
        _refuse_unexplained(segment, segment.end - last, last)


def _begins_with_headers(load: _Load) -> bool:
    """Return whether a segment of zeros begins with the ELF header, in step with its sections.

    ld rounds a segment down to a page, also one of ``.bss`` alone; where the headers of the file
    fit in before it, they become its file bytes.
    """
    segment = load.segment
    return (
        segment.offset == 0
        and segment.file_size > 0
        and bool(load.zeroed)
        and all(_in_step(section, segment) for section in load.zeroed)
    )


def _check_file_bytes(tables: Tables, load: _Load) -> None:
    """Walk the segment's file bytes once: contents, zeros written out, fill, header tables."""
    content, segment = tables.content, load.segment
    step = segment.offset - segment.vma
    spans = [
        *((start, end, 1, False) for _, start, end in tables.header.spans()),
        *((each.offset, each.file_end, each.alignment, False) for each in load.stored),
        *((each.vma + step, each.end + step, each.alignment, True) for each in load.zeroed),
        (segment.file_end, segment.file_end, 1, False),
    ]
    at = segment.offset
    for start, end, alignment, zeros in sorted(spans):
        if (
            end < segment.offset
            or start > segment.file_end
            or (zeros and start == segment.file_end)
        ):
            continue
        if start - at >= max(alignment, 1) and not _is_fill(content[at:start]):
            _refuse_unexplained(segment, start - at, segment.vma + at - segment.offset)
        if zeros and (start < at or content.count(0, start, end) != end - start):
            raise DamageError(
                f"a section without file contents lies over {end - start} stored bytes of "
                f"segment {segment.ordinal}"
            )
        at = max(at, end)


def _is_fill(gap: bytes) -> bool:
    """Return whether bytes between sections are what linkers fill gaps with.

    Zeros, erased Flash, or a pattern of up to 4 bytes that is seen to repeat.
    """
    blank = gap.count(gap[:1]) == len(gap) and gap[0] in (0x00, 0xFF)
    return blank or (len(gap) >= 8 and gap[4:] == gap[:-4])


def _refuse_unexplained(segment: SegmentRow, size: int, address: int) -> None:
    raise DamageError(
        f"segment {segment.ordinal} loads {size} bytes at {address:#x} that no allocated "
        f"section explains"
    )
