"""What memory a region of a linker script is: by the part's banks, its attributes, its name."""

import re
from typing import Final

from mapinspect.model.image import Region, Span
from mapinspect.model.part import MemoryBank, Part

# What the table, and kind_of, may call a region; of both groups the usual one comes first.
RAM_KINDS: Final = ("sram", "psram")
FLASH_KINDS: Final = ("flash", "external-flash")

_WORD: Final = re.compile(r"[a-z]+")
_RAM_WORDS: Final = ("ram", "tcm", "ccm")  # ends of words: sram, ITCM, CCM
_NO_RAM: Final = ("fram", "nvram", "program")  # words that end in ram and keep their bytes
_FLASH_OF_ESP: Final = "iram0_2_seg"  # ESP-IDF, memory.ld: code in Flash, read through the cache


def kind_of(region: Region, part: Part | None) -> str | None:
    """Return ``flash``, ``sram`` or ``psram``; None where nothing says.

    The part knows best: a script may call Flash writable (``FLASH (rwx)``), and RAM for code
    read-only (``iram0_0_seg (RX)`` of ESP-IDF). What is written to in a window on external
    memory is PSRAM. Without a part the attributes decide; a region that may not be written is RAM
    only where its name says so.
    """
    granted = region.attributes.split("!")[0].strip()
    bank = bank_at(region, part)
    if bank is not None and bank.kind == "ram":
        return "sram"
    if bank is not None and bank.kind == "flash":
        return "flash"
    if not set(granted) & {"r", "w", "x"}:
        return None
    if "w" in granted:
        return "psram" if bank is not None and bank.kind == "external" else "sram"
    return "sram" if bank is None and says_ram(region.name) else "flash"


def bank_at(region: Region, part: Part | None) -> MemoryBank | None:
    """Return the part's bank that holds a region's first byte."""
    return part.bank_of(Span(region.span.start, 1)) if part is not None else None


def says_ram(name: str) -> bool:
    """Return whether a region's name has a word for RAM.

    >>> [says_ram(name) for name in ("iram0_0_seg", "DTCM", "PROGRAM", "iram0_2_seg")]
    [True, True, False, False]
    """
    if name == _FLASH_OF_ESP:
        return False
    words = _WORD.findall(name.lower())
    return any(word.endswith(_RAM_WORDS) and word not in _NO_RAM for word in words)
