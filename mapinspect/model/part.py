"""What silicon a firmware runs on: a part and its memory banks. Sizes are bytes."""

from dataclasses import dataclass

from mapinspect.model.image import Evidence, Region, Span

# The second view of this part's SRAM runs backward (ESP32 TRM, internal SRAM 1).
BACKWARD = ("ESP32",)
_ATTRIBUTES = {"flash": "xr", "eeprom": "r", "ram": "xrw", "external": "xr"}


@dataclass(frozen=True, slots=True)
class MemoryBank:
    """One memory of a part.

    ``kind`` is "flash", "eeprom", "ram" or "external": a window on memory outside the part,
    whose span is the window's and not what is fitted. ``aliases`` are other first addresses of
    the same bytes. ``dma`` says whether the general DMA controllers reach it, ``cacheable``
    whether a data cache of the core may hold its bytes; None: not known. ``zero_wait`` bytes
    from the origin are read without wait states; ``static_limit`` is what a linker may place;
    ``most`` is what the program, or a fuse, can make of the span, at the cost of other banks.
    """

    name: str
    kind: str
    span: Span
    aliases: tuple[int, ...] = ()
    dma: bool | None = None
    cacheable: bool | None = None
    zero_wait: int | None = None
    static_limit: int | None = None
    most: int | None = None

    def views(self) -> tuple[Span, ...]:
        """Return the bank's span at each of its addresses, its own first."""
        return (self.span, *(Span(alias, self.span.size) for alias in self.aliases))


@dataclass(frozen=True, slots=True)
class Part:
    """A microcontroller: ``name`` has x for letters that do not change the memories.

    ``source`` names the documents of the figures; ``declared`` is where mapinspect has them.
    """

    name: str
    core: str
    banks: tuple[MemoryBank, ...]
    source: str
    declared: Evidence

    def bank_of(self, span: Span) -> MemoryBank | None:
        """Return the bank that holds every byte of ``span``, at any of its addresses."""
        for bank in self.banks:
            if any(view.contains(span) for view in bank.views()):
                return bank
        return None

    def elsewhere(self, span: Span) -> tuple[Span, ...]:
        """Return the other addresses of a span's bytes; none where a view runs backward."""
        found = []
        for bank in self.banks if self.name not in BACKWARD else ():
            for view in bank.views():
                start, end = max(span.start, view.start), min(span.end, view.end)
                if start < end:
                    others = (other for other in bank.views() if other != view)
                    found += [
                        Span(other.start + start - view.start, end - start) for other in others
                    ]
        return tuple(found)

    def total(self, kind: str) -> int:
        """Return the bytes of all banks of one kind; a bank with aliases counts once."""
        return sum(bank.span.size for bank in self.banks if bank.kind == kind)

    def regions(self) -> tuple[Region, ...]:
        """Return the banks as regions, for an image whose map and script are not at hand."""
        return tuple(
            Region(bank.name, bank.span, _ATTRIBUTES[bank.kind], self.declared)
            for bank in self.banks
        )
