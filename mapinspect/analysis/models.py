"""Model files against the image: where their bytes lie, and whether they are the same."""

from collections.abc import Iterator
from dataclasses import replace

from mapinspect.analysis.locate import Surroundings, symbols
from mapinspect.model.budget import ModelEntry
from mapinspect.model.elf_file import ElfFile
from mapinspect.model.image import Evidence, Span
from mapinspect.model.inspection import Located, ModelCopy, ModelFacts, PlacedSection

_ANCHOR = 64  # bytes; long enough to be rare, short enough to find fast
_PADDING = 16  # bytes that an aligned array may be longer than its file


def model_facts(around: Surroundings, entry: ModelEntry, content: bytes) -> ModelFacts:
    """Return every copy of a model in the image: by its symbol, and by its bytes anywhere."""
    if around.elf is None:
        return ModelFacts(entry, len(content), ())
    copies = [
        _compare(around.elf, place, content)
        for place in (symbols(around, entry.symbol) if entry.symbol else ())
    ]
    known = {copy.place.span.start for copy in copies}
    for place in _by_content(around, around.elf, content):
        if place.span.start not in known:
            known.add(place.span.start)
            copies.append(ModelCopy(place, True, None, "content"))
    return ModelFacts(entry, len(content), tuple(copies))


def _compare(elf: ElfFile, place: Located, content: bytes) -> ModelCopy:
    section = place.section
    if not section.has_contents:
        return ModelCopy(place, None, None, "symbol")
    stored = elf.contents(elf.sections[section.ordinal])
    start = place.span.start - section.vma
    # A symbol without a size (an assembler label, `ld -r -b binary`) says where the model starts,
    # not where it ends: then it is taken to be as long as its file.
    size = place.span.size or min(len(content), len(stored) - start)
    place = replace(place, span=Span(place.span.start, size))
    linked = bytes(stored[start : start + size])
    difference = _first_difference(linked, content)
    return ModelCopy(place, difference is None, difference, "symbol")


def _first_difference(linked: bytes, content: bytes) -> int | None:
    padding = linked[len(content) :]
    if linked[: len(content)] == content and len(padding) < _PADDING and not any(padding):
        return None
    shared = min(len(linked), len(content))
    return next((n for n in range(shared) if linked[n] != content[n]), shared)


def _by_content(around: Surroundings, elf: ElfFile, content: bytes) -> Iterator[Located]:
    offset = _anchor(content)
    for section in around.sections:
        if not section.has_contents or section.size < len(content):
            continue
        stored = bytes(elf.contents(elf.sections[section.ordinal]))
        for start in _find(stored, content, offset):
            yield _found(around, elf, section, start, len(content))


def _find(stored: bytes, content: bytes, offset: int) -> Iterator[int]:
    """Yield where ``content`` starts in ``stored``; its rare bytes at ``offset`` lead there."""
    anchor = content[offset : offset + _ANCHOR]
    position = stored.find(anchor, offset)
    while position >= 0:
        start = position - offset
        if stored[start : start + len(content)] == content:
            yield start
        position = stored.find(anchor, position + 1)


def _anchor(content: bytes) -> int:
    """Return the offset of the 64 bytes with the most distinct values: the rarest to meet."""
    steps = range(0, max(1, len(content) - _ANCHOR), max(_ANCHOR, len(content) // 256))
    return max(steps, key=lambda start: len(set(content[start : start + _ANCHOR])))


def _found(
    around: Surroundings, elf: ElfFile, section: PlacedSection, start: int, size: int
) -> Located:
    span = Span(section.vma + start, size)
    name = next(
        (
            symbol.name
            for symbol in elf.symbols
            if symbol.address == span.start and symbol.section == section.ordinal
        ),
        f"{section.name}+{start:#x}",
    )
    text = f"{size} bytes equal to the file at {span.start:#010x}"
    return around.inside(section, name, span, Evidence(elf.path, None, text))
