"""The six rows across regions: by memory bank of the part, and in total by kind of memory."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from mapinspect.analysis.estimates import estimated
from mapinspect.analysis.rows import ROWS
from mapinspect.analysis.usage import cut, size_of, union
from mapinspect.analysis.weighing import Peaks
from mapinspect.model.budget_rows import Piece
from mapinspect.model.image import Span
from mapinspect.model.inspection import Inspection, Usage
from mapinspect.model.part import MemoryBank
from mapinspect.model.region_kind import RAM_KINDS
from mapinspect.model.report import BudgetLine

_ALL: Final = {
    "flash": "all Flash",
    "external-flash": "all external Flash",
    "sram": "all SRAM",
    "psram": "all PSRAM",
}


def only_ram(inspection: Inspection) -> str | None:
    """Return the name of the only used region of RAM, or None where there are more."""
    used = [
        usage.region.name
        for usage in inspection.usages
        if usage.charged and inspection.kind(usage.region.name) in RAM_KINDS
    ]
    return used[0] if len(used) == 1 else None


def sum_lines(inspection: Inspection, peaks: Peaks) -> Iterator[BudgetLine]:
    """Yield the rows of all regions of one kind together, where there are several."""
    for kind, name in _ALL.items():
        own = [
            usage
            for usage in inspection.usages
            if usage.charged and inspection.kind(usage.region.name) == kind
        ]
        if len(own) > 1:
            names = {usage.region.name for usage in own}
            spans = _spans(piece for piece in inspection.pieces if piece.region in names)
            limit = _limit(inspection, own)
            for line in _lines(name, "sum", spans, limit, every=kind in RAM_KINDS):
                need = estimated(inspection, line.row, names)
                yield replace(line, estimated=need, measured=_measured(line.row, own, peaks))
            if kind in RAM_KINDS:
                block = max(_largest(usage) for usage in own)
                yield BudgetLine("largest", name, None, 0, None, None, block, "-", scope="sum")


def _measured(row: str, usages: Sequence[Usage], peaks: Peaks) -> int | None:
    def inside(span: Span) -> bool:
        """Return whether one of the regions holds a span whole."""
        return any(usage.region.span.contains(span) for usage in usages)

    return peaks.total(row, inside)


def _largest(usage: Usage) -> int:
    """Return the largest free run of a region at least: an elastic heap's bytes are free too."""
    return max(usage.largest_free - usage.reserved, usage.elastic, 0)


def _spans(pieces: Iterable[Piece]) -> dict[str, list[Span]]:
    spans: dict[str, list[Span]] = {row: [] for row in ROWS}
    for piece in pieces:
        spans[piece.row].append(piece.span)
    return spans


def _limit(inspection: Inspection, usages: Sequence[Usage]) -> int | None:
    """Return what the regions may hold together; None where they share addresses."""
    spans = [usage.region.span for usage in usages]
    if size_of(union(spans)) < size_of(spans):
        return None
    return sum(inspection.limit(usage.region.name).limit for usage in usages)


def bank_lines(inspection: Inspection) -> Iterator[BudgetLine]:
    """Yield the rows of each bank of the part that is no region of the script by itself."""
    regions = {region.span for region in inspection.regions}
    for bank in inspection.part.banks if inspection.part else ():
        if regions.intersection(bank.views()):
            continue
        spans = _spans(
            Piece(piece.row, bank.name, part)
            for piece in inspection.pieces
            if (part := _in_bank(piece.span, bank)).size
        )
        if any(spans.values()):
            name = f"bank {bank.name}"
            yield from _lines(name, "bank", spans, bank.static_limit or bank.span.size, every=False)


def _in_bank(span: Span, bank: MemoryBank) -> Span:
    """Return the part of a span that lies in a bank, at the bank's own addresses."""
    for view in bank.views():
        part = cut(span, view)
        if part.size:
            return Span(part.start - view.start + bank.span.start, part.size)
    return Span(span.start, 0)


def _lines(
    memory: str, scope: str, spans: dict[str, list[Span]], limit: int | None, *, every: bool
) -> Iterator[BudgetLine]:
    sizes = {row: size_of(union(spans[row])) for row in ROWS}
    for row, linked in sizes.items():
        if linked or every:
            yield BudgetLine(row, memory, None, linked, None, None, None, "-", scope=scope)
    total = sum(sizes.values())
    free = None if limit is None else limit - total
    yield BudgetLine("total", memory, None, total, None, limit, free, "-", scope=scope)
