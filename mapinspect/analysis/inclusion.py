"""The archive table and the cross references of a map → why an object was linked."""

from collections.abc import Iterator
from difflib import get_close_matches
from fnmatch import fnmatchcase

from mapinspect.analysis.sections import seems_allocated
from mapinspect.model.image import Evidence
from mapinspect.model.inclusion import Inclusion, Reference, SymbolUse
from mapinspect.model.link_map import ArchiveMember, LinkMap, ObjectFile

_PLUGIN = " (symbol from plugin)"  # ld's note on a file that link-time optimisation read
_SUGGESTED = 3  # names; enough to see one's own typing error


def inclusions(link_map: LinkMap, wanted: str) -> tuple[Inclusion, ...]:
    """Return why each object is linked that ``wanted`` names, in the map's order.

    ``wanted`` is a name as the map prints it (``libc.a(printf.o)``), its end at a folder or the
    member alone (``printf.o``), or a glob on these.
    """
    reasons: dict[ObjectFile, ArchiveMember] = {}
    for member in link_map.members:
        reasons.setdefault(member.member, member)
    loaded = [ObjectFile(path, None) for path in link_map.loaded]
    objects = dict.fromkeys([*reasons, *loaded])
    chosen = [item for item in objects if _is_named(item, wanted)]
    if not chosen:
        return ()
    sizes = _sizes(link_map)
    return tuple(
        Inclusion(
            object=item,
            chain=tuple(_chain(link_map, reasons, item)),
            uses=tuple(_uses(link_map, item)),
            bytes=sizes.get(item, 0),
        )
        for item in chosen
        if item in reasons or item in sizes
    )


def similar_names(link_map: LinkMap, wanted: str) -> list[str]:
    """Return the names of members that look most like ``wanted``."""
    names = [member.member.path for member in link_map.members]
    return get_close_matches(wanted, dict.fromkeys(names), _SUGGESTED)


def printed_name(item: ObjectFile) -> str:
    """Return an object as the map prints it."""
    return item.path if item.archive is None else f"{item.archive}({item.path})"


def _is_named(item: ObjectFile, wanted: str) -> bool:
    whole = printed_name(item).replace("\\", "/")
    short = whole
    if item.archive is not None:
        archive = item.archive.replace("\\", "/").rsplit("/", 1)[-1]
        short = f"{archive}({item.path})"
    last = item.path.replace("\\", "/").rsplit("/", 1)[-1]
    return any(
        name == wanted or fnmatchcase(name, wanted) for name in (whole, short, item.path, last)
    )


def _chain(
    link_map: LinkMap, reasons: dict[ObjectFile, ArchiveMember], item: ObjectFile
) -> Iterator[Reference]:
    """Yield the references from a member up to the file that was named to the linker."""
    by_name = {member.path: reason for member, reason in reasons.items()}
    by_name |= {printed_name(member): reason for member, reason in reasons.items()}
    reason = reasons.get(item)
    seen: set[ObjectFile] = set()
    while reason is not None and reason.member not in seen:
        seen.add(reason.member)
        by = "" if reason.requester is None else f"{reason.requester} "
        text = f"{printed_name(reason.member)} {by}({reason.symbol})"
        evidence = Evidence(link_map.path, reason.line, text)
        yield Reference(reason.member, reason.symbol, reason.requester, evidence)
        reason = by_name.get((reason.requester or "").removesuffix(_PLUGIN))


def _uses(link_map: LinkMap, item: ObjectFile) -> Iterator[SymbolUse]:
    """Yield the symbols that the object defines and others use; the definer is printed first."""
    name = printed_name(item)
    for reference in link_map.cross_references:
        if len(reference.files) > 1 and reference.files[0] == name:
            yield SymbolUse(reference.symbol, reference.files[1:], reference.line)


def _sizes(link_map: LinkMap) -> dict[ObjectFile, int]:
    sections = (item for item in link_map.sections if item.size and seems_allocated(item))
    return link_map.inputs.occupied_by_owner(section.ordinal for section in sections)
