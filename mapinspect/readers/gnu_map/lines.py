"""From byte offsets to line numbers."""

from array import array
from bisect import bisect_right
from itertools import accumulate

_CLOSE = 64 * 1024  # bytes; further ahead a checkpoint may be nearer


class Lines:
    """Line numbers of a text; asked in ascending order, it looks at each byte once.

    ``offsets`` are checkpoints, and ``counts`` says how many lines lie between each and the next.
    """

    def __init__(self, text: bytes, offsets: "array[int]", counts: "array[int]") -> None:
        self._text = text
        self._offsets = array("Q", [0])
        self._numbers = array("Q", [1])
        self._last = (0, 1)
        if offsets:
            number = self._at(offsets[0])
            self._offsets.extend(offsets)
            self._numbers.extend(accumulate(counts[:-1], initial=number))
        self._last = (self._offsets[-1], self._numbers[-1])
        self.count = self._at(len(text)) - 1

    def at(self, offset: int) -> int:
        """Return the 1-based number of the line that ``offset`` lies in."""
        known = self._last[0]
        if not known <= offset < known + _CLOSE:
            nearest = bisect_right(self._offsets, offset) - 1
            self._last = (self._offsets[nearest], self._numbers[nearest])
        return self._at(offset)

    def _at(self, offset: int) -> int:
        known, number = self._last
        number += self._text.count(b"\n", known, offset)
        self._last = (offset, number)
        return number
