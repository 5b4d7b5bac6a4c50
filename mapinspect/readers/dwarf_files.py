"""The source files that a unit of debugging information numbers: its line table's header.

Only the header is read, never the line program. DWARF 5, section 6.2.4; DWARF 4, section 6.2.4.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from mapinspect.readers.dwarf_sections import CHUNK, DebugInformation, Extent
from mapinspect.readers.elf_damage import DamageError

FILE_LIMIT = 1 << 14  # directories, and files, of one unit
PATH_LIMIT = 4096  # bytes of one name
_FORMS = {0x0B: 1, 0x05: 2, 0x06: 4, 0x07: 8, 0x1E: 16}  # DW_FORM_data1, 2, 4, 8, 16
_STRING, _UDATA, _STRP, _LINE_STRP, _BLOCK = 0x08, 0x0F, 0x0E, 0x1F, 0x09
_PATH, _DIRECTORY = 1, 2  # DW_LNCT_path, DW_LNCT_directory_index
Entry = tuple[bytes, int]  # name, number of its directory


@dataclass(frozen=True, slots=True)
class SourceFiles:
    """The files of one unit; ``first`` is the number of the first one."""

    files: Sequence[Entry] = ()
    folders: Sequence[Entry] = ()
    first: int = 0

    def path(self, debug: DebugInformation, number: object) -> str:
        """Return a file's path, relative ones to the folder of the build; empty where unknown."""
        if not isinstance(number, int) or not 0 <= number - self.first < len(self.files):
            return ""
        name, folder = self.files[number - self.first]
        # Number 0 is the folder of the build.
        if 0 < folder < len(self.folders) and not name.startswith(b"/"):
            above = self.folders[folder][0].rstrip(b"/")
            name = above + b"/" + name if above else name
        debug.budget.spend(len(name) // CHUNK)
        return name.decode("utf-8", "surrogateescape")


def source_files(debug: DebugInformation, unit: Any) -> SourceFiles:
    """Return the files that a unit's line table lists, none where it has no line table.

    Raises DamageError where the header cannot be read.
    """
    where = unit.get_top_DIE().attributes.get("DW_AT_stmt_list")
    if where is None or not isinstance(where.value, int) or not debug.extent("debug_line"):
        return SourceFiles()
    cursor = Cursor(debug, debug.extent("debug_line"), where.value)
    cursor.wide = cursor.number(4) == 0xFFFF_FFFF
    if cursor.wide:
        cursor.number(8)
    version = cursor.number(2)
    if version not in (2, 3, 4, 5):
        raise DamageError(f"has a line table of version {version}")
    if version == 5:
        cursor.number(2)  # sizes of addresses and of segment selectors
    cursor.number(8 if cursor.wide else 4)
    cursor.number(5 if version >= 4 else 4)
    for _ in range(max(0, cursor.number(1) - 1)):
        cursor.number(1)  # operands of the standard opcodes
    if version == 5:
        folders = cursor.formatted()
        return SourceFiles(cursor.formatted(), folders, 0)
    folders = [(b"", 0), *cursor.listed(files=False)]
    return SourceFiles(cursor.listed(), folders, 1)


@dataclass(slots=True)
class Cursor:
    """A place in a section; every read is counted and lies inside."""

    debug: DebugInformation
    extent: Extent
    at: int
    wide: bool = False

    def take(self, size: int) -> bytes:
        """Return the next bytes; raises DamageError where there are fewer."""
        self.debug.budget.spend(1 + max(0, size) // CHUNK)
        start = self.extent.start + self.at
        if size < 0 or start + size > self.extent.end:
            raise DamageError("has a line table that ends outside its section")
        self.at += size
        return self.extent.buffer[start : start + size]

    def number(self, size: int) -> int:
        """Return an unsigned number of so many bytes."""
        little = self.debug.dwarf.config.little_endian
        order: Literal["little", "big"] = "little" if little else "big"
        return int.from_bytes(self.take(size), order)

    def leb(self) -> int:
        """Return an unsigned LEB128 number."""
        value = 0
        for shift in range(0, 70, 7):
            byte = self.take(1)[0]
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
        raise DamageError("has a number in its line table that does not end")

    def text(self) -> bytes:
        """Return the bytes before the next NUL."""
        start = self.extent.start + self.at
        end = self.extent.buffer.find(b"\0", start, min(self.extent.end, start + PATH_LIMIT))
        if end < 0:
            raise DamageError("has a file name in its line table that does not end")
        return self.take(end + 1 - start)[:-1]

    def listed(self, *, files: bool = True) -> list[Entry]:
        """Return what versions 2 to 4 list: folders, or files with their folders."""
        found: list[Entry] = []
        while name := self.text():
            folder = self.leb() if files else 0
            if files:
                self.leb(), self.leb()  # time and size
            found.append((name, folder))
            _bound(len(found))
        return found

    def formatted(self) -> list[Entry]:
        """Return what version 5 lists, in the format that it states."""
        form = [(self.leb(), self.leb()) for _ in range(self.number(1))]
        count = self.leb()
        _bound(count)
        return [self._entry(form) for _ in range(count)]

    def _entry(self, form: list[tuple[int, int]]) -> Entry:
        self.debug.budget.spend(1)  # also where an entry has no bytes
        name, folder = b"", 0
        for kind, code in form:
            value = self._value(code)
            if kind == _PATH and isinstance(value, bytes):
                name = value
            elif kind == _DIRECTORY and isinstance(value, int):
                folder = value
        return name, folder

    def _value(self, code: int) -> bytes | int:
        if code in _FORMS:
            return self.number(_FORMS[code])
        if code == _UDATA:
            return self.leb()
        if code == _STRING:
            return self.text()
        if code == _BLOCK:
            return self.take(self.leb())
        if code in (_STRP, _LINE_STRP):
            section = "debug_str" if code == _STRP else "debug_line_str"
            offset = self.number(8 if self.wide else 4)
            return Cursor(self.debug, self.debug.extent(section), offset).text()
        raise DamageError(f"has a line table with names in form {code:#x}", "build without it")


def _bound(count: int) -> None:
    if count > FILE_LIMIT:
        raise DamageError(f"has more than {FILE_LIMIT} source files in one unit", "strip it")
