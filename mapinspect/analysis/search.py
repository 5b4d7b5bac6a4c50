"""Bytes in an image: where a content lies among what is loaded, led there by its rarest part."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from mapinspect.analysis.locate import Surroundings
from mapinspect.model.elf_file import ElfFile, ElfSection
from mapinspect.model.embedded import loadable
from mapinspect.model.image import Evidence, Span
from mapinspect.model.inspection import Located

ANCHOR = 64  # bytes; long enough to be rare, short enough to find fast
RARE = 32  # different values among an anchor's bytes, from which on a hit is no accident
_SAMPLES = 256  # places of a content looked at for its anchor
_MISSES = 1000  # hits of an anchor elsewhere, after which the whole content is looked for
_CHUNK = 1 << 16


@dataclass(frozen=True, slots=True)
class Hit:
    """Where a content, or something much like it, lies: section, file offset, whether it is it."""

    section: ElfSection
    offset: int
    equal: bool

    @property
    def address(self) -> int:
        """Return the run-time address."""
        return self.section.vma + self.offset - self.section.offset

    @property
    def room(self) -> int:
        """Return the bytes from the hit to the end of its section."""
        return self.section.offset + self.section.size - self.offset


def anchor_of(content: bytes) -> int:
    """Return the offset of the 64 bytes with the most distinct values: the rarest to meet."""
    steps = range(0, max(1, len(content) - ANCHOR), max(ANCHOR, len(content) // _SAMPLES))
    return max(steps, key=lambda start: len(set(content[start : start + ANCHOR])))


def occurrences(
    elf: ElfFile, content: bytes, sections: Iterable[ElfSection] | None = None
) -> Iterator[Hit]:
    """Yield where ``content`` lies in the loadable bytes of an image, or of some sections of it.

    The hit of a rare anchor with other bytes around it is yielded too, as not equal: most likely
    a changed copy. No bytes are copied; each hit costs one comparison.
    """
    offset = anchor_of(content)
    rare = len(set(content[offset : offset + ANCHOR])) >= min(RARE, len(content))
    for section in loadable(elf) if sections is None else sections:
        for hit in _in_section(elf, content, offset, section):
            if hit.equal or rare:
                yield hit


def _in_section(elf: ElfFile, content: bytes, offset: int, section: ElfSection) -> Iterator[Hit]:
    image, begin, end = elf.content, section.offset, section.offset + section.size
    anchor, misses = content[offset : offset + ANCHOR], 0
    at = image.find(anchor, begin, end)
    while at >= 0:
        start = at - offset
        inside = begin <= start and start + len(content) <= end
        equal = inside and image.startswith(content, start)
        misses += not equal
        if misses > _MISSES:
            yield from _whole(image, content, max(start, begin), section)
            return
        if begin <= start:
            yield Hit(section, start, equal)
        at = image.find(anchor, at + 1, end)


def _whole(image: bytes, content: bytes, start: int, section: ElfSection) -> Iterator[Hit]:
    end = section.offset + section.size
    at = image.find(content, start, end)
    while at >= 0:
        yield Hit(section, at, equal=True)
        at = image.find(content, at + len(content), end)


def first_difference(one: bytes, two: bytes) -> int | None:
    """Return the offset of the first byte that differs; the shorter one's end counts as one."""
    shared = min(len(one), len(two))
    for start in range(0, shared, _CHUNK):
        left, right = one[start : start + _CHUNK], two[start : start + _CHUNK]
        if left != right:
            pairs = zip(left, right, strict=False)
            return next((start + n for n, (a, b) in enumerate(pairs) if a != b), shared)
    return None if len(one) == len(two) else shared


def stored_place(
    around: Surroundings, elf: ElfFile, hit: Hit, name: str | None, size: int
) -> Located:
    """Return the place of the stored bytes that a hit leads to.

    Named ``name``, else after the section.
    """
    section = next(item for item in around.sections if item.ordinal == hit.section.ordinal)
    shown = name or f"{section.name}+{hit.address - section.vma:#x}"
    evidence = Evidence(elf.path, None, f"{shown} at {hit.address:#010x}, {size} bytes")
    return around.inside(section, shown, Span(hit.address, size), evidence)
