"""Limits that people read: use plus a share of room, rounded up; names that select one thing."""

from fractions import Fraction
from typing import Final

ROOM: Final = Fraction(1, 10)  # of today's use, for the next weeks of work
_KIB: Final = 1024
# bytes up to which a step is used; a limit of 59,656 bytes looks measured, 60K looks meant
_STEPS: Final = ((_KIB, 64), (4 * _KIB, 256), (256 * _KIB, _KIB), (1 << 64, 4 * _KIB))


def limit_above(used: int, whole: int) -> int:
    """Return ``used`` plus ROOM, rounded up to a step, at most ``whole``."""
    wanted = -(-used * (1 + ROOM) // 1)
    step = next(step for most, step in _STEPS if wanted <= most)
    return min(int(-(-wanted // step)) * step, whole)


def size_text(size: int) -> str | int:
    """Return a size as tables write it: in K or M where that is exact, else plain bytes."""
    for unit, letter in ((_KIB * _KIB, "M"), (_KIB, "K")):
        if size and size % unit == 0:
            return f"{size // unit}{letter}"
    return size


def in_words(size: int) -> str:
    """Return a size for a comment."""
    return f"{size:,} bytes"


def glob_of(name: str) -> str:
    """Return a glob that matches just this name.

    What TOML cannot hold (bytes that are no UTF-8, control characters) becomes ``?``.
    """
    parts = []
    for letter in name:
        if letter in "*?[":
            parts.append(f"[{letter}]")
        elif letter.isprintable() and not "\ud800" <= letter <= "\udfff":
            parts.append(letter)
        else:
            parts.append("?")
    return "".join(parts)


def identifier(name: str) -> str:
    """Return a row's id made of a name: letters, digits and dashes."""
    words = "".join(letter if letter.isalnum() and letter.isascii() else " " for letter in name)
    return "-".join(words.lower().split()) or "row"
