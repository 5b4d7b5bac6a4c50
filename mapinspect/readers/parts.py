"""``parts.toml``, and tables of the same form that a user adds → the part of a given name."""

import difflib
import re
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

from mapinspect.errors import InputError
from mapinspect.model.image import Evidence, Span
from mapinspect.model.part import MemoryBank, Part
from mapinspect.readers.budget import values
from mapinspect.readers.budget.fields import Field, Kind
from mapinspect.readers.budget.values import BadValueError
from mapinspect.readers.source import SourceFile
from mapinspect.readers.toml_document import TomlDocument, read_toml

_BANK: Final = {
    "name": Field(Kind.NAME, "the bank's name", required=True),
    "kind": Field(
        Kind.CHOICE,
        "what memory it is",
        required=True,
        choices=("flash", "eeprom", "ram", "external"),
    ),
    "origin": Field(Kind.ADDRESS, "its first address", required=True),
    "length": Field(Kind.SIZE, "its size", required=True),
    "alias": Field(Kind.NAMES, "other first addresses of the same bytes, as text"),
    "dma": Field(Kind.BOOLEAN, "whether DMA reaches it"),
    "cacheable": Field(Kind.BOOLEAN, "whether a data cache may hold it"),
    "zero-wait": Field(Kind.SIZE, "bytes that are read without wait states"),
    "static-limit": Field(Kind.SIZE, "bytes that a linker may place things in"),
    "most": Field(Kind.SIZE, "bytes that a setting of the part can make it"),
}
_PART: Final = {
    "name": Field(Kind.NAME, "the part's name, x for any letter or digit", required=True),
    "also": Field(Kind.NAMES, "other names of it"),
    "open": Field(Kind.BOOLEAN, "whether more may follow the name"),
    "core": Field(Kind.NAME, "the processor", required=True),
    "source": Field(Kind.NAME, "the document of the figures", required=True),
    "bank": Field(Kind.TABLES, "its memories", required=True, table=_BANK),
}
PARTS_TABLE: Final = {
    "version": Field(Kind.VERSION, "the format, 1", required=True),
    "part": Field(Kind.TABLES, "microcontrollers", required=True, table=_PART),
}
_SHIPPED: Final = Path(__file__).resolve().parents[1] / "parts.toml"
_ADDRESS_END: Final = 1 << 64
_NEAR: Final = 5  # names to suggest


def read_part(name: str, extra: Sequence[SourceFile] = (), place: Evidence | None = None) -> Part:
    """Return the part that ``name`` means, from ``extra`` tables first, then the shipped one.

    Case, hyphens and what follows a full match (``T6`` of ``STM32L476RGT6``) do not matter; the
    longest match wins. ``place`` is where the name was given. Raises InputError for an unknown
    or incomplete name, with near ones, and for a bad table.
    """
    known = [entry for source in extra for entry in _read(source)] + list(_shipped())
    wanted = _plain(name)
    matches = [(entry.length(wanted), entry) for entry in known]
    longest = max((length for length, _ in matches), default=0)
    if longest:
        return next(entry.part for length, entry in matches if length == longest)
    where = place or Evidence("--mcu", None, name)
    raise InputError(
        where.file, where.line, f"no part is known as {name!r}", _advice(wanted, known)
    )


def shipped_parts() -> tuple[Part, ...]:
    """Return every part that mapinspect brings along, in the order of its table."""
    return tuple(entry.part for entry in _shipped())


class _Entry:
    """A part and the patterns of its names."""

    def __init__(self, part: Part, names: Iterable[str], *, is_open: bool) -> None:
        self.part = part
        self.names = tuple(names)
        self._open = is_open
        self._patterns = [_pattern(name) for name in self.names]

    def length(self, wanted: str) -> int:
        """Return how many letters of ``wanted`` a name matches; 0 when none matches well."""
        return max(self._matched(pattern, wanted) for pattern in self._patterns)

    def _matched(self, pattern: re.Pattern[str], wanted: str) -> int:
        found = pattern.match(wanted)
        if found is None:
            return 0
        rest = wanted[found.end() :]
        # A digit after a digit makes another number: ESP32-C61 is no ESP32-C6.
        another = rest[:1].isdigit() and found[0][-1:].isdigit()
        return 0 if rest and (another or not self._open) else found.end()


def _pattern(name: str) -> re.Pattern[str]:
    letters = (
        "[A-Z0-9]" if letter == "x" else re.escape(letter.upper())
        for letter in name
        if letter.isalnum()
    )
    return re.compile("".join(letters))


def _plain(name: str) -> str:
    return "".join(letter for letter in name.upper() if letter.isalnum())


def _advice(wanted: str, known: list[_Entry]) -> str:
    names = {_plain(name): name for entry in known for name in entry.names}
    starts = [names[plain] for plain in names if wanted and plain.startswith(wanted)]
    near = starts or [
        names[plain] for plain in difflib.get_close_matches(wanted, names, n=_NEAR, cutoff=0.6)
    ]
    if not near:
        return "describe it in a [[part]] table, or give the linker script"
    return f"did you mean {', '.join(near[:_NEAR])}? or describe it in a [[part]] table"


@cache
def _shipped() -> tuple[_Entry, ...]:
    return tuple(_read(SourceFile("mapinspect/parts.toml", _SHIPPED.read_bytes())))


def _read(source: SourceFile) -> list[_Entry]:
    document = read_toml(source, PARTS_TABLE)
    entries: list[_Entry] = []
    seen: dict[str, int | None] = {}
    for number, row in enumerate(document.values["part"]):
        place = document.evidence("part", number)
        part = Part(
            row["name"], row["core"], _banks(document, number, row["bank"]), row["source"], place
        )
        names = (row["name"], *row.get("also", ()))
        for name in names:
            if _plain(name) in seen:
                raise InputError(
                    place.file,
                    place.line,
                    f"part {name} is there twice, first at line {seen[_plain(name)]}",
                    "keep one",
                )
            seen[_plain(name)] = place.line
        entries.append(_Entry(part, names, is_open=row.get("open", True)))
    return entries


def _banks(
    document: TomlDocument, number: int, rows: list[dict[str, Any]]
) -> tuple[MemoryBank, ...]:
    banks: list[MemoryBank] = []
    for index, row in enumerate(rows):
        bank = _bank(document, ("part", number, "bank", index), row)
        for other in banks:
            if bank.name == other.name or _share_addresses(bank, other):
                document.validator.refuse(
                    ("part", number, "bank", index),
                    f"{bank.name} has the name or an address of {other.name}",
                    "correct one of them",
                )
        banks.append(bank)
    return tuple(banks)


def _bank(document: TomlDocument, path: tuple[str | int, ...], row: dict[str, Any]) -> MemoryBank:
    try:
        aliases = tuple(values.size(alias) for alias in row.get("alias", ()))
    except BadValueError as fault:
        document.validator.refuse((*path, "alias"), fault.what, fault.remedy)
    bank = MemoryBank(
        row["name"],
        row["kind"],
        Span(row["origin"], row["length"]),
        aliases,
        row.get("dma"),
        row.get("cacheable"),
        row.get("zero-wait"),
        row.get("static-limit"),
        row.get("most"),
    )
    if not bank.span.size or any(view.end > _ADDRESS_END for view in bank.views()):
        document.validator.refuse(path, f"{bank.name} has no bytes, or too many", "correct length")
    return bank


def _share_addresses(one: MemoryBank, other: MemoryBank) -> bool:
    return any(view.overlap(second) for view in one.views() for second in other.views())
