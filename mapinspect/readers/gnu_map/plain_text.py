"""From the bytes of a file to the plain text of a map: line ends, byte order marks, other formats.

A map's lines end with a newline and its names are bytes of any encoding. What a shell or an
editor may have done to it (CRLF, a byte order mark, UTF-16) is undone; what cannot be a map is
refused by name.
"""

from mapinspect.errors import InputError

LINE_LIMIT = 64 * 1024  # bytes; ld's longest lines are demangled names, far below

_MAGICS = (
    (b"\x7fELF", "is an ELF file, not a link map", "give the .map that -Wl,-Map=FILE writes"),
    (b"\x1f\x8b", "is compressed with gzip", "unpack it with gunzip"),
    (b"BZh", "is compressed with bzip2", "unpack it with bunzip2"),
    (b"\xfd7zXZ", "is compressed with xz", "unpack it with unxz"),
    (b"PK\x03\x04", "is a zip archive", "unpack it"),
    (b"!<arch>\n", "is an archive, not a link map", "give the .map that -Wl,-Map=FILE writes"),
)


def plain_text(path: str, content: bytes) -> bytes:
    """Return the map with newline line ends, without a byte order mark.

    Raises InputError for an empty file, another file format, NUL bytes and lines of more than
    64 KiB.
    """
    for magic, what, remedy in _MAGICS:
        if content.startswith(magic):
            raise InputError(path, None, what, remedy)
    text = _decoded(path, content)
    if b"\r" in text:
        text = text.replace(b"\r\n", b"\n")
        if b"\n" not in text:
            text = text.replace(b"\r", b"\n")
    if not text or text.isspace():
        raise InputError(path, None, "is empty, not a link map", "link again: ld did not finish")
    nul = text.find(b"\0")
    if nul >= 0:
        line = 1 + text.count(b"\n", 0, nul)
        raise InputError(path, line, "holds a NUL byte", "link again: the file is damaged")
    _refuse_long_lines(path, text)
    return text


def _decoded(path: str, content: bytes) -> bytes:
    if content.startswith(b"\xef\xbb\xbf"):
        return content[3:]
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        try:
            return content.decode("utf-16").encode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            raise InputError(
                path, None, "is damaged UTF-16", "write the map with -Wl,-Map=FILE"
            ) from None
    return content


def _refuse_long_lines(path: str, text: bytes) -> None:
    """Look at one window in two: a line over the limit covers at least one of them whole."""
    step = LINE_LIMIT // 2
    for start in range(0, len(text) - step, step):
        if text.find(b"\n", start, start + step) < 0:
            first = text.rfind(b"\n", 0, start) + 1
            end = text.find(b"\n", start)
            if (len(text) if end < 0 else end) - first > LINE_LIMIT:
                line = 1 + text.count(b"\n", 0, first)
                raise InputError(
                    path, line, f"is longer than {LINE_LIMIT // 1024} KiB", "link again"
                )
