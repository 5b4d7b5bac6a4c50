"""Table access on the bytes of a flatbuffer, every step bounds-checked and counted.

Format: the flatbuffers internals page ("FlatBuffer Internals"): a table starts with a signed
offset back to its vtable; the vtable gives its own size, the table's size and one 16-bit offset
per field; strings and vectors start with a 32-bit count. All numbers are little-endian.

A hostile file can share one table among many parents, so that few bytes unfold into many
records. Two budgets, proportional to the file, end such reading early.
"""

import struct
from collections.abc import Iterator

from mapinspect.errors import InputError

TABLE_LIMIT = 1_000_000  # as the verifier of the flatbuffers library, max_tables
FREE_TABLES = 4096  # small files may share some tables
FREE_BYTES = 1 << 20

_U16 = struct.Struct("<H")
_I32 = struct.Struct("<i")
_U32 = struct.Struct("<I")
SCALARS = {
    "bool": struct.Struct("<?"),
    "i8": struct.Struct("<b"),
    "u8": struct.Struct("<B"),
    "i16": struct.Struct("<h"),
    "u16": _U16,
    "i32": _I32,
    "u32": _U32,
    "i64": struct.Struct("<q"),
    "u64": struct.Struct("<Q"),
    "f32": struct.Struct("<f"),
    "f64": struct.Struct("<d"),
}


class FlatBuffer:
    """The bytes of one file, with what is left of the two budgets.

    ``extent`` is the highest end, in bytes from the file's start, of anything read so far.
    """

    __slots__ = ("_bytes_left", "_tables_left", "content", "extent", "path")

    def __init__(self, path: str, content: bytes) -> None:
        self.path = path
        self.content = content
        self.extent = 8
        # A table of its own takes at least an offset that names it and an offset to its vtable.
        self._tables_left = min(TABLE_LIMIT, FREE_TABLES + len(content) // 8)
        self._bytes_left = FREE_BYTES + 2 * len(content)

    def fault(self, what: str) -> InputError:
        """Return the error for a damaged file, to be raised by the caller."""
        return InputError(self.path, None, what, "convert or copy the model again")

    def claim(self, start: int, length: int, what: str) -> None:
        """Raise InputError unless ``length`` bytes from ``start`` lie in the file."""
        end = start + length
        if start < 0 or end > len(self.content):
            raise self.fault(f"{what} at offset {start} ends at {end}, past the end of the file")
        self.extent = max(self.extent, end)

    def unfold(self, length: int, what: str) -> None:
        """Charge ``length`` decoded bytes; raise InputError when the file unfolds too far."""
        self._bytes_left -= length
        if self._bytes_left < 0:
            raise self.fault(f"{what} unfolds the file into more bytes than it can hold")

    def root(self) -> "Table":
        """Return the root table; raise InputError when the file has none."""
        self.claim(0, 8, "the header")
        return self.table(self.follow(0, "the root table"), "the root table")

    def follow(self, position: int, what: str) -> int:
        """Return where the unsigned offset at ``position`` leads."""
        self.claim(position, 4, f"the offset of {what}")
        (distance,) = _U32.unpack_from(self.content, position)
        if distance == 0:
            raise self.fault(f"{what} has offset 0")
        return position + int(distance)

    def table(self, position: int, what: str) -> "Table":
        """Return the table at ``position``, its vtable checked."""
        self._tables_left -= 1
        if self._tables_left < 0:
            raise self.fault(f"{what} exceeds the number of tables that the file can hold")
        self.claim(position, 4, what)
        (back,) = _I32.unpack_from(self.content, position)
        vtable = position - back
        self.claim(vtable, 4, f"the vtable of {what}")
        size, table_size = struct.unpack_from("<HH", self.content, vtable)
        if back == 0 or size < 4 or size % 2 or table_size < 4:
            raise self.fault(f"the vtable of {what} is damaged (offset {vtable})")
        self.claim(vtable, size, f"the vtable of {what}")
        self.claim(position, table_size, what)
        return Table(self, position, table_size, (vtable, size), what=what)


class Table:
    """One table: fields by slot number, each absent field giving its default."""

    __slots__ = ("_size", "_vtable", "_vtable_size", "buffer", "position", "what")

    def __init__(
        self, buffer: FlatBuffer, position: int, size: int, vtable: tuple[int, int], *, what: str
    ) -> None:
        self.buffer = buffer
        self.position = position
        self.what = what
        self._vtable, self._vtable_size = vtable
        self._size = size

    def _field(self, slot: int, width: int) -> int | None:
        """Return the position of field ``slot``, ``width`` bytes wide; None when absent."""
        entry = 4 + 2 * slot
        if entry + 2 > self._vtable_size:
            return None
        (offset,) = _U16.unpack_from(self.buffer.content, self._vtable + entry)
        if offset == 0:
            return None
        if offset < 4 or offset + width > self._size:
            raise self.buffer.fault(f"field {slot} of {self.what} lies outside its table")
        return self.position + int(offset)

    def integer(self, slot: int, kind: str, default: int = 0) -> int:
        """Return the integer field ``slot`` of ``kind`` (``"i32"``, ``"u8"``, …)."""
        scalar = SCALARS[kind]
        position = self._field(slot, scalar.size)
        if position is None:
            return default
        return int(scalar.unpack_from(self.buffer.content, position)[0])

    def real(self, slot: int, kind: str, default: float = 0.0) -> float:
        """Return the floating-point field ``slot`` of ``kind`` ``"f32"`` or ``"f64"``."""
        scalar = SCALARS[kind]
        position = self._field(slot, scalar.size)
        if position is None:
            return default
        return float(scalar.unpack_from(self.buffer.content, position)[0])

    def boolean(self, slot: int, default: bool = False) -> bool:
        """Return the boolean field ``slot``; any byte but zero is true."""
        return bool(self.integer(slot, "u8", int(default)))

    def _target(self, slot: int, what: str) -> int | None:
        position = self._field(slot, 4)
        return None if position is None else self.buffer.follow(position, what)

    def child(self, slot: int, what: str) -> "Table | None":
        """Return the table that field ``slot`` refers to, None when absent."""
        position = self._target(slot, what)
        return None if position is None else self.buffer.table(position, what)

    def span(self, slot: int, width: int, what: str) -> tuple[int, int] | None:
        """Return (position, count) of the vector in field ``slot``, elements ``width`` bytes.

        None when the field is absent. The elements are checked to lie in the file.
        """
        position = self._target(slot, what)
        if position is None:
            return None
        self.buffer.claim(position, 4, what)
        (count,) = _U32.unpack_from(self.buffer.content, position)
        self.buffer.claim(position + 4, count * width, what)
        return position + 4, int(count)

    def text(self, slot: int, what: str) -> str | None:
        """Return the string of field ``slot``, UTF-8 with surrogateescape; None when absent."""
        span = self.span(slot, 1, what)
        if span is None:
            return None
        position, length = span
        self.buffer.unfold(length, what)
        return self.buffer.content[position : position + length].decode("utf-8", "surrogateescape")

    def integers(self, slot: int, kind: str, what: str) -> tuple[int, ...] | None:
        """Return the vector of integers in field ``slot``, None when absent."""
        return None if (values := self._vector(slot, kind, what)) is None else tuple(values)

    def reals(self, slot: int, kind: str, what: str) -> tuple[float, ...] | None:
        """Return the vector of floating-point numbers in field ``slot``, None when absent."""
        return None if (values := self._vector(slot, kind, what)) is None else tuple(values)

    def _vector(self, slot: int, kind: str, what: str) -> tuple[int, ...] | None:
        scalar = SCALARS[kind]
        span = self.span(slot, scalar.size, what)
        if span is None:
            return None
        position, count = span
        self.buffer.unfold(count * scalar.size, what)
        layout = f"<{count}{scalar.format[1:]}"
        return struct.unpack_from(layout, self.buffer.content, position)

    def children(self, slot: int, what: str) -> Iterator["Table"]:
        """Yield the tables of the vector in field ``slot``, named ``what`` and their index."""
        span = self.span(slot, 4, f"the list of {what}s")
        if span is None:
            return
        position, count = span
        for index in range(count):
            name = f"{what} {index}"
            yield self.buffer.table(self.buffer.follow(position + 4 * index, name), name)
