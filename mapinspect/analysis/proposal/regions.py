"""``[[region]]`` rows and the margin: what each memory holds today, with room to grow."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from mapinspect.analysis.proposal.amounts import in_words, limit_above, size_text
from mapinspect.analysis.proposal.policy import Memories
from mapinspect.model.inspection import Inspection, Usage
from mapinspect.model.proposal import Entry, ProposedRow

MARGIN: Final = Fraction(1, 10)  # of every region, kept free


def region_rows(inspection: Inspection, memories: Memories, *, declare: bool) -> list[ProposedRow]:
    """Return a row for every region in use, and for all of them where the table declares them."""
    return [
        _row(inspection, usage, memories, declare=declare)
        for usage in inspection.usages
        if usage.used or usage.charged or declare
    ]


def _row(inspection: Inspection, usage: Usage, memories: Memories, *, declare: bool) -> ProposedRow:
    region = usage.region
    entries = [Entry("name", region.name)]
    guess = memories.guessed.get(region.name)
    if guess is not None:
        entries.append(Entry("kind", guess, "by its name or contents; nothing states it"))
    elif declare:
        kind = inspection.kind(region.name)
        entries += [Entry("kind", kind)] if kind else []
    if declare:
        entries.append(Entry("origin", region.span.start, hexadecimal=True))
        entries.append(Entry("length", size_text(region.span.size)))
    return ProposedRow((*entries, *_limit(usage)), tuple(_overflow(usage)))


def _overflow(usage: Usage) -> Iterator[str]:
    """Yield that a region overflows: it gets no limit, its length is the one that it breaks."""
    over = usage.charged - usage.region.span.size
    if over > 0:
        yield f"{in_words(over)} too many today: this fails until they are gone"


def _limit(usage: Usage) -> Iterator[Entry]:
    charged, length = _charged(usage), usage.region.span.size
    if not charged or max(usage.used, charged) > length:
        return  # a region that overflows breaks its length
    if charged < usage.charged:
        yield Entry("count", "occupied", "its last section is pinned to its end")
    comment = f"holds {in_words(charged)} of {size_text(length)} today"
    if usage.reserved:
        comment += f", {usage.reserved:,} reserved for stack and heap"
    yield Entry("limit", size_text(limit_above(charged, length)), comment)


def _charged(usage: Usage) -> int:
    """Return what the check is to count: with fixed reserves, less what is elastic.

    Of a region that a section at its very end makes full (CMSIS pins its stack there), only the
    bytes of sections say how much is in use: by its extent nothing could grow, nor be noticed.
    """
    kept = int((1 - MARGIN) * usage.region.span.size)
    pinned = usage.charged > kept >= usage.charged_occupied
    return usage.charged_occupied if pinned else usage.charged


def margin(inspection: Inspection) -> Entry:
    """Return the margin, off where some region is fuller than that already."""
    full = [
        usage.region.name
        for usage in inspection.usages
        if _charged(usage) > (1 - MARGIN) * usage.region.span.size
    ]
    comment = f"{', '.join(full)}: fuller than that today" if full else "kept free in every region"
    return Entry("margin", f"{float(MARGIN * 100):g}%", comment, off=bool(full))
