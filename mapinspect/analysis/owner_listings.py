"""Owners of bytes → what ``mapinspect show`` lists: objects, archives, symbols."""

from collections.abc import Iterable

from mapinspect.analysis.declared import share, split, undeclared
from mapinspect.analysis.listings import ADDRESS, BYTES, COUNT, TEXT, chosen
from mapinspect.analysis.locate import Surroundings
from mapinspect.analysis.owner_totals import archive_totals, is_mixed, object_totals, owned_symbols
from mapinspect.analysis.owners import Pieces, owner_rows
from mapinspect.analysis.usage import union
from mapinspect.model.inspection import Inspection
from mapinspect.model.listing import Choice, Column, Listing, Row
from mapinspect.model.owner import Declarations, OwnedSymbol, OwnerKind, OwnerRow, OwnerTotal

_Columns = tuple[Column, ...]
_OBJECTS: _Columns = (
    Column("object", "object", TEXT),
    Column("archive", "archive", TEXT),
    Column("bytes", "bytes", BYTES),
    Column("regions", "of which in", BYTES),
    Column("kind", "kind", TEXT, narrow=False),
)
_ARCHIVES = (
    Column("archive", "archive", TEXT),
    Column("bytes", "bytes", BYTES),
    Column("regions", "of which in", BYTES),
    Column("objects", "objects", COUNT),
    Column("kind", "kind", TEXT, narrow=False),
)
_SYMBOLS: _Columns = (
    Column("name", "symbol", TEXT),
    Column("size", "size", BYTES),
    Column("address", "address", ADDRESS),
    Column("region", "region", TEXT),
    Column("load_region", "stored in", TEXT, narrow=False),
    Column("section", "section", TEXT, narrow=False),
    Column("object", "object", TEXT),
    Column("archive", "archive", TEXT),
    Column("kind", "kind", TEXT, narrow=False),
    Column("aliases", "also named", TEXT, narrow=False),
)
# Only with --debug-info; empty where the object itself is known.
_DECLARED = Column("declared_in", "declared in", TEXT)
_SYMBOLS_SHOWN = 5  # in a note; `show symbols` has them all
_NO_ARCHIVE = "objects outside archives"


def objects(
    facts: Inspection,
    around: Surroundings,
    pieces: Pieces,
    choice: Choice,
    declared: Declarations | None = None,
) -> Listing:
    """List the objects by the bytes they brought; the rows add up to the regions' use.

    For what link-time optimisation mixed, the notes fall back to its symbols; with ``declared``
    it has a row for each file that declares them.
    """
    totals = object_totals(_rows(facts, pieces, choice))
    if declared is None:
        rows = [_object_row(total) for total in totals]
        columns, notes = _OBJECTS, _mixed(totals)
    else:
        parts = list(split(totals, owned_symbols(around, pieces), declared))
        rows = [_object_row(total) | {"declared_in": file} for total, file in parts]
        columns, notes = _with_declared(_OBJECTS), _mixed(totals) + share(parts, declared)
    if notes and (declared is None or declared.fault is not None):
        notes += _largest_symbols(around, pieces, choice)
    return Listing("objects", columns, chosen("objects", rows, _by_size(choice)), notes)


def _object_row(total: OwnerTotal) -> Row:
    return {
        "object": total.owner.path if total.owner else None,
        "archive": total.owner.archive if total.owner else None,
        "bytes": total.bytes,
        "regions": dict(total.regions),
        "kind": _kind(total),
    }


def _with_declared(columns: _Columns) -> _Columns:
    return (*columns[:1], _DECLARED, *columns[1:])


def archives(facts: Inspection, pieces: Pieces, choice: Choice) -> Listing:
    """List the archives by the bytes of their members; the rows add up to the regions' use."""
    owned = _rows(facts, pieces, choice)
    members: dict[str | None, set[str]] = {}
    for row in owned:
        if row.owner is not None and row.kind is not OwnerKind.STUB:
            members.setdefault(row.owner.archive, set()).add(row.owner.path)
    rows = [
        {
            "archive": total.owner.archive if total.owner else None,
            "bytes": total.bytes,
            "regions": dict(total.regions),
            "objects": len(members.get(total.owner.archive, ())) if total.owner else 0,
            "kind": _archive_kind(total),
        }
        for total in archive_totals(owned)
    ]
    notes = _mixed(object_totals(owned))
    return Listing("archives", _ARCHIVES, chosen("archives", rows, _by_size(choice)), notes)


def symbols(
    around: Surroundings, pieces: Pieces, choice: Choice, declared: Declarations | None = None
) -> Listing:
    """List the symbols that have a size, aliases once, each with the object that holds it.

    With ``declared`` also with the file that declares it, where the object is a mixture.
    """
    found = [
        symbol
        for symbol in owned_symbols(around, pieces)
        if choice.region is None or choice.region in (symbol.region, symbol.load_region)
    ]
    rows = [_symbol_row(symbol) for symbol in found]
    notes = _without_symbol(around, found) if choice == Choice() else ()
    columns = _SYMBOLS
    if declared is not None:
        columns = _with_declared(_SYMBOLS)
        rows = [
            row | {"declared_in": declared.files.get(symbol.span.start)}
            for row, symbol in zip(rows, found, strict=True)
        ]
        notes += undeclared(found, declared)
    return Listing("symbols", columns, chosen("symbols", rows, _by_size(choice)), notes)


def _symbol_row(symbol: OwnedSymbol) -> Row:
    return {
        "name": symbol.names[0],
        "size": symbol.span.size,
        "address": symbol.span.start,
        "region": symbol.region,
        "load_region": symbol.load_region,
        "section": symbol.section,
        "object": symbol.owner.path if symbol.owner else None,
        "archive": symbol.owner.archive if symbol.owner else None,
        "kind": symbol.kind,
        "aliases": list(symbol.names[1:]),
    }


def _rows(facts: Inspection, pieces: Pieces, choice: Choice) -> list[OwnerRow]:
    usages = [item for item in facts.usages if choice.region in (None, item.region.name)]
    return list(owner_rows(usages, pieces))


def _by_size(choice: Choice) -> Choice:
    return choice if choice.sort else Choice(choice.region, choice.glob, "size", choice.top)


def _kind(total: OwnerTotal) -> str:
    if total.owner is None:
        return total.kind.value
    return "link-time optimised" if total.mixed else "object"


def _archive_kind(total: OwnerTotal) -> str:
    if total.owner is None:
        return total.kind.value
    return "archive" if total.owner.archive is not None else _NO_ARCHIVE


def _mixed(totals: Iterable[OwnerTotal]) -> tuple[str, ...]:
    """Say what share of the objects' bytes no source object can be named for."""
    brought = [total for total in totals if total.owner is not None]
    mixed = sum(total.bytes for total in brought if total.mixed)
    if not mixed:
        return ()
    whole = sum(total.bytes for total in brought)
    share = -(-100 * mixed // whole)
    return (
        f"{mixed} of {whole} bytes ({share} %) went through link-time optimisation: the map does "
        "not say which object they come from; see mapinspect show symbols",
    )


def _largest_symbols(around: Surroundings, pieces: Pieces, choice: Choice) -> tuple[str, ...]:
    found = [
        symbol
        for symbol in owned_symbols(around, pieces)
        if is_mixed(symbol.owner) and choice.region in (None, symbol.region, symbol.load_region)
    ]
    found.sort(key=lambda symbol: (-symbol.span.size, symbol.names))
    if not found:
        return ()
    largest = ", ".join(f"{item.names[0]} {item.span.size}" for item in found[:_SYMBOLS_SHOWN])
    return (f"the largest of its {len(found)} symbols, in bytes: {largest}",)


def _without_symbol(around: Surroundings, found: Iterable[OwnedSymbol]) -> tuple[str, ...]:
    whole = sum(section.size for section in around.sections)
    named = sum(span.size for span in union(symbol.span for symbol in found))
    if named >= whole:
        return ()
    return (
        f"{whole - named} of {whole} bytes have no symbol: strings, padding, reservations, "
        "assembler code",
    )
