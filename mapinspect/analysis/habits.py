"""ELF symbols → what the image does at run time: allocate, construct, keep constants in RAM."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from mapinspect.analysis.constructors import constructors
from mapinspect.analysis.habit_names import (
    ALLOCATORS,
    GUARDS,
    LIBRARY_STATE,
    OPERATOR_NEW,
    SBRK,
    is_dma_buffer,
)
from mapinspect.analysis.locate import Surroundings
from mapinspect.analysis.sbrk_words import sbrk_words
from mapinspect.model.elf_file import ElfFile, ElfSection, SymbolKind
from mapinspect.model.habits import Habits
from mapinspect.model.image import Evidence, Span
from mapinspect.model.inspection import Located, PlacedSection
from mapinspect.model.link_map import InputSection

_LARGE: Final = 256  # bytes; smaller initialised variables are rarely worth a look
_SHOWN: Final = 10
_SMALLEST_BUFFER: Final = 16  # bytes; less is a register's shadow or a flag
_CONSTANTS: Final = (".rodata", ".srodata", ".lit4", ".lit8", ".progmem")
_INITIALISED: Final = (".data", ".sdata", ".rodata", ".srodata")
_MEANT_TO_BE_LOST: Final = ("noinit", "no_init", "noload", "persist")  # .data.noinit_counters


def habits(around: Surroundings) -> Habits:
    """Return the run-time habits of an image; nothing without an ELF."""
    elf = around.elf
    if elf is None:
        return Habits()
    names = elf.symbols.names()
    allocators = _found(around, elf, [at for at, name in enumerate(names) if _allocates(name)])
    return Habits(
        allocators=allocators,
        requests=tuple(_requests(around, {item.name for item in allocators})),
        constructors=constructors(elf),
        constants=_constants(around, elf),
        copied_constants=tuple(_copied_constants(around)),
        lost_values=tuple(_lost_values(around)),
        guards=tuple(sorted(GUARDS.intersection(names))),
        sbrk=tuple(sorted(SBRK.intersection(names))),
        sbrk_words=sbrk_words(elf, SBRK.intersection(names)),
        dma_buffers=_dma_buffers(around, elf, names),
        thread_local=sum(
            item.size for item in elf.sections if item.thread_local and item.allocated
        ),
        valued=frozenset(
            item.ordinal
            for item in elf.sections
            if item.allocated and _has_values(elf, item)
            if item.kind != "NOTE"  # a build-id is for tools: no start-up code fills it
        ),
    )


def _has_values(elf: ElfFile, section: ElfSection) -> bool:
    return bool(elf.contents(section).tobytes().lstrip(b"\0"))


def _allocates(name: str) -> bool:
    return name in ALLOCATORS or (
        name.startswith("_Zn") and OPERATOR_NEW.fullmatch(name) is not None
    )


def _found(around: Surroundings, elf: ElfFile, chosen: Sequence[int]) -> tuple[Located, ...]:
    """Return the symbols of these ordinals that lie in allocated sections, each span once."""
    by_ordinal = {section.ordinal: section for section in around.sections}
    found: dict[Span, Located] = {}
    for ordinal in chosen:
        symbol = elf.symbols[ordinal]
        section = by_ordinal.get(-1 if symbol.section is None else symbol.section)
        if section is not None and symbol.has_address:
            place = around.symbol(section, symbol)
            found.setdefault(place.span, place)
    return tuple(found.values())


def _constants(around: Surroundings, elf: ElfFile) -> tuple[Located, ...]:
    """Return the large initialised variables that run in RAM, largest first."""
    large = [at for at, size in enumerate(elf.symbols.sizes()) if size >= _LARGE]
    chosen = [
        at
        for at in large
        if elf.symbols[at].kind is SymbolKind.OBJECT
        and not LIBRARY_STATE.fullmatch(elf.symbols[at].name)
    ]
    found = [
        item
        for item in _found(around, elf, chosen)
        if item.section.has_contents and item.section.writable
    ]
    return tuple(sorted(found, key=lambda item: (-item.span.size, item.name))[:_SHOWN])


def _dma_buffers(around: Surroundings, elf: ElfFile, names: Sequence[str]) -> tuple[Located, ...]:
    """Return the variables that are buffers for DMA by their names; handles are none."""
    if around.part is None:
        return ()  # without the part nothing can be said about them
    chosen = [
        at
        for at, name in enumerate(names)
        if ("dma" in name or "DMA" in name or "Dma" in name) and is_dma_buffer(name)
        if elf.symbols.sizes()[at] >= _SMALLEST_BUFFER
    ]
    objects = [at for at in chosen if elf.symbols[at].kind is SymbolKind.OBJECT]
    return tuple(item for item in _found(around, elf, objects) if item.section.writable)


def _copied_constants(around: Surroundings) -> Iterator[Located]:
    """Yield the inputs of constants in sections that start-up copies to RAM, largest first."""
    yield from _inputs(around, _is_copied, lambda name: name.startswith(_CONSTANTS))


def _is_copied(section: PlacedSection) -> bool:
    return section.has_contents and section.writable and section.lma != section.vma


def _lost_values(around: Surroundings) -> Iterator[Located]:
    """Yield the inputs of initial values in sections that the image stores no byte of.

    ``(NOLOAD)`` in the script makes such a section, whatever is put in it.
    """
    yield from _inputs(around, lambda section: not section.has_contents, _has_initial_values)


def _has_initial_values(name: str) -> bool:
    named = any(name == start or name.startswith(f"{start}.") for start in _INITIALISED)
    return named and not any(word in name for word in _MEANT_TO_BE_LOST)


def _inputs(
    around: Surroundings,
    holds: Callable[[PlacedSection], bool],
    wanted: Callable[[str], bool],
) -> Iterator[Located]:
    """Yield the inputs of these sections whose names are wanted."""
    link_map = around.link_map
    if link_map is None:
        return
    rows: list[tuple[InputSection, PlacedSection]] = []
    for printed, section in around.printed():
        if holds(section):
            found = link_map.inputs.of_section(printed.ordinal)
            rows += [(row, section) for row in found if row.occupied and wanted(row.name)]
    for row, section in sorted(rows, key=lambda pair: (-pair[0].occupied, pair[0].address)):
        yield around.input(section, row)


def _short(name: str) -> str:
    """Return an object without its folders, ``libc.a(printf.o)``."""
    return name.replace("\\", "/").rsplit("/", 1)[-1]


def _requests(around: Surroundings, allocators: set[str]) -> Iterator[Evidence]:
    """Yield who asked for the archive members that were linked because of an allocator.

    What the archive itself asks for says less, so it comes last.
    """
    if around.link_map is None:
        return
    found = [
        member
        for member in around.link_map.members
        if member.symbol in allocators and member.requester
    ]
    for member in sorted(
        found, key=lambda item: (item.member.archive or "") in str(item.requester)
    ):
        text = f"{_short(str(member.requester))} asks for {member.symbol}"
        yield Evidence(around.link_map.path, member.line, text)
