"""Symbols and sections of an image → its weights and arenas, each with the reasons."""

import re
import struct
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import translate
from functools import cache
from itertools import accumulate

from mapinspect.model.elf_file import ElfFile, ElfSection, SymbolKind
from mapinspect.model.image import Evidence, Span
from mapinspect.model.runtime import CONFIDENCES, Recognised, RuntimePattern
from mapinspect.model.symbol_names import base_name, readable_name

_SMALLEST = 16  # bytes; less is a length, a pointer or a flag
_POINTERS = (2, 4, 8)  # sizes of an address
_MAGIC = b"TFL3"  # file identifier of a .tflite model, at its offset 4; FlatBuffers format
_MODEL_FILE = "a .tflite model"
_WILDCARD = re.compile(r"[*?]|\[[^\]]*\]")
_BINARY_START = re.compile(r"_binary_\w+_start")

Demangle = Callable[[str], str]
Owner = Callable[[int], str | None]
"""Returns the object file that contributed an address, where a map says so."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A symbol that may be recognised. ``name`` is as the file has it."""

    name: str
    span: Span
    section: str
    writable: bool
    evidence: Evidence


def recognise(
    elf: ElfFile,
    patterns: Sequence[RuntimePattern],
    demangle: Demangle = str,
    owner: Owner = lambda _address: None,
) -> tuple[Recognised, ...]:
    """Return what the patterns and the models' own bytes say is weights, arena or workspace.

    Sorted by role, then address; symbols of the same bytes make one entry. A model is found by its
    content too.
    """
    all_names = elf.symbols.names()  # decoded at each call
    companions = _Companions(all_names)
    found = []
    for subject in _candidates(elf, patterns, all_names):
        names = _names(subject.name, demangle)
        for pattern in patterns:
            fitting = _fit(subject, names, pattern, owner)
            if fitting is not None and companions.has(pattern.companion):
                found.append(fitting)
    return _merged([*found, *_by_content(elf)])


def _sections(elf: ElfFile, patterns: Sequence[RuntimePattern]) -> list[Span]:
    """Return the sections that some pattern asks for, whatever the names in them."""
    wanted = _either(glob for p in patterns if not p.symbols for glob in p.sections)
    return [
        Span(section.vma, section.size)
        for section in elf.sections
        if section.allocated and wanted.match(section.name)
    ]


def _candidates(
    elf: ElfFile, patterns: Sequence[RuntimePattern], names: Sequence[str]
) -> Iterator[Subject]:
    """Yield the variables whose names or sections some pattern may fit.

    Most symbols are candidates for nothing. What a glob has between its wildcards stands in a
    mangled name too.
    """
    globs = {glob for pattern in patterns for glob in pattern.symbols}
    cores = {max(_WILDCARD.split(glob), key=len) for glob in globs}
    ordinals = _holding(names, cores)
    for span in _sections(elf, patterns):
        addresses = enumerate(elf.symbols.addresses())
        ordinals |= {n for n, at in addresses if span.start <= at < span.end}
    sizes = elf.symbols.sizes()
    for ordinal in sorted(ordinals):
        if sizes[ordinal] or _BINARY_START.fullmatch(names[ordinal]):
            subject = _subject(elf, ordinal)
            if subject is not None and subject.span.size:
                yield subject


def _holding(names: Sequence[str], cores: Iterable[str]) -> set[int]:
    """Return which names hold one of the cores; one search for each core through all of them."""
    text = "\n".join(names)
    ends = list(accumulate(len(name) + 1 for name in names))
    found: set[int] = set()
    for core in cores:
        at = text.find(core) if names else -1
        while at >= 0:
            ordinal = bisect_right(ends, at)
            if ordinal >= len(names):
                break
            found.add(ordinal)
            at = text.find(core, ends[ordinal])
    return found


def _subject(elf: ElfFile, ordinal: int) -> Subject | None:
    """Return the variable, or the file that a linker embedded (``_binary_*``), of a symbol."""
    symbol = elf.symbols[ordinal]
    if not symbol.has_address or symbol.kind is SymbolKind.FUNCTION or symbol.section is None:
        return None
    section = elf.sections[symbol.section]
    if not section.allocated:
        return None
    size = symbol.size
    if not size and _BINARY_START.fullmatch(symbol.name):
        end = elf.symbols.named(f"{symbol.name.removesuffix('start')}end")
        size = max((item.address - symbol.address for item in end), default=0)
    text = f"{symbol.name} at {symbol.address:#010x}, {size} bytes"
    place = Evidence(elf.path, None, text)
    span = Span(symbol.address, max(size, 0))
    return Subject(symbol.name, span, section.name, section.writable, place)


class _Companions:
    """Which globs some symbol of the image matches; looked up only when it matters."""

    def __init__(self, names: Sequence[str]) -> None:
        self._given = names
        self._plain: set[str] = set()
        self._answers: dict[str, bool] = {}

    def has(self, glob: str | None) -> bool:
        """Return whether a symbol matches, by its name with or without compiler suffixes."""
        if glob is None:
            return True
        if glob not in self._answers:
            if not self._plain:
                self._plain = {base_name(name) for name in self._given}
            pattern = _compiled(glob)
            self._answers[glob] = any(pattern.match(name) for name in self._plain)
        return self._answers[glob]


def _names(name: str, demangle: Demangle) -> tuple[str, ...]:
    """Return a symbol's name as it is, plain, and without the scopes that C++ puts before it."""
    plain = base_name(name)
    readable = demangle(plain)
    return tuple(dict.fromkeys((name, plain, readable, readable.rsplit("::", 1)[-1])))


def _fit(
    subject: Subject, names: tuple[str, ...], pattern: RuntimePattern, owner: Owner
) -> Recognised | None:
    if pattern.symbols and not _matches(names, pattern.symbols):
        return None
    if _matches(names, pattern.excluded):
        return None
    if pattern.sections and not _matches((subject.section,), pattern.sections):
        return None
    reasons = [_reason(subject, pattern)]
    if pattern.objects:
        file = owner(subject.span.start)
        if file is not None and not _matches((file, file.rsplit("/", 1)[-1]), pattern.objects):
            return None
        reasons += [f"it is from {file}"] if file is not None else []
    return _recognised(subject, pattern, reasons)


def _recognised(subject: Subject, pattern: RuntimePattern, reasons: list[str]) -> Recognised | None:
    pointer = subject.span.size in _POINTERS and subject.span.size < _SMALLEST
    if pattern.role == "weights" and subject.span.size < _SMALLEST:
        return None
    if pattern.role != "weights" and not pointer and not subject.writable:
        return None  # activations are written
    if pointer:
        reasons.append(
            f"it is only {subject.span.size} bytes: a pointer to memory taken at run time"
        )
    return Recognised(
        role=pattern.role,
        name=subject.name,
        names=(subject.name,),
        span=subject.span,
        section=subject.section,
        runtime=pattern.runtime,
        confidence=pattern.confidence,
        reasons=tuple(reasons),
        pointer=pointer,
        evidence=subject.evidence,
    )


def _reason(subject: Subject, pattern: RuntimePattern) -> str:
    if pattern.symbols:
        return f"the name {readable_name(subject.name)} {pattern.because}"
    return f"the section {subject.section} {pattern.because}"


def _by_content(elf: ElfFile) -> Iterator[Recognised]:
    """Yield the models that the image stores, found by the identifier in their fifth byte."""
    addresses: Sequence[int] | None = None
    for section in elf.sections:
        if not section.allocated or not section.has_contents:
            continue
        for start in _models(elf, section):
            addresses = elf.symbols.addresses() if addresses is None else addresses
            yield _model(elf, section, start, addresses)


def _model(elf: ElfFile, section: ElfSection, start: int, addresses: Sequence[int]) -> Recognised:
    address = section.vma + start
    reason = f"bytes 4 to 7 at {address:#x} say TFL3, as a model file's do"
    named = (_subject(elf, at) for at, value in enumerate(addresses) if value == address)
    unnamed = Subject(
        f"{section.name}+{start:#x}",
        Span(address, 0),
        section.name,
        section.writable,
        Evidence(elf.path, None, reason),
    )
    subject = max(filter(None, named), key=lambda item: item.span, default=unnamed)
    return Recognised(
        role="weights",
        name=subject.name,
        names=(subject.name,),
        span=subject.span,
        section=section.name,
        runtime=_MODEL_FILE,
        confidence="high",
        reasons=(reason,),
        pointer=False,
        evidence=subject.evidence,
    )


def _models(elf: ElfFile, section: ElfSection) -> Iterator[int]:
    """Yield the offsets in a section where a model begins, whatever lies around it."""
    end = section.offset + section.size
    at = elf.content.find(_MAGIC, section.offset + 4, end)
    while at >= 0:
        if _is_root(elf.content, at - 4, end):
            yield at - 4 - section.offset
        at = elf.content.find(_MAGIC, at + 1, end)


def _is_root(image: bytes, start: int, end: int) -> bool:
    """Return whether a FlatBuffer begins at ``start``: its root offset leads to a table.

    The identifier alone is also a string of the runtime's code. A table begins with the distance
    back to its vtable, which begins with its own size and the table's (FlatBuffers internals).
    """
    root = start + int(struct.unpack_from("<I", image, start)[0])
    if (root - start) % 4 or not start + 8 <= root <= end - 4:
        return False
    vtable = root - int(struct.unpack_from("<i", image, root)[0])
    if not start + 8 <= vtable <= end - 4:
        return False
    size, inline = struct.unpack_from("<HH", image, vtable)
    return bool(size >= 4 and size % 2 == 0 and vtable + size <= end and inline >= 4)


def _merged(found: Iterable[Recognised]) -> tuple[Recognised, ...]:
    """Return one entry for each role and start, with all names and reasons, surest first."""
    entries: dict[tuple[str, int], Recognised] = {}
    for item in sorted(found, key=_rank):
        key = (item.role, item.span.start)
        known = entries.get(key)
        if known is None:
            entries[key] = item
            continue
        entries[key] = replace(
            known,
            names=tuple(dict.fromkeys(known.names + item.names)),
            reasons=tuple(dict.fromkeys(known.reasons + item.reasons)),
            span=max(known.span, item.span),
        )
    return tuple(sorted(entries.values(), key=lambda item: (item.role, item.span, item.name)))


def _rank(item: Recognised) -> tuple[int, bool, int]:
    # A name says more about the runtime than the content, and more bytes more than few.
    return CONFIDENCES.index(item.confidence), item.runtime == _MODEL_FILE, -item.span.size


def _matches(names: Iterable[str], globs: Iterable[str]) -> bool:
    return any(_compiled(glob).match(name) for glob in globs for name in names)


def _either(globs: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(translate(glob) for glob in globs) or r"(?!)")


@cache
def _compiled(glob: str) -> re.Pattern[str]:
    return re.compile(translate(glob))
