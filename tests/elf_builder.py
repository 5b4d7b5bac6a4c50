"""Build small ELF images for tests: 32 or 64 bit, either byte order, sections, segments, symbols.

    build_elf(
        sections=[text(b"code"), data(b"abcd", vma=0x2000_0000, lma=0x0800_0004), bss(64)],
        symbols=[ElfSymbolSpec("main", 0x0800_0001, 4, section=".text", kind=STT_FUNC)],
    )

Every alloc section gets a PT_LOAD of its own unless ``segments`` says otherwise. Layouts come
from the generic ABI (System V gABI, chapters 4 and 5); nothing here uses mapinspect.
"""

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field

SHT_PROGBITS, SHT_SYMTAB, SHT_STRTAB, SHT_NOTE, SHT_NOBITS = 1, 2, 3, 7, 8
SHT_SYMTAB_SHNDX, SHT_ARM_ATTRIBUTES = 18, 0x7000_0003
SHF_WRITE, SHF_ALLOC, SHF_EXECINSTR, SHF_TLS, SHF_COMPRESSED = 1, 2, 4, 0x400, 0x800
PT_LOAD, PT_NOTE, PT_TLS = 1, 4, 7
STT_NOTYPE, STT_OBJECT, STT_FUNC, STT_SECTION, STT_FILE, STT_COMMON, STT_TLS = range(7)
STB_LOCAL, STB_GLOBAL, STB_WEAK = range(3)
SHN_UNDEF, SHN_LORESERVE, SHN_ABS, SHN_COMMON, SHN_XINDEX = 0, 0xFF00, 0xFFF1, 0xFFF2, 0xFFFF
PN_XNUM = 0xFFFF
MACHINES = {"ARM": 40, "AVR": 83, "XTENSA": 94, "X86_64": 62, "AARCH64": 183, "RISCV": 243}
KINDS = {"REL": 1, "EXEC": 2, "DYN": 3, "CORE": 4}


@dataclass(frozen=True, slots=True)
class ElfSectionSpec:
    """A section to write; ``memory`` is the size of a NOBITS one, ``lma`` defaults to ``vma``."""

    name: str
    content: bytes = b""
    vma: int = 0
    lma: int | None = None
    memory: int = 0
    kind: int = SHT_PROGBITS
    flags: int = SHF_ALLOC
    alignment: int = 4
    link: int = 0
    info: int = 0
    entry_size: int = 0

    @property
    def size(self) -> int:
        """Return the size in bytes that the header says."""
        return self.memory if self.kind == SHT_NOBITS else len(self.content)


@dataclass(frozen=True, slots=True)
class ElfSegmentSpec:
    """A program header over the named sections, which must follow each other in the file.

    ``vma`` and ``lma`` default to those of the first section, ``memory`` and ``file`` to what
    the sections take.
    """

    sections: tuple[str, ...]
    vma: int | None = None
    lma: int | None = None
    memory: int | None = None
    file: int | None = None
    kind: int = PT_LOAD
    flags: int = 7
    alignment: int = 4


@dataclass(frozen=True, slots=True)
class ElfSymbolSpec:
    """A symbol to write; ``section`` is a section's name or a reserved index."""

    name: str | bytes
    value: int = 0
    size: int = 0
    section: str | int = SHN_ABS
    kind: int = STT_OBJECT
    binding: int = STB_GLOBAL


def text(content: bytes, vma: int = 0x0800_0000, name: str = ".text") -> ElfSectionSpec:
    """Return a code section that is loaded where it runs."""
    return ElfSectionSpec(name, content, vma, flags=SHF_ALLOC | SHF_EXECINSTR)


def data(
    content: bytes, vma: int = 0x2000_0000, lma: int | None = None, name: str = ".data"
) -> ElfSectionSpec:
    """Return an initialised RAM section, loaded from ``lma``."""
    return ElfSectionSpec(name, content, vma, lma, flags=SHF_ALLOC | SHF_WRITE)


def bss(memory: int, vma: int = 0x2000_1000, name: str = ".bss") -> ElfSectionSpec:
    """Return a zeroed RAM section without file contents."""
    return ElfSectionSpec(
        name, vma=vma, memory=memory, kind=SHT_NOBITS, flags=SHF_ALLOC | SHF_WRITE
    )


@dataclass(slots=True)
class _Strings:
    blob: bytearray = field(default_factory=lambda: bytearray(1))

    def add(self, name: str | bytes) -> int:
        encoded = name.encode("utf-8", "surrogateescape") if isinstance(name, str) else name
        if not encoded:
            return 0
        at = len(self.blob)
        self.blob += encoded + b"\0"
        return at


def build_elf(
    sections: Sequence[ElfSectionSpec],
    symbols: Sequence[ElfSymbolSpec] = (),
    segments: Sequence[ElfSegmentSpec] | None = None,
    *,
    bits: int = 32,
    big_endian: bool = False,
    machine: str | int = "ARM",
    kind: str = "EXEC",
    entry: int = 0,
    extended: bool = False,
) -> bytes:
    """Return an ELF image; ``extended`` uses extended numbering even where it is not needed."""
    writer = _Writer(bits, ">" if big_endian else "<", extended)
    if segments is None:
        segments = [] if kind == "REL" else automatic_segments(sections)
    return writer.image(sections, symbols, segments, machine=machine, kind=KINDS[kind], entry=entry)


def automatic_segments(sections: Sequence[ElfSectionSpec]) -> list[ElfSegmentSpec]:
    """Return one PT_LOAD for each alloc section but ``.tbss``, and a PT_TLS for the TLS ones."""
    loads = [
        ElfSegmentSpec((section.name,), section.vma, section.lma, alignment=section.alignment)
        for section in sections
        if section.flags & SHF_ALLOC
        and not (section.flags & SHF_TLS and section.kind == SHT_NOBITS)
    ]
    tls = tuple(section.name for section in sections if section.flags & SHF_TLS)
    return loads + ([ElfSegmentSpec(tls, kind=PT_TLS)] if tls else [])


@dataclass(slots=True)
class _Writer:
    bits: int
    order: str
    extended: bool

    def image(
        self,
        sections: Sequence[ElfSectionSpec],
        symbols: Sequence[ElfSymbolSpec],
        segments: Sequence[ElfSegmentSpec],
        *,
        machine: str | int,
        kind: int,
        entry: int,
    ) -> bytes:
        rows = [*sections, *self.symbol_sections(sections, symbols)]
        names = _Strings()
        rows.append(ElfSectionSpec(".shstrtab", kind=SHT_STRTAB, flags=0, alignment=1))
        name_offsets = [names.add(row.name) for row in rows]
        rows[-1] = ElfSectionSpec(
            ".shstrtab", bytes(names.blob), kind=SHT_STRTAB, flags=0, alignment=1
        )
        header_size, row_size = (52, 32) if self.bits == 32 else (64, 56)
        body = bytearray(header_size + row_size * len(segments))
        offsets = [self.place(body, row) for row in rows]
        _pad(body, 8)
        table_offset = len(body)
        body += self.section_headers(rows, name_offsets, offsets, len(segments))
        machine_number = MACHINES[machine] if isinstance(machine, str) else machine
        body[:header_size] = self.file_header(
            (kind, machine_number, entry), table_offset, len(segments), len(rows) + 1
        )
        at = header_size
        for segment in segments:
            body[at : at + row_size] = self.program_header(segment, rows, offsets)
            at += row_size
        return bytes(body)

    @staticmethod
    def place(body: bytearray, row: ElfSectionSpec) -> int:
        _pad(body, max(1, row.alignment))
        at = len(body)
        body += row.content
        return at

    def file_header(
        self, what: tuple[int, int, int], table: int, segments: int, sections: int
    ) -> bytes:
        word = "I" if self.bits == 32 else "Q"
        header_size, segment_size, section_size = (52, 32, 40) if self.bits == 32 else (64, 56, 64)
        kind, machine, entry = what
        ident = b"\x7fELF" + bytes([self.bits // 32, 1 if self.order == "<" else 2, 1])
        many = self.extended or sections >= SHN_LORESERVE
        fields = struct.pack(
            f"{self.order}HHI{word}{word}{word}IHHHHHH",
            kind, machine, 1, entry, header_size if segments else 0, table, 0, header_size,
            segment_size if segments else 0,
            PN_XNUM if self.extended and segments else segments,
            section_size, 0 if many else sections, SHN_XINDEX if many else sections - 1,
        )  # fmt: skip
        return ident.ljust(16, b"\0") + fields

    def section_headers(
        self,
        rows: Sequence[ElfSectionSpec],
        names: Sequence[int],
        offsets: Sequence[int],
        segments: int,
    ) -> bytes:
        count = len(rows) + 1
        many = self.extended or count >= SHN_LORESERVE
        null = ElfSectionSpec(
            "",
            kind=0,
            flags=0,
            alignment=0,
            link=count - 1 if many else 0,
            info=segments if self.extended and segments else 0,
        )
        head = self.section_header(null, 0, 0, count if many else 0)
        return head + b"".join(
            self.section_header(row, name, offset, row.size)
            for row, name, offset in zip(rows, names, offsets, strict=True)
        )

    def section_header(self, row: ElfSectionSpec, name: int, offset: int, size: int) -> bytes:
        word = "I" if self.bits == 32 else "Q"
        return struct.pack(
            f"{self.order}II{word}{word}{word}{word}II{word}{word}",
            name, row.kind, row.flags, row.vma, offset, size, row.link, row.info, row.alignment,
            row.entry_size,
        )  # fmt: skip

    def program_header(
        self, segment: ElfSegmentSpec, rows: Sequence[ElfSectionSpec], offsets: Sequence[int]
    ) -> bytes:
        chosen = [i for i, row in enumerate(rows) if row.name in segment.sections]
        first = rows[chosen[0]] if chosen else ElfSectionSpec("")
        start = offsets[chosen[0]] if chosen else 0
        stored = [offsets[i] + rows[i].size for i in chosen if rows[i].kind != SHT_NOBITS]
        file = segment.file if segment.file is not None else max([*stored, start]) - start
        vma = segment.vma if segment.vma is not None else first.vma
        lma = segment.lma if segment.lma is not None else (vma if first.lma is None else first.lma)
        end = max([rows[i].vma + rows[i].size for i in chosen], default=vma)
        memory = segment.memory if segment.memory is not None else max(end - vma, file)
        if self.bits == 32:
            return struct.pack(
                f"{self.order}8I",
                segment.kind, start, vma, lma, file, memory, segment.flags, segment.alignment,
            )  # fmt: skip
        return struct.pack(
            f"{self.order}2I6Q",
            segment.kind, segment.flags, start, vma, lma, file, memory, segment.alignment,
        )  # fmt: skip

    def symbol_sections(
        self, sections: Sequence[ElfSectionSpec], symbols: Sequence[ElfSymbolSpec]
    ) -> list[ElfSectionSpec]:
        if not symbols:
            return []
        ordinals = {section.name: i for i, section in enumerate(sections, 1)}
        names = _Strings()
        rows, wide = bytearray(self.symbol(0, ElfSymbolSpec(b"", kind=0, binding=0), 0)), [0]
        for symbol in sorted(symbols, key=lambda symbol: symbol.binding != STB_LOCAL):
            named = isinstance(symbol.section, str)
            index = ordinals[symbol.section] if isinstance(symbol.section, str) else symbol.section
            far = named and (self.extended or index >= SHN_LORESERVE)
            rows += self.symbol(names.add(symbol.name), symbol, SHN_XINDEX if far else index)
            wide.append(index if far else 0)
        table = len(sections) + 1
        local = 1 + sum(symbol.binding == STB_LOCAL for symbol in symbols)
        width = 16 if self.bits == 32 else 24
        made = [
            ElfSectionSpec(".symtab", bytes(rows), kind=SHT_SYMTAB, flags=0, alignment=8,
                           link=table + 1, info=local, entry_size=width),
            ElfSectionSpec(".strtab", bytes(names.blob), kind=SHT_STRTAB, flags=0, alignment=1),
        ]  # fmt: skip
        if any(wide):
            indexes = struct.pack(f"{self.order}{len(wide)}I", *wide)
            made.append(
                ElfSectionSpec(".symtab_shndx", indexes, kind=SHT_SYMTAB_SHNDX, flags=0,
                               link=table, entry_size=4)
            )  # fmt: skip
        return made

    def symbol(self, name: int, symbol: ElfSymbolSpec, index: int) -> bytes:
        kind = symbol.binding << 4 | symbol.kind
        if self.bits == 32:
            return struct.pack(
                f"{self.order}IIIBBH", name, symbol.value, symbol.size, kind, 0, index
            )
        return struct.pack(f"{self.order}IBBHQQ", name, kind, 0, index, symbol.value, symbol.size)


def _pad(body: bytearray, alignment: int) -> None:
    body += bytes(-len(body) % alignment)
