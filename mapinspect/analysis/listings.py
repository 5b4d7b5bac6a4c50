"""Facts about an image → what ``mapinspect show`` lists of them."""

from collections.abc import Callable, Iterable
from fnmatch import fnmatchcase

from mapinspect.analysis.locate import Surroundings
from mapinspect.model.image import Role
from mapinspect.model.inspection import Inspection, Placement
from mapinspect.model.listing import Choice, Column, Listing, Row, Shape

TEXT, BYTES, ADDRESS, COUNT = Shape.TEXT, Shape.BYTES, Shape.ADDRESS, Shape.COUNT
# What --sort may be, and the key of the rows that it goes by; sizes sort the largest first.
SORTS = {
    "regions": {"address": "origin", "size": "used", "name": "name"},
    "sections": {"address": "vma", "size": "size", "name": "name"},
    "objects": {"size": "bytes", "name": "object"},
    "archives": {"size": "bytes", "name": "archive"},
    "symbols": {"size": "size", "address": "address", "name": "name"},
    "reservations": {"size": "bytes", "name": "name"},
}
_REGIONS = (
    Column("name", "region", TEXT),
    Column("origin", "origin", ADDRESS),
    Column("length", "length", BYTES),
    Column("used", "used", BYTES),
    Column("occupied", "occupied", BYTES, narrow=False),
    Column("padding", "padding", BYTES),
    Column("gaps", "gaps", BYTES),
    Column("free", "free", BYTES),
    Column("largest_free", "largest free", BYTES),
    Column("explained", "not as ld counts", TEXT, narrow=False),
)
_SECTIONS = (
    Column("name", "section", TEXT),
    Column("vma", "runs at", ADDRESS),
    Column("lma", "stored at", ADDRESS, narrow=False),
    Column("size", "size", BYTES),
    Column("region", "region", TEXT),
    Column("load_region", "stored in", TEXT),
    Column("type", "type", TEXT),
)
_RESERVATIONS = (
    Column("kind", "kind", TEXT),
    Column("name", "name", TEXT),
    Column("bytes", "bytes", BYTES),
    Column("convention", "convention", TEXT),
    Column("elastic", "elastic", TEXT),
)


def regions(facts: Inspection, choice: Choice) -> Listing:
    """List the regions: what each holds, what is free, and why ld counts otherwise."""
    rows = [
        {
            "name": usage.region.name,
            "origin": usage.region.span.start,
            "length": usage.region.span.size,
            "used": usage.used,
            "occupied": usage.occupied,
            "padding": usage.padding,
            "gaps": usage.gaps,
            "free": usage.free,
            "largest_free": usage.largest_free,
            "explained": [{"what": row.what, "bytes": row.bytes} for row in usage.explained],
        }
        for usage in facts.usages
        if choice.region in (None, usage.region.name)
    ]
    outside = [item for item in facts.placements if item.region is None]
    notes = tuple(_outside(item) for item in outside) if facts.regions else ()
    return Listing("regions", _REGIONS, chosen("regions", rows, choice), notes)


def _outside(item: Placement) -> str:
    verb = "runs" if item.role is Role.RUN else "is stored"
    name, span = item.section.name, item.span
    return f"{name} ({span.size} bytes) {verb} at {span.start:#010x}, outside every region"


def sections(around: Surroundings, choice: Choice) -> Listing:
    """List the allocated sections, where each runs and where it is stored."""
    kinds = {item.ordinal: item.kind for item in around.elf.sections} if around.elf else {}
    homes = {key: region.name for key, region in around.homes.items() if region is not None}
    rows = [
        {
            "name": section.name,
            "vma": section.vma,
            "lma": section.lma,
            "size": section.size,
            "region": homes.get((section.ordinal, Role.RUN)),
            "load_region": homes.get((section.ordinal, Role.LOAD)),
            "type": kinds.get(section.ordinal, ""),
        }
        for section in around.sections
    ]
    if choice.region is not None:
        rows = [row for row in rows if choice.region in (row["region"], row["load_region"])]
    return Listing("sections", _SECTIONS, chosen("sections", rows, choice))


def reservations(facts: Inspection, around: Surroundings, choice: Choice) -> Listing:
    """List the stacks and heaps, and the convention that tells each."""
    spans = {region.name: region.span for region in around.regions}
    rows: list[Row] = []
    for item in facts.reservations:
        place = item.place
        held = [name for name, span in spans.items() if place and span.overlap(place)]
        if choice.region is None or choice.region in held:
            rows.append(
                {
                    "kind": item.kind,
                    "name": item.name,
                    "bytes": item.bytes,
                    "convention": item.convention,
                    "elastic": item.elastic,
                }
            )
    notes = () if rows else ("no stack and no heap is reserved in a way that is known",)
    return Listing("reservations", _RESERVATIONS, chosen("reservations", rows, choice), notes)


def chosen(noun: str, rows: Iterable[Row], choice: Choice) -> tuple[Row, ...]:
    """Return the rows that match, sorted and cut; without ``sort`` in the order given."""
    found = [row for row in rows if _matches(row, choice.glob)]
    if choice.sort is not None:
        found.sort(key=_sort_key(SORTS[noun][choice.sort], largest_first=choice.sort == "size"))
    return tuple(found[: choice.top])


def _matches(row: Row, glob: str | None) -> bool:
    if glob is None:
        return True
    names = [row.get(key) for key in ("name", "object", "archive")]
    names += row.get("aliases", ())
    return any(isinstance(name, str) and fnmatchcase(name, glob) for name in names)


def _sort_key(key: str, *, largest_first: bool) -> Callable[[Row], tuple[object, ...]]:
    def of(row: Row) -> tuple[object, ...]:
        """Return what a row sorts by."""
        value = row[key]
        if largest_first:
            return (-value,)
        return (value is None, value if value is not None else 0)

    return of
