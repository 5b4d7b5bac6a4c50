"""Regions over their limits → the cheapest changes that would bring each under it."""

from collections.abc import Iterator, Sequence
from typing import Final

from mapinspect.analysis.inclusion import printed_name
from mapinspect.analysis.locate import Surroundings
from mapinspect.analysis.moves import Candidate, candidates, homes_for
from mapinspect.analysis.owner_totals import object_totals
from mapinspect.analysis.owners import owner_rows, pieces_of
from mapinspect.model.elf_file import SymbolKind
from mapinspect.model.image import Span
from mapinspect.model.inspection import Inspection, Located, Usage
from mapinspect.model.link_map import LinkMap
from mapinspect.model.remedy import Heavy, Move, Remedy

_MOVES: Final = 3  # single changes that are shown
_TOGETHER: Final = 8  # changes that are shown together
_HEAVY: Final = 5  # objects
_LARGE: Final = 1024  # bytes of a variable that is worth moving
_VARIABLES: Final = 20


def remedies(inspection: Inspection, around: Surroundings) -> tuple[Remedy, ...]:
    """Return a remedy for each region over its limit, in the order of the regions."""
    found = []
    for usage in inspection.usages:
        limit = inspection.limit(usage.region.name)
        over = max(limit.measured(usage) - limit.limit, -usage.free)
        if over > 0:
            found.append(_remedy(inspection, around, usage, over))
    return tuple(found)


def _remedy(inspection: Inspection, around: Surroundings, usage: Usage, over: int) -> Remedy:
    region = usage.region.name
    large = _variables(around, region)
    known = candidates(inspection, region, over, large)
    alone = [move for item in known if (move := _alone(inspection, item, region, over))]
    heavy = tuple(_heavy(inspection, around, usage, large))
    if alone:
        alone.sort(key=lambda move: (move.bytes, move.subject))
        return Remedy(region, over, tuple(alone[:_MOVES]), enough=True, heavy=heavy)
    moves = tuple(_together(inspection, known, region, over))
    enough = sum(move.bytes for move in moves) >= over
    return Remedy(region, over, moves, enough, heavy)


def _alone(inspection: Inspection, item: Candidate, region: str, over: int) -> Move | None:
    """Return a change that is enough by itself, or None."""
    home = homes_for(inspection, item, region, ())
    if item.bytes < over or (item.homes and home is None):
        return None
    return Move(item.subject, item.action, item.bytes, home, enough=True, evidence=item.evidence)


def _together(
    inspection: Inspection, known: Sequence[Candidate], region: str, over: int
) -> Iterator[Move]:
    """Yield changes, the largest first, until they are enough together."""
    taken: list[tuple[str, int]] = []
    saved = count = 0
    for item in sorted(known, key=lambda item: (-item.bytes, item.subject)):
        home = homes_for(inspection, item, region, taken)
        if item.homes and home is None:
            continue
        if saved >= over or count >= _TOGETHER:
            return
        if home is not None:
            taken.append((home, item.bytes))
        saved, count = saved + item.bytes, count + 1
        yield Move(item.subject, item.action, item.bytes, home, False, item.evidence)


def _variables(around: Surroundings, region: str) -> tuple[Located, ...]:
    """Return the largest variables and tables of a region, largest first."""
    elf = around.elf
    if elf is None:
        return ()
    by_ordinal = {section.ordinal: section for section in around.sections}
    large = [at for at, size in enumerate(elf.symbols.sizes()) if size >= _LARGE]
    found: dict[Span, Located] = {}
    for symbol in (elf.symbols[at] for at in large):
        section = by_ordinal.get(-1 if symbol.section is None else symbol.section)
        if section is None or symbol.kind is not SymbolKind.OBJECT or not symbol.has_address:
            continue
        place = around.symbol(section, symbol)
        if place.region == region:
            found.setdefault(place.span, place)
    ordered = sorted(found.values(), key=lambda place: (-place.span.size, place.name))
    return tuple(ordered[:_VARIABLES])


def _heavy(
    inspection: Inspection, around: Surroundings, usage: Usage, large: Sequence[Located]
) -> Iterator[Heavy]:
    """Yield the largest objects of a region: what pulled each in, or what is large in it."""
    link_map = around.link_map
    if link_map is None:
        return
    pieces = pieces_of(around.elf, link_map, inspection.reservations)
    rows = list(owner_rows([usage], pieces))
    totals = [item for item in object_totals(rows) if item.owner is not None]
    for item in sorted(totals, key=lambda item: (-item.bytes, str(item.owner)))[:_HEAVY]:
        owner = item.owner
        assert owner is not None
        if owner.archive is not None:
            because = _because(link_map, printed_name(owner))
        else:
            because = _largest(large, [row.span for row in rows if row.owner == owner])
        yield Heavy(_short(printed_name(owner)), item.bytes, because)


def _largest(large: Sequence[Located], spans: Sequence[Span]) -> str:
    """Return which variable is the largest of an object, where one is large."""
    for place in large:
        if any(span.contains(place.span) for span in spans):
            return f"{place.name} has {place.span.size} bytes"
    return "it is named to the linker"


def _because(link_map: LinkMap, name: str) -> str:
    for member in link_map.members:
        if printed_name(member.member) == name:
            if member.requester is None:
                return f"the command line or script asks for {member.symbol}"
            return f"{_short(member.requester)} asks for {member.symbol}"
    return "it is named to the linker"


def _short(name: str) -> str:
    """Return a file without its folders; those of an archive's member are not the archive's."""
    archive, opening, member = name.replace("\\", "/").rpartition("(")
    if not opening:
        return member.rsplit("/", 1)[-1]
    return f"{archive.rsplit('/', 1)[-1]}({member}"
