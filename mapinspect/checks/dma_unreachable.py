"""dma-unreachable: a buffer for DMA lies where DMA does not reach.

Core-coupled memories (CCM of an STM32F4, DTCM of an STM32F7) are out of reach of most DMA
controllers: a transfer from there ends in an error flag that nobody reads. Variables whose names
say that they are a buffer for DMA are compared with the part's memory banks (`mcu` in `[project]`).
A `[[placement]]` row with `dma = true` claims it of anything else, cache lines included.

    warning[dma-unreachable]: adc_dma_buffer (512 bytes) lies in CCM, which DMA does not reach

Mend it by a section attribute that places the buffer in a bank that DMA reaches.
"""

from collections.abc import Iterator

from mapinspect.checks.check import check
from mapinspect.model.finding import Finding, Outcome, Severity, holds, not_claimed
from mapinspect.model.inspection import Inspection, Located


@check(
    "dma-unreachable", "every buffer named for DMA lies where DMA reaches", __doc__, worst="warning"
)
def dma_unreachable(inspection: Inspection) -> Iterator[Outcome]:
    """Compare each buffer's bank with what the part's DMA reaches."""
    buffers = inspection.habits.dma_buffers
    if inspection.part is None or not buffers:
        reason = "no part is named" if inspection.part is None else "no buffer is named for DMA"
        yield not_claimed("dma", reason)
        return
    for item in buffers:
        bank = inspection.part.bank_of(item.span)
        if bank is not None and bank.dma is False:
            yield holds(item.name, _warning(item, bank.name))
        elif bank is not None and bank.dma:
            yield holds(item.name)


def _warning(item: Located, bank: str) -> Finding:
    message = f"{item.name} ({item.span.size} bytes) lies in {bank}, which DMA does not reach"
    remedy = "place it in a bank that DMA reaches"
    return Finding(Severity.WARNING, item.name, message, (item.evidence,), remedy)
