"""The report as text for people and logs: verdict, tables, findings, one line to end with."""

from collections.abc import Iterator

from tabulate import tabulate

from mapinspect.model.arena_room import slack
from mapinspect.model.embedded import EmbeddedModel
from mapinspect.model.finding import Finding, Severity, Status
from mapinspect.model.inspection import Inspection, Located, arrays
from mapinspect.model.report import BudgetLine, Report
from mapinspect.model.reservation import Reservation
from mapinspect.model.symbol_names import source_name
from mapinspect.reports.budget_table import budget_table
from mapinspect.reports.log_text import log_text
from mapinspect.reports.printable import place as shown_place
from mapinspect.reports.printable import printable
from mapinspect.reports.remedy_text import remedy_text
from mapinspect.reports.sizes import grouped, kib_down, kib_up

_RECOGNISED = 12  # entries; generated code has an array for each tensor
_NAME_WIDTH = 24  # characters; keeps the tables within 80 columns


def render(report: Report) -> str:
    """Return the report; sizes in the tables are bytes."""
    blocks = [_title(report)]
    if report.inspection is not None:
        blocks.append(budget_table(report.lines))
        blocks.append(_placements(report.inspection))
        blocks.append(_recognised(report.inspection))
    blocks += [_finding(finding) for finding in report.findings]
    blocks += [remedy_text(remedy) for remedy in report.remedies]
    blocks.append(log_text(report.log))
    blocks.append(_claims(report))
    blocks.append(summary(report))
    return "\n\n".join(block for block in blocks if block) + "\n"


def _title(report: Report) -> str:
    facts = report.inspection
    name = f"  {printable(facts.table.name)}" if facts and facts.table.name else ""
    lines = [f"{report.verdict.value.upper()}{name}"]
    width = max((len(item.role) for item in report.inputs), default=0)
    lines += [f"  {item.role:<{width}} {printable(item.path)}" for item in report.inputs]
    return "\n".join(lines)


def _table(rows: list[tuple[str, ...]], headers: tuple[str, ...], align: tuple[str, ...]) -> str:
    table = tabulate(rows, headers, "simple", colalign=align, disable_numparse=True)
    return "\n".join(line.rstrip() for line in table.split("\n"))


def _name(text: str) -> str:
    return printable(text, _NAME_WIDTH)


def _placements(facts: Inspection) -> str:
    rows: list[tuple[str, ...]] = []
    for what, located, note in (*_weight_places(facts), *_arena_places(facts)):
        rows += _place_rows(what, located, note)
    for item in facts.reservations:
        rows += _reservation_rows(item, facts)
    if not rows:
        return ""
    headers = ("", "where", "address", "size", "align")
    table = _table(rows, headers, ("left", "left", "left", "right", "right"))
    return f"Weights, arena, stack and heap\n\n{table}"


def _place_rows(what: str, located: Located, note: str) -> Iterator[tuple[str, ...]]:
    address, size = f"{located.span.start:#010x}", grouped(located.span.size)
    yield (what, _name(source_name(located.name)), address, size, str(located.alignment))
    region = printable(located.region or "in no region", _NAME_WIDTH)
    yield ("", f"  {_name(located.section.name)}, {region}", "", "", "")
    yield ("", f"  {note}", "", "", "")


def _reservation_rows(item: Reservation, facts: Inspection) -> Iterator[tuple[str, ...]]:
    address = "" if item.place is None else f"{item.place.start:#010x}"
    yield (item.kind, _name(source_name(item.name)), address, grouped(item.bytes), "")
    note = "takes the rest of RAM" if item.elastic else "reserved"
    peaks = [
        found.item.bytes
        for found in facts.measured
        if found.counts and (found.reserved, found.span) == (item.name, item.place)
    ]
    yield ("", f"  {note} ({printable(item.convention, 40)})", "", "", "")
    if peaks:
        yield ("", f"  used {max(peaks):,}", "", "", "")


def _weight_places(facts: Inspection) -> Iterator[tuple[str, Located, str]]:
    for model in facts.models:
        for copy in model.copies:
            yield "weights", copy.place, "equals its file" if copy.matches else "differs"
        for part in arrays(model.parts):
            yield "weights", part, "tensors of the model, found one by one"
    for other in facts.embedded:
        if other.entry is None:
            yield "model", other.place, f"embedded model: {_model_note(other)}"


def _recognised(facts: Inspection) -> str:
    """Return what patterns say of places that no model and no table names."""
    known = {copy.place.span.start for model in facts.models for copy in model.copies}
    known |= {model.place.span.start for model in facts.embedded}
    known |= {place.span.start for arena in facts.arenas for place in arena.candidates}
    found = [item for item in facts.recognised if item.span.start not in known]
    lines = [
        f"{_name(source_name(item.name))} at {item.span.start:#010x}, {item.span.size:,} bytes:\n"
        f"  {printable(item.sentence())}"
        for item in found[:_RECOGNISED]
    ]
    if len(found) > _RECOGNISED:
        lines.append(f"and {len(found) - _RECOGNISED} more")
    return "\n".join(lines)


def _model_note(model: EmbeddedModel) -> str:
    if model.network is None:
        return printable(model.fault)
    operators = sum(len(graph.operators) for graph in model.network.subgraphs)
    return f"{operators} operators, no --model given"


def _arena_places(facts: Inspection) -> Iterator[tuple[str, Located, str]]:
    for arena in facts.arenas:
        for located in arena.candidates:
            at_least = "" if arena.exact else "at least "
            need = "need unknown" if arena.needed is None else f"needs {at_least}{arena.needed:,}"
            yield "arena", located, need


def _finding(finding: Finding) -> str:
    lines = [f"{finding.severity.value}[{finding.check}]: {printable(finding.message, 1000)}"]
    if finding.severity is Severity.INFORMATION:
        return "\n".join([*lines, f"  help: {printable(finding.help)}"])
    for item in finding.evidence:
        lines.append(f"  --> {shown_place(item.file, item.line)}: {printable(item.text)}")
    lines.append(f"  help: {printable(finding.help)}")
    return "\n".join(lines)


def _claims(report: Report) -> str:
    counts = (
        f"{report.count(Status.HOLDS)} claims hold, {report.count(Status.BROKEN)} broken, "
        f"{report.count(Status.UNDECIDED)} undecided, {report.count(Status.WAIVED)} waived"
    )
    return "\n".join([counts, *(printable(note) for note in report.notes)])


def summary(report: Report) -> str:
    """Return the last line: verdict, every used region in KiB, arena slack, what is open."""
    parts = []
    if report.inspection is not None:
        parts += [_region(line) for line in report.lines if _is_region(line)]
        parts += list(_slack(report.inspection))
    for status in (Status.UNDECIDED, Status.WAIVED):
        if report.count(status):
            parts.append(f"{report.count(status)} {status.value}")
    if report.failure is not None:
        parts.append(printable(report.failure.message))
    return f"{report.verdict.value.upper()}  " + " · ".join(parts)


def _is_region(line: BudgetLine) -> bool:
    return line.scope == "region" and line.row == "total" and line.linked > 0


def _region(line: BudgetLine) -> str:
    assert line.limit is not None
    used, limit = kib_up(line.linked), kib_down(line.limit)
    if line.linked <= line.limit and _reads_as_over(used, limit):
        return f"{_name(line.memory)} {line.linked:,}/{line.limit:,} B"
    over = f" (+{kib_up(line.linked - line.limit)})" if line.linked > line.limit else ""
    return f"{_name(line.memory)} {used}/{limit} KiB{over}"


def _reads_as_over(used: str, limit: str) -> bool:
    """Return whether rounding makes what fits look as if it did not."""
    return float(used) > float(limit)


def _slack(facts: Inspection) -> Iterator[str]:
    several = len(facts.arenas) > 1
    for arena in facts.arenas:
        room = slack(arena)
        if room is not None and arena.place is not None:
            at_most = "" if arena.exact or room < 0 else "at most "
            which = f"{_name(source_name(arena.place.name))}: " if several else ""
            yield f"{which}arena slack {at_most}{room:,} B"
