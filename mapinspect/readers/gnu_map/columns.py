"""The rows of a map as columns: five bytes a line instead of an object a row.

A map of a million lines has some 300,000 input sections. Address, size and owner of each are kept
in arrays; the name and the line are read again from the text when someone asks for them.
"""

from array import array
from binascii import unhexlify
from itertools import compress
from sys import byteorder

GROUPS = 4  # of a row's pattern: address, size, owner, size of the fill below
STRIDE = GROUPS + 1


class Columns:
    """Address, size and owner of every row, and the fills below rows, in print order.

    ``fill_rows`` holds, per fill, the ordinal of the row above it. ``chunk_offsets`` and
    ``chunk_rows`` say at which byte of the text a chunk begins and which row is its first,
    ``chunk_lines`` how many lines lie between it and the next.
    """

    def __init__(self) -> None:
        self.addresses = array("I")
        self.sizes = array("I")
        self.owners = array("I")
        self.owner_numbers = _Numbers()
        self.fill_rows = array("I")
        self.fill_sizes = array("Q")
        self.chunk_offsets = array("Q")
        self.chunk_rows = array("I")
        self.chunk_lines = array("I")
        self._size_values = _Values()

    def __len__(self) -> int:
        """Return how many rows there are."""
        return len(self.sizes)

    def extend(self, offset: int, parts: list[bytes]) -> None:
        """Add the rows of a chunk that begins at ``offset``, as ``re.split`` cut it."""
        first = len(self)
        self.chunk_offsets.append(offset)
        self.chunk_rows.append(first)
        self._extend_addresses(parts[1::STRIDE])
        sizes = list(map(self._size_values.__getitem__, parts[2::STRIDE]))
        try:
            self.sizes.extend(array(self.sizes.typecode, sizes))
        except OverflowError:  # a section of 4 GiB and more
            self.sizes = array("Q", [*self.sizes, *sizes])
        self.owners.extend(map(self.owner_numbers.__getitem__, parts[3::STRIDE]))
        fills = parts[4::STRIDE]
        self.fill_rows.extend(compress(range(first, first + len(fills)), fills))
        self.fill_sizes.extend(map(self._size_values.__getitem__, filter(None, fills)))

    def _extend_addresses(self, digits: list[bytes]) -> None:
        joined = b"".join(digits)
        wide = len(joined) != 8 * len(digits)
        if wide and len(joined) != 16 * len(digits):  # both widths in one map: no ld does it
            joined = b"".join(address.zfill(16) for address in digits)
        if wide and self.addresses.typecode == "I":
            self.addresses = array("Q", self.addresses)
        added = array("Q" if wide else "I", unhexlify(joined))
        if byteorder == "little":
            added.byteswap()
        self.addresses.extend(added if wide == (self.addresses.typecode == "Q") else added.tolist())


class _Numbers(dict[bytes, int]):
    """Numbers its keys in the order they are first asked for."""

    def __missing__(self, key: bytes) -> int:
        self[key] = number = len(self)
        return number


class _Values(dict[bytes, int]):
    """Remembers the value of each hexadecimal text: few sizes are unique."""

    def __missing__(self, key: bytes) -> int:
        self[key] = value = int(key, 16)
        return value
