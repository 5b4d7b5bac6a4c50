"""ELF symbols → what the image does at run time: allocate, construct, keep constants in RAM."""

from collections.abc import Callable, Iterator
from typing import Final

from mapinspect.analysis.locate import Surroundings
from mapinspect.model.elf_file import ElfFile, ElfSymbol, SymbolKind
from mapinspect.model.image import Evidence, Span
from mapinspect.model.inspection import Habits, Located

# C library and C++ runtime entry points that hand out heap memory (newlib, picolibc, glibc;
# Itanium C++ ABI names of operator new and new[]), and what RTOSes call theirs.
_ALLOCATORS: Final = frozenset(
    {
        "malloc",
        "calloc",
        "realloc",
        "_malloc_r",
        "_calloc_r",
        "_realloc_r",
        "_Znwj",
        "_Znwm",
        "_Znaj",
        "_Znam",
        "pvPortMalloc",
        "k_malloc",
        "heap_caps_malloc",
    }
)
_CONSTRUCTOR_TABLES: Final = (".init_array", ".preinit_array", ".ctors")
_LARGE: Final = 256  # bytes; smaller initialised variables are rarely worth a look
_SHOWN: Final = 10


def habits(around: Surroundings) -> Habits:
    """Return the run-time habits of an image; nothing without an ELF."""
    elf = around.elf
    if elf is None:
        return Habits()
    allocators = tuple(_located(around, elf, _is_allocator))
    constants = sorted(
        _located(around, elf, _is_large_variable), key=lambda item: (-item.span.size, item.name)
    )
    return Habits(
        allocators=allocators,
        constructors=sum(_constructors(elf)),
        constants=tuple(item for item in constants if _is_initialised(item))[:_SHOWN],
        requests=tuple(_requests(around, {item.name for item in allocators})),
    )


def _located(
    around: Surroundings, elf: ElfFile, wanted: Callable[[ElfSymbol], bool]
) -> Iterator[Located]:
    by_ordinal = {section.ordinal: section for section in around.sections}
    seen: set[Span] = set()
    for symbol in elf.symbols:
        section = by_ordinal.get(-1 if symbol.section is None else symbol.section)
        span = Span(symbol.address, symbol.size)
        if section is None or span in seen or not wanted(symbol):
            continue
        seen.add(span)
        text = f"{symbol.name} at {symbol.address:#010x}, {symbol.size} bytes"
        yield around.inside(section, symbol.name, span, Evidence(elf.path, None, text))


def _is_allocator(symbol: ElfSymbol) -> bool:
    return symbol.name in _ALLOCATORS


def _is_large_variable(symbol: ElfSymbol) -> bool:
    return symbol.kind is SymbolKind.OBJECT and symbol.size >= _LARGE


def _is_initialised(item: Located) -> bool:
    return item.section.has_contents and item.section.writable


def _constructors(elf: ElfFile) -> Iterator[int]:
    """Yield how many pointers each constructor table holds."""
    for section in elf.sections:
        if section.allocated and section.name.startswith(_CONSTRUCTOR_TABLES):
            yield section.size // (elf.bits // 8)


def _requests(around: Surroundings, allocators: set[str]) -> Iterator[Evidence]:
    """Yield who asked for the archive members that were linked because of an allocator."""
    if around.link_map is None:
        return
    for member in around.link_map.members:
        if member.symbol in allocators and member.requester:
            text = f"{member.requester} asks for {member.symbol} of {member.member.archive}"
            yield Evidence(around.link_map.path, member.line, text)
