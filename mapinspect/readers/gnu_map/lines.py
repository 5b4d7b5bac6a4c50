"""From byte offsets to line numbers."""

from array import array
from bisect import bisect_right


class Lines:
    """Line numbers of a text, from checkpoints; asked in ascending order, each byte counts once."""

    def __init__(self, text: bytes, checkpoints: "array[int]") -> None:
        self._text = text
        self._offsets = array("Q", [0])
        self._numbers = array("Q", [1])
        self._last = (0, 1)
        for offset in checkpoints:
            if offset:
                self._numbers.append(self._at(offset))
                self._offsets.append(offset)
        self.count = self._at(len(text)) - 1

    def at(self, offset: int) -> int:
        """Return the 1-based number of the line that ``offset`` lies in."""
        if offset < self._last[0]:
            nearest = bisect_right(self._offsets, offset) - 1
            self._last = (self._offsets[nearest], self._numbers[nearest])
        return self._at(offset)

    def _at(self, offset: int) -> int:
        known, number = self._last
        number += self._text.count(b"\n", known, offset)
        self._last = (offset, number)
        return number
