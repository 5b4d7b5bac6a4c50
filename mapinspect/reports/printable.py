"""Untrusted text made safe to show: one function at the border of every report."""

import hashlib
import re
from typing import Final

LENGTH_LIMIT: Final = 256  # characters; longer names are cut, with a hash to tell them apart

# C0, DEL, C1, bidirectional controls, zero-width characters, line and paragraph separators,
# lone surrogates (bytes that were not UTF-8), and the byte order mark.
_HIDDEN: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\uffff\ud800-\udfff]"
)


def printable(text: str, limit: int = LENGTH_LIMIT) -> str:
    r"""Return the text with every hidden character spelt out, cut to ``limit`` characters.

    Bytes that were not UTF-8 (kept as surrogates) become ``\xNN`` again. The result never
    holds a control character, so it cannot start a line, move a cursor or hide anything.
    """
    shown = _HIDDEN.sub(_spell, text)
    if len(shown) <= limit:
        return shown
    digest = hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:8]
    return f"{shown[: limit - 12]}...#{digest}"


def _spell(match: re.Match[str]) -> str:
    code = ord(match[0])
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def place(file: str, line: int | None) -> str:
    """Return ``FILE`` or ``FILE:LINE``, printable."""
    return printable(file) if line is None else f"{printable(file)}:{line}"
