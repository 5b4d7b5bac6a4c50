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
# RAM that is written like any other, and keeps its bytes without power.
_KEEPING: Final = ("fram", "nvram", "mram")
_NO_RAM: Final = (*_KEEPING, "program")
# What else is behind a bus for Flash; vendors' scripts call it writable for their debuggers.
_FLASH_WORDS: Final = ("rom", "nor", "xip", "qspi", "quadspi", "ospi", "octospi", "xspi")
# Memories that only a programmer writes, 64 KiB of addresses for each.
# Source: binutils ld/scripttempl/avr.sc.
_OF_AVR: Final = ("eeprom", "fuse", "lock", "signature", "user_signatures")
_AVR_PROGRAMMED: Final = Span(0x81_0000, 0x5_0000)
_FLASH_OF_ESP: Final = "iram0_2_seg"  # ESP-IDF, memory.ld: code in Flash, read through the cache


def kind_of(region: Region, part: Part | None) -> str | None:
    """Return ``flash``, ``sram``, ``psram`` or ``eeprom``; None where nothing says.

    The part knows best: a script may call Flash writable (``FLASH (rwx)``), and RAM for code
    read-only (``iram0_0_seg (RX)`` of ESP-IDF). What is written to in a window on external
    memory is PSRAM. Without a part the attributes decide; a region that may not be written is RAM
    only where its name says so. EEPROM is what the part or the name calls so, and AVR's fuses.
    """
    granted = region.attributes.split("!")[0].strip()
    bank = bank_at(region, part)
    if bank is not None and bank.kind == "ram":
        return "sram"
    if bank is not None and bank.kind == "flash":
        return "flash"
    if (bank is not None and bank.kind == "eeprom") or (bank is None and _says_eeprom(region)):
        return "eeprom"
    if not set(granted) & {"r", "w", "x"}:
        return None
    if "w" in granted:
        return "psram" if bank is not None and bank.kind == "external" else "sram"
    return "sram" if bank is None and says_ram(region.name) else "flash"


def bank_at(region: Region, part: Part | None) -> MemoryBank | None:
    """Return the part's bank that holds a region's first byte."""
    return part.bank_of(Span(region.span.start, 1)) if part is not None else None


def keeps_bytes(region: Region) -> bool:
    """Return whether a region is RAM that keeps its bytes without power, by its name."""
    return not set(_KEEPING).isdisjoint(_WORD.findall(region.name.lower()))


def says_flash(name: str) -> bool:
    """Return whether a region's name has a word for Flash or ROM, whatever its attributes.

    >>> [says_flash(name) for name in ("QSPIFLASH", "OCTOSPI1", "ROM", "PROGRAM", "SDRAM")]
    [True, True, True, False, False]
    """
    return any(
        word.endswith("flash") or word in _FLASH_WORDS for word in _WORD.findall(name.lower())
    )


def is_for_programmers(region: Region) -> bool:
    """Return whether a region is one of those by which an ELF tells AVR's EEPROM and fuses."""
    return region.name in _OF_AVR and _AVR_PROGRAMMED.contains(region.span)


def _says_eeprom(region: Region) -> bool:
    return is_for_programmers(region) or "eeprom" in _WORD.findall(region.name.lower())


def says_ram(name: str) -> bool:
    """Return whether a region's name has a word for RAM.

    >>> [says_ram(name) for name in ("iram0_0_seg", "DTCM", "PROGRAM", "iram0_2_seg")]
    [True, True, False, False]
    """
    if name == _FLASH_OF_ESP:
        return False
    words = _WORD.findall(name.lower())
    return any(word.endswith(_RAM_WORDS) and word not in _NO_RAM for word in words)
