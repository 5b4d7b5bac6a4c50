"""Declaration files of symbols → what link-time optimisation hid: bytes per source file."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from mapinspect.analysis.owner_totals import is_mixed
from mapinspect.model.link_map import ObjectFile
from mapinspect.model.owner import Declarations, OwnedSymbol, OwnerTotal

_Split = tuple[OwnerTotal, str | None]
_Held = dict[str, dict[str, int]]  # file -> region -> bytes


def hidden(symbols: Iterable[OwnedSymbol]) -> tuple[int, ...]:
    """Return the addresses of the symbols whose source object the map does not tell.

    Addresses that symbols of several sections share, as overlays do, are left out.
    """
    found: dict[int, list[OwnedSymbol]] = defaultdict(list)
    for symbol in symbols:
        found[symbol.span.start].append(symbol)
    return tuple(
        address
        for address, items in found.items()
        if all(is_mixed(item.owner) for item in items)
        and len({item.section for item in items}) == 1
    )


def split(
    totals: Iterable[OwnerTotal], symbols: Iterable[OwnedSymbol], declarations: Declarations
) -> Iterator[_Split]:
    """Yield every total, those of link-time optimisation in parts: one for each declaring file.

    The parts add up to the total; what no symbol or no file is known for is the part without a
    file. A total whose symbols claim more than it has stays whole.
    """
    held = _held(symbols, declarations.files)
    for total in totals:
        parts = held.get(total.owner) if total.owner is not None and total.mixed else None
        yield from _parts(total, parts or {})


def _held(symbols: Iterable[OwnedSymbol], files: Mapping[int, str]) -> dict[ObjectFile, _Held]:
    """Add up the bytes of symbols; bytes that symbols share are the first one's."""
    held: dict[ObjectFile, _Held] = {}
    reached: dict[str, int] = {}
    for symbol in sorted(symbols, key=lambda item: (item.section, item.span.start)):
        file = files.get(symbol.span.start)
        start = max(symbol.span.start, reached.get(symbol.section, 0))
        size = symbol.span.end - start
        if symbol.owner is None or not is_mixed(symbol.owner) or size <= 0:
            continue
        reached[symbol.section] = symbol.span.end
        if file is None:
            continue
        regions = held.setdefault(symbol.owner, {}).setdefault(file, defaultdict(int))
        for region in (symbol.region, symbol.load_region):
            if region is not None:
                regions[region] += size
    return held


def _parts(total: OwnerTotal, held: _Held) -> Iterator[_Split]:
    rest = dict(total.regions)
    parts: list[_Split] = []
    for file, regions in held.items():
        here = {region: size for region, size in regions.items() if region in rest}
        for region, size in here.items():
            rest[region] -= size
        if here:
            parts.append((_part(total, here), file))
    if any(size < 0 for size in rest.values()):
        yield total, None
        return
    yield from parts
    left = {region: size for region, size in rest.items() if size}
    if left or not parts:
        yield _part(total, left), None


def _part(total: OwnerTotal, regions: Mapping[str, int]) -> OwnerTotal:
    return replace(total, bytes=sum(regions.values()), regions=tuple(regions.items()))


def share(parts: Iterable[_Split], declarations: Declarations) -> tuple[str, ...]:
    """Say how much of what link-time optimisation hid has no declaration file, and why."""
    if declarations.fault is not None:
        return (f"no declaration files: {declarations.fault}",)
    mixed = [(total.bytes, file) for total, file in parts if total.mixed]
    whole = sum(size for size, _ in mixed)
    left = sum(size for size, file in mixed if file is None)
    if not whole:
        return ()
    return (
        f"{left} of these {whole} bytes ({-(-100 * left // whole)} %) have no declaration file "
        "in the debugging information: literals, padding, assembler code, units without -g",
    )


def undeclared(symbols: Iterable[OwnedSymbol], declarations: Declarations) -> tuple[str, ...]:
    """Say how many bytes of the symbols that link-time optimisation mixed have no file, and why."""
    if declarations.fault is not None:
        return (f"no declaration files: {declarations.fault}",)
    mixed = [symbol for symbol in symbols if is_mixed(symbol.owner)]
    if not mixed:
        return ("no symbol went through link-time optimisation: the objects are known",)
    left = [symbol for symbol in mixed if symbol.span.start not in declarations.files]
    size = sum(symbol.span.size for symbol in mixed)
    without = sum(symbol.span.size for symbol in left)
    return (
        f"{without} of {size} bytes ({-(-100 * without // size)} %) of symbols that went through "
        f"link-time optimisation have no declaration file in the debugging information",
    )
