"""Owner rows → bytes per object and archive; symbols → what they belong to."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from re import compile as pattern

from mapinspect.analysis.locate import Surroundings
from mapinspect.analysis.owners import Pieces
from mapinspect.model.elf_file import SymbolKind
from mapinspect.model.image import Evidence, Span
from mapinspect.model.link_map import ObjectFile
from mapinspect.model.owner import OwnedSymbol, OwnerKind, OwnerRow, OwnerTotal

# Objects that link-time optimisation writes: gcc's partitions ("ltrans0.ltrans.o", with or without
# the output's name before it), its one object without partitions, and LLVM's.
_MIXED = pattern(r"(?:^|[./\\])ltrans\d*\.(?:ltrans\.)?o$|\.lto\.(?:\w+\.)?(?:o|obj)$|lto\.tmp$")
_KINDS = {
    SymbolKind.FUNCTION: "function",
    SymbolKind.OBJECT: "object",
    SymbolKind.NOTYPE: "no type",
}

_Key = tuple[OwnerKind, ObjectFile | None]


def is_mixed(owner: ObjectFile | None) -> bool:
    """Return whether link-time optimisation made the object of several sources."""
    return owner is not None and owner.archive is None and bool(_MIXED.search(owner.path))


def object_totals(rows: Iterable[OwnerRow]) -> tuple[OwnerTotal, ...]:
    """Return the bytes of each object, and of each kind that no object brought; they add up.

    Merged strings and what ld created are the object's that the map names, since ld keeps them
    with it; stubs, fills, statements, padding and gaps are nobody's.
    """
    return _totals((_object_key(row), row) for row in rows)


def archive_totals(rows: Iterable[OwnerRow]) -> tuple[OwnerTotal, ...]:
    """Return the bytes of each archive; objects outside archives are one row without a name."""
    return _totals((_archive_key(row), row) for row in rows)


def _object_key(row: OwnerRow) -> _Key:
    if row.owner is None or row.kind is OwnerKind.STUB:
        return row.kind, None
    return OwnerKind.INPUT, row.owner


def _archive_key(row: OwnerRow) -> _Key:
    kind, owner = _object_key(row)
    if owner is None:
        return kind, None
    return kind, ObjectFile("", owner.archive)


def _totals(keyed: Iterable[tuple[_Key, OwnerRow]]) -> tuple[OwnerTotal, ...]:
    sums: dict[_Key, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for key, row in keyed:
        sums[key][row.region] += row.span.size
    return tuple(
        OwnerTotal(kind, owner, sum(regions.values()), tuple(regions.items()), is_mixed(owner))
        for (kind, owner), regions in sums.items()
    )


def owned_symbols(around: Surroundings, pieces: Pieces) -> Iterator[OwnedSymbol]:
    """Yield every symbol with a size and an address, aliases of one span as one, in file order."""
    if around.elf is None:
        return
    sections = {section.ordinal: section for section in around.sections}
    names: dict[tuple[int, Span], list[str]] = {}
    kinds: dict[tuple[int, Span], str] = {}
    for symbol in around.elf.symbols:
        if symbol.size and symbol.has_address and symbol.section in sections:
            key = (symbol.section, Span(symbol.address, symbol.size))
            names.setdefault(key, []).append(symbol.name)
            kinds.setdefault(key, _KINDS.get(symbol.kind, "other"))
    nowhere = Evidence(around.image, None, "")
    for (ordinal, span), found in names.items():
        section = sections[ordinal]
        piece = pieces.at(section, span.start)
        place = around.inside(section, found[0], span, nowhere)
        yield OwnedSymbol(
            names=tuple(found),
            span=span,
            kind=kinds[ordinal, span],
            section=section.name,
            region=place.region,
            load_region=place.load_region,
            owner=None if piece is None else piece.owner,
        )
