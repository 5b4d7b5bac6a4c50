"""The functions that run before ``main``: the pointers of the constructor tables."""

from collections.abc import Iterator
from typing import Final

from mapinspect.model.elf_file import ElfFile, SymbolKind

_TABLES: Final = (".init_array", ".preinit_array", ".ctors")
_LABELS: Final = (  # where scripts put the tables into another section
    ("__preinit_array_start", "__preinit_array_end"),
    ("__init_array_start", "__init_array_end"),
)
# What the compiler's own start-up objects put there (crtbegin.o): they construct nothing.
_STARTUP: Final = frozenset(
    ("frame_dummy", "__do_global_ctors_aux", "register_tm_clones", "__do_global_dtors_aux")
)
_MOST: Final = 4096  # pointers; no table is longer, and each is looked up by its address


def constructors(elf: ElfFile) -> tuple[str, ...]:
    """Return the constructors in table order, by name, or by address where none is known."""
    pointers = list(dict.fromkeys(_pointers(elf)))[:_MOST]
    if not pointers:
        return ()
    wanted, names = set(pointers), elf.symbols.names()
    named: dict[int, str] = {}
    for at, address in enumerate(elf.symbols.addresses()):
        if address in wanted and elf.symbols[at].kind is SymbolKind.FUNCTION:
            named.setdefault(address, names[at])
    found = (named.get(pointer, f"{pointer:#010x}") for pointer in pointers)
    return tuple(name for name in found if name not in _STARTUP)


def _pointers(elf: ElfFile) -> Iterator[int]:
    """Yield the addresses in the tables; -1 and 0 end ``.ctors``, and an odd one is Thumb code."""
    width, order = elf.bits // 8, "little" if elf.little_endian else "big"
    last = (1 << elf.bits) - 1
    thumb = ~1 if elf.machine == "ARM" else ~0
    for table in _tables(elf):
        for start in range(0, len(table) - width + 1, width):
            pointer = int.from_bytes(table[start : start + width], order)  # type: ignore[arg-type]
            if pointer not in (0, last):
                yield pointer & thumb


def _tables(elf: ElfFile) -> Iterator[memoryview]:
    own = [item for item in elf.sections if item.allocated and item.name.startswith(_TABLES)]
    yield from (elf.contents(section) for section in own)
    for first, end in _LABELS:
        starts, ends = elf.symbols.named(first), elf.symbols.named(end)
        if not starts or not ends or ends[0].address <= starts[0].address:
            continue
        start, size = starts[0].address, ends[0].address - starts[0].address
        for section in elf.sections:
            inside = section.vma <= start and start + size <= section.vma + section.size
            if inside and section.allocated and section.has_contents and section not in own:
                yield elf.contents(section)[start - section.vma :][:size]
