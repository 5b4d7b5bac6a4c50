"""The map's symbols against the ELF's: same name, same address, or not of the same link."""

from collections.abc import Iterator, Mapping
from re import compile as pattern
from typing import Final

from mapinspect.model.elf_file import ElfFile, SymbolKind
from mapinspect.model.image import Evidence
from mapinspect.model.inspection import Disagreement
from mapinspect.model.link_map import LinkMap, MapSymbol

_SHOWN: Final = 5  # differences; the first ones lead to the cause
# ld prints C++ and Rust names demangled, the ELF has them as the linker knows them.
_PLAIN: Final = pattern(r"[\w.$]+")
_VERSION: Final = "@"  # before the version of a symbol of a shared library: not in this file


def symbol_disagreements(link_map: LinkMap, elf: ElfFile) -> tuple[Disagreement, ...]:
    """Return the first symbols that lie elsewhere in the ELF than the map says, or are not in it.

    Only global symbols are compared, as maps list no others. A symbol that the ELF does not have
    differs only where the ELF has most of them: symbols may have been stripped since.
    """
    if not len(elf.symbols) or not len(link_map.symbols):
        return ()
    by_name = _addresses(elf)
    everywhere = frozenset(address & ~1 for address in elf.symbols.addresses())
    mask = (1 << elf.bits) - 1
    moved: list[MapSymbol] = []
    absent: list[MapSymbol] = []
    compared = 0
    for symbol in link_map.symbols:
        if symbol.is_local or _VERSION in symbol.name:
            continue
        compared += 1
        address = symbol.address & mask & ~1
        if symbol.name in by_name:
            known = by_name[symbol.name]
            if address not in known and not _is_thread_local(elf, symbol.name):
                moved.append(symbol)
        elif address not in everywhere:
            absent.append(symbol)
    if 2 * len(absent) > compared:
        absent.clear()
    found = [_moved(link_map, elf, item, by_name) for item in moved[:_SHOWN]]
    found += [_absent(link_map, elf, item) for item in absent[: _SHOWN - len(found)]]
    return tuple(_counted(found, len(moved) + len(absent)))


def shares_symbols(link_map: LinkMap, elf: ElfFile) -> bool:
    """Return whether symbols show that the map is of the ELF's link: most of the map's are in it.

    Else only sections do: another link may have put other objects into equal ones.
    """
    listed = [item for item in link_map.symbols if not item.is_local and _VERSION not in item.name]
    names = set(elf.symbols.names())
    if not listed or not names:
        return bool(names)
    mask = (1 << elf.bits) - 1
    addresses = {address & ~1 for address in elf.symbols.addresses()}
    there = sum(
        item.name in names or item.address & mask & ~1 in addresses  # demangled, or renamed since
        for item in listed
    )
    return 2 * there >= len(listed)


def _addresses(elf: ElfFile) -> Mapping[str, frozenset[int]]:
    """Return the addresses of every name, their lowest bit (Thumb, microMIPS) cleared."""
    single: dict[str, frozenset[int]] = {}
    for name, address in zip(elf.symbols.names(), elf.symbols.addresses(), strict=True):
        known = single.get(name)
        here = frozenset((address & ~1,))
        single[name] = here if known is None else known | here
    return single


def _is_thread_local(elf: ElfFile, name: str) -> bool:
    """Return whether the ELF has an offset for this symbol, not an address."""
    return any(symbol.kind is SymbolKind.TLS for symbol in elf.symbols.named(name))


def _moved(
    link_map: LinkMap, elf: ElfFile, symbol: MapSymbol, by_name: Mapping[str, frozenset[int]]
) -> Disagreement:
    address = min(by_name[symbol.name])
    text = f"{symbol.name} at {address:#010x}"
    return Disagreement(
        subject=symbol.name,
        message=f"{symbol.name} is at {symbol.address:#010x} in the map "
        f"and at {address:#010x} in the ELF",
        in_map=_in_map(link_map, symbol),
        in_elf=Evidence(elf.path, None, text),
    )


def _absent(link_map: LinkMap, elf: ElfFile, symbol: MapSymbol) -> Disagreement:
    if _PLAIN.fullmatch(symbol.name):
        message, text = f"{symbol.name} is in the map and not in the ELF", symbol.name
    else:  # demangled: the ELF has it by another name, which only the address can show
        message = f"{symbol.name} is at {symbol.address:#010x} in the map, where the ELF has none"
        text = f"at {symbol.address:#010x}"
    in_elf = Evidence(elf.path, None, f"no symbol {text}")
    return Disagreement(symbol.name, message, _in_map(link_map, symbol), in_elf)


def _in_map(link_map: LinkMap, symbol: MapSymbol) -> Evidence:
    return Evidence(link_map.path, symbol.line, f"{symbol.name} at {symbol.address:#010x}")


def _counted(found: list[Disagreement], total: int) -> Iterator[Disagreement]:
    """Yield the differences; the last one says how many more there are."""
    more = total - len(found)
    for place, item in enumerate(found, 1):
        if place < len(found) or more <= 0:
            yield item
        else:
            message = f"{item.message}; {more} more symbols differ"
            yield Disagreement(item.subject, message, item.in_map, item.in_elf)
