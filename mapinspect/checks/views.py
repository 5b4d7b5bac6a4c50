"""One memory at several addresses: which sections lie in the same bytes of a part's bank."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from mapinspect.model.image import Span
from mapinspect.model.inspection import PlacedSection
from mapinspect.model.part import BACKWARD, MemoryBank, Part


@dataclass(frozen=True, slots=True)
class Seen:
    """The bytes of a section in one bank: at ``offset`` from its start, seen from ``address``.

    ``view`` is the first address of the view of the bank that the section uses.
    """

    section: PlacedSection
    bank: str
    offset: int
    size: int
    address: int
    view: int

    @property
    def end(self) -> int:
        """Return the first offset past the bytes."""
        return self.offset + self.size


def shared_bytes(
    part: Part, placed: Iterable[tuple[Span, PlacedSection]]
) -> Iterator[tuple[Seen, Seen]]:
    """Yield sections that are at different addresses and yet in the same bytes of a bank."""
    if part.name in BACKWARD:
        return
    seen = [item for span, section in placed for item in _seen(part, span, section)]
    furthest: Seen | None = None
    for item in sorted(seen, key=lambda item: (item.bank, item.offset, item.section.ordinal)):
        if furthest is None or furthest.bank != item.bank:
            furthest = item
            continue
        if item.offset < furthest.end and item.view != furthest.view:
            yield furthest, item
        if item.end > furthest.end:
            furthest = item


def _seen(part: Part, span: Span, section: PlacedSection) -> Iterator[Seen]:
    for bank in part.banks:
        yield from _in_bank(bank, span, section)


def _in_bank(bank: MemoryBank, span: Span, section: PlacedSection) -> Iterator[Seen]:
    for view in bank.views():
        size = view.overlap(span)
        if size:
            start = max(span.start, view.start)
            offset = start - view.start
            yield Seen(section, bank.name, offset, size, start, view.start)
