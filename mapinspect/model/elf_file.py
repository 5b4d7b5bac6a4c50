"""What an ELF file says, as records; no pyelftools type leaves the reader.

Addresses and sizes are integers in bytes. Symbols are columns that hand out frozen records;
names are ``str`` decoded as UTF-8 with ``surrogateescape``.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol


class SymbolKind(Enum):
    """The ELF symbol types that matter here; the rest are OTHER."""

    NOTYPE = 0
    OBJECT = 1
    FUNCTION = 2
    SECTION = 3
    FILE = 4
    COMMON = 5
    TLS = 6
    OTHER = 255


@dataclass(frozen=True, slots=True)
class ElfSection:
    """A section header, with the load address its segment gives it.

    ``lma`` is found through the PT_LOAD that holds the section's file offset (or, for NOBITS,
    its address); it equals ``vma`` where no segment covers the section. ``has_contents`` is
    False for NOBITS: such a section costs nothing where images are stored. ``compressed`` contents
    begin with a compression header; only debugging information may be.
    """

    ordinal: int
    name: str
    kind: str  # "PROGBITS", "NOBITS", "NOTE", "INIT_ARRAY", … or "0x70000003"
    vma: int
    lma: int
    size: int
    offset: int
    alignment: int
    allocated: bool
    writable: bool
    executable: bool
    thread_local: bool
    has_contents: bool
    compressed: bool = False


@dataclass(frozen=True, slots=True)
class ElfSegment:
    """A program header; only PT_LOAD ones place bytes."""

    ordinal: int
    kind: str  # "LOAD", "TLS", …
    offset: int
    vma: int
    lma: int
    file_size: int
    memory_size: int
    flags: int


@dataclass(frozen=True, slots=True)
class ElfSymbol:
    """A symbol with its Thumb bit cleared. ``section`` is None for absolute and undefined ones.

    ``size`` 0 means that the file does not say; it is never guessed. ``absolute`` marks SHN_ABS.
    """

    ordinal: int
    name: str
    address: int
    size: int
    kind: SymbolKind
    is_global: bool
    section: int | None
    absolute: bool

    @property
    def has_address(self) -> bool:
        """Return whether ``address`` is a place in memory.

        It is none for thread-local symbols (an offset into the TLS template), for absolute ones
        (any number: ld keeps sizes there too), for COMMON (placed by the next link) and files.
        """
        return self.section is not None and self.kind is not SymbolKind.TLS


class SymbolRows(Protocol):
    """The defined symbols of an ELF in symbol-table order, without ARM/RISC-V mapping symbols."""

    def __len__(self) -> int:
        """Return how many rows there are."""
        ...

    def __getitem__(self, ordinal: int) -> ElfSymbol:
        """Return one row."""
        ...

    def __iter__(self) -> Iterator[ElfSymbol]:
        """Yield every row."""
        ...

    def named(self, name: str) -> tuple[ElfSymbol, ...]:
        """Return the symbols of exactly this name."""
        ...

    def addresses(self) -> Sequence[int]:
        """Return the column of addresses; the columns cost a fraction of the records."""
        ...

    def sizes(self) -> Sequence[int]:
        """Return the column of sizes in bytes."""
        ...

    def names(self) -> Sequence[str]:
        """Return the column of names."""
        ...


@dataclass(frozen=True, slots=True)
class ElfFile:
    """An ELF file, structurally proven: every table and section lies within the file.

    ``kind`` is "REL", "EXEC", "DYN" or "CORE"; ``machine`` is pyelftools' name without ``EM_``
    ("ARM", "RISCV", "AVR", "XTENSA", "X86_64"). ``build_id`` is hexadecimal. ``arm_attributes``
    maps build-attribute tag numbers to their values (empty for other machines).
    ``content`` is the file itself, for comparing models with it.
    """

    path: str
    content: bytes
    bits: int
    little_endian: bool
    kind: str
    machine: str
    entry: int
    sections: tuple[ElfSection, ...]
    segments: tuple[ElfSegment, ...]
    symbols: SymbolRows
    build_id: str | None
    arm_attributes: dict[int, int | str]

    @property
    def is_m_profile(self) -> bool:
        """Return whether it is for a Cortex-M (Addenda to the Arm ABI, Tag_CPU_arch_profile 7)."""
        return self.machine == "ARM" and self.arm_attributes.get(7) == ord("M")

    def contents(self, section: ElfSection) -> memoryview:
        """Return the bytes of a section as stored in the file; empty for NOBITS."""
        if not section.has_contents:
            return memoryview(b"")
        return memoryview(self.content)[section.offset : section.offset + section.size]
