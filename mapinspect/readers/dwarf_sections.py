"""The debugging sections of an ELF as streams for pyelftools, with a bound on all reading.

pyelftools reads DWARF through streams only, so a budget on reads bounds its work whatever the
sections hold. Sections are windows on the file, never copies; compressed ones are unpacked up
to the size that their headers claim.
"""

import inspect
import struct
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import IO, Any, cast

from elftools.dwarf.dwarfinfo import DebugSectionDescriptor, DwarfConfig, DWARFInfo

from mapinspect.model.elf_file import ElfFile, ElfSection
from mapinspect.readers.elf_damage import DamageError

# A read by pyelftools or an attribute it keeps; some ten seconds in all. One C++ unit takes 7000.
STEP_LIMIT = 1_500_000
CHUNK = 64  # bytes that cost as much as the call that reads them
_ZLIB = 1  # ELFCOMPRESS_ZLIB
UNPACKED_LIMIT = 256 * 1024 * 1024  # bytes of all compressed sections together
SECTIONS = (
    "debug_info", "debug_abbrev", "debug_str", "debug_line_str", "debug_str_offsets", "debug_addr",
)  # fmt: skip


@dataclass(slots=True)
class Budget:
    """What is left: steps of reading, and bytes to unpack."""

    steps: int = STEP_LIMIT
    unpacked: int = UNPACKED_LIMIT

    def spend(self, steps: int) -> None:
        """Count steps of work; raises DamageError when nothing is left."""
        self.steps -= steps
        if self.steps < 0:
            raise DamageError(
                "has more debugging information than mapinspect reads",
                "strip it, or name the runtime version instead",
            )


@dataclass(frozen=True, slots=True)
class Extent:
    """A section's bytes: where they lie in a larger buffer, never copied out of it."""

    buffer: bytes
    start: int
    end: int

    def __len__(self) -> int:
        """Return the size in bytes."""
        return self.end - self.start

    def places(self, wanted: bytes, limit: int) -> Iterator[int]:
        """Yield up to ``limit`` offsets in the section at which ``wanted`` stands."""
        at = self.buffer.find(wanted, self.start, self.end)
        while at >= 0 and limit:
            yield at - self.start
            limit -= 1
            at = self.buffer.find(wanted, at + 1, self.end)


class Window:
    """A readable stream over an extent."""

    def __init__(self, extent: Extent, budget: Budget) -> None:
        self._extent = extent
        self._budget = budget
        self._at = 0

    def read(self, size: int = -1) -> bytes:
        """Return up to ``size`` bytes from the current position."""
        extent = self._extent
        start = min(extent.start + self._at, extent.end)
        end = extent.end if size is None or size < 0 else min(start + size, extent.end)
        self._budget.spend(1 + (end - start) // CHUNK)
        self._at += end - start
        return extent.buffer[start:end]

    def seek(self, offset: int, whence: int = 0) -> int:
        """Move to ``offset`` from the start, the current position or the end."""
        base = (0, self._at, len(self._extent))[whence]
        self._at = max(0, base + offset)
        return self._at

    def tell(self) -> int:
        """Return the current position."""
        return self._at


@dataclass(frozen=True, slots=True)
class DebugInformation:
    """pyelftools' view of the debugging sections, and the bytes to search in."""

    dwarf: Any
    sections: dict[str, Extent]
    budget: Budget

    def extent(self, name: str) -> Extent:
        """Return a section's bytes, unpacked; empty where the file has none."""
        return self.sections.get(name, Extent(b"", 0, 0))


def debug_information(elf: ElfFile, names: Iterable[str] = SECTIONS) -> DebugInformation | None:
    """Return the debugging information, None where there is none; raises DamageError.

    ``names`` are the sections to open, without their dot.
    """
    wanted = set(names)
    budget = Budget()
    sections = {
        section.name[1:]: _extent(elf, section, budget)
        for section in elf.sections
        if section.name[1:] in wanted and section.has_contents
    }
    if not sections.get("debug_info") or not sections.get("debug_abbrev"):
        return None
    config = DwarfConfig(elf.little_endian, elf.machine, elf.bits // 8)
    streams = {
        f"{name}_sec": _descriptor(name, extent, budget) for name, extent in sections.items()
    }
    # Releases of pyelftools differ in the sections they take; all but these are absent here.
    accepted = list(inspect.signature(DWARFInfo).parameters)[1:]
    dwarf = DWARFInfo(config, **{name: streams.get(name) for name in accepted})
    return DebugInformation(dwarf, sections, budget)


def _descriptor(name: str, extent: Extent, budget: Budget) -> DebugSectionDescriptor:
    stream = cast(IO[bytes], Window(extent, budget))  # all of a stream that pyelftools uses
    return DebugSectionDescriptor(stream, f".{name}", 0, len(extent), 0)


def _extent(elf: ElfFile, section: ElfSection, budget: Budget) -> Extent:
    if not section.compressed:
        return Extent(elf.content, section.offset, section.offset + section.size)
    content = _unpack(elf, section, budget)
    return Extent(content, 0, len(content))


def _unpack(elf: ElfFile, section: ElfSection, budget: Budget) -> bytes:
    """Return the contents of a zlib section, at most as many bytes as its header claims."""
    fields = "III" if elf.bits == 32 else "I4xQQ"
    header = struct.Struct(("<" if elf.little_endian else ">") + fields)
    raw = elf.contents(section)
    kind, size, _ = header.unpack_from(raw)
    budget.unpacked -= size
    if kind != _ZLIB or budget.unpacked < 0:
        raise DamageError(
            f"{section.name} is compressed in a way that mapinspect does not unpack",
            "link with uncompressed debugging information, or strip it",
        )
    unpacker = zlib.decompressobj()
    try:
        content = unpacker.decompress(raw[header.size :], size + 1)
    except zlib.error as error:
        raise DamageError(f"{section.name} cannot be unpacked: {error}") from None
    if len(content) != size or not unpacker.eof:
        raise DamageError(f"{section.name} does not unpack to the {size} bytes it claims")
    return content
