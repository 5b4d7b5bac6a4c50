"""A map's summary as text: what is in which region, what is largest, what was not understood."""

from collections.abc import Iterable, Iterator, Sequence

from tabulate import tabulate

from mapinspect.model.link_map import ArchiveMember, MapSection, ObjectFile
from mapinspect.model.map_summary import MapSummary, RegionUse
from mapinspect.reports.printable import place, printable
from mapinspect.reports.sizes import grouped

_ROWS = 20  # of a table of objects or archives; --format json has all
_FAULTS = 50  # lines not understood that are shown
_NAME_WIDTH = 46  # characters; keeps the tables within 80 columns


def render(summary: MapSummary, use: RegionUse) -> str:
    """Return the summary; sizes are bytes."""
    blocks = [
        _regions(use),
        _sections(summary),
        _objects(summary),
        _archives(summary),
        _members(summary.link_map.members),
        _discarded(summary),
        "\n".join(_faults(summary)),
        _coverage(summary),
    ]
    return "\n\n".join(block for block in blocks if block) + "\n"


def _table(rows: Sequence[Sequence[str]], headers: tuple[str, ...], align: tuple[str, ...]) -> str:
    table = tabulate(rows, headers, "simple", colalign=align, disable_numparse=True)
    return "\n".join(line.rstrip() for line in table.split("\n"))


def _regions(use: RegionUse) -> str:
    rows = []
    for usage in use.usages:
        length = usage.region.span.size
        state = f"{grouped(usage.used - length)} over" if usage.used > length else ""
        share = f"{-(-1000 * usage.used // length) / 10:.1f} %" if length else ""
        rows.append(
            (
                printable(usage.region.name, _NAME_WIDTH),
                f"{usage.region.span.start:#010x}",
                grouped(length),
                grouped(usage.used),
                share,
                state or grouped(length - usage.used),
            )
        )
    if not rows:
        return "The map names no memory regions."
    headers = ("region", "origin", "length", "used", "", "free")
    align = ("left", "left", "right", "right", "right", "right")
    outside = [f"outside every region: {_section(section)}" for section in use.outside]
    return "\n".join([_table(rows, headers, align), *outside])


def _section(section: MapSection) -> str:
    name = printable(section.name, _NAME_WIDTH)
    return f"{name} at {section.vma or 0:#010x}, {grouped(section.size)} bytes"


def _sections(summary: MapSummary) -> str:
    rows = [
        (
            printable(section.name, _NAME_WIDTH),
            f"{section.vma or 0:#010x}",
            grouped(section.size),
            "" if section.lma == section.vma else f"{section.lma or 0:#010x}",
        )
        for section in summary.link_map.sections
        if section.size
    ]
    headers = ("output section", "address", "bytes", "load address")
    return _table(rows, headers, ("left", "left", "right", "left"))


def _objects(summary: MapSummary) -> str:
    rows = [
        (printable(shown(row.owner), _NAME_WIDTH), grouped(row.bytes))
        for row in summary.objects[:_ROWS]
    ]
    return _largest(rows, "object", len(summary.objects))


def _archives(summary: MapSummary) -> str:
    rows = [
        (printable(_without_folders(name), _NAME_WIDTH), grouped(size))
        for name, size in summary.archives[:_ROWS]
    ]
    return _largest(rows, "archive", len(summary.archives))


def _largest(rows: Sequence[tuple[str, str]], what: str, count: int) -> str:
    if not rows:
        return ""
    table = _table(rows, (what, "bytes"), ("left", "right"))
    return table if count <= len(rows) else f"{table}\n... and {count - len(rows)} smaller ones"


def shown(owner: ObjectFile) -> str:
    """Return an object as ld prints it, without the folders of its archive."""
    if owner.archive is None:
        return owner.path
    return f"{_without_folders(owner.archive)}({owner.path})"


def _without_folders(path: str) -> str:
    archive, bracket, member = path.partition("(")
    return archive.replace("\\", "/").rpartition("/")[2] + bracket + member


def _members(members: Iterable[ArchiveMember]) -> str:
    lines = []
    for member in members:
        name = printable(shown(member.member), _NAME_WIDTH)
        requester = printable(_without_folders(member.requester or ""))
        wanted = f"{printable(member.symbol)} of {requester}" if requester else member.symbol
        lines.append(f"  {name}: for {printable(wanted)}")
    return "\n".join(["Archive members, and what they were linked for", *lines]) if lines else ""


def _discarded(summary: MapSummary) -> str:
    count = len(summary.link_map.discarded_sizes)
    if not count:
        return ""
    return f"Discarded: {grouped(summary.discarded_bytes)} bytes in {grouped(count)} input sections"


def _faults(summary: MapSummary) -> Iterator[str]:
    path = summary.link_map.path
    unknown = summary.link_map.unknown
    for line in unknown[:_FAULTS]:
        yield f"not understood: {place(path, line.line)}: {printable(line.text)}"
    if len(unknown) > _FAULTS:
        yield f"not understood: {len(unknown) - _FAULTS:,} more lines"
    for fault in summary.unconserved:
        where = place(fault.evidence.file, fault.evidence.line)
        yield (
            f"does not add up: {where}: {printable(fault.section)} has {fault.expected:,} bytes, "
            f"its lines explain {fault.found:,}"
        )
    for what in summary.link_map.missing:
        yield f"missing: {what}: the link failed or the file was cut"


def _coverage(summary: MapSummary) -> str:
    total = summary.link_map.line_count
    understood = f"{summary.understood_lines:,} of {total:,} lines understood"
    sections = sum(1 for section in summary.link_map.sections if section.vma is not None)
    right = sections - len(summary.unconserved)
    return f"{understood}, {right:,} of {sections:,} sections add up"
