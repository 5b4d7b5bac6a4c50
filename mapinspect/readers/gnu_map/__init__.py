"""Read the link map that GNU ld writes with ``-Map``: bytes in, a ``LinkMap`` out.

``grammars/gnu_ld.lark`` describes the format; lark's tables for it are walked by ``automaton``,
``scan`` cuts the text into rows and tokens, ``build`` makes records of them. What nobody asks for
(names, symbols, assignments, discarded sections, cross references) stays text until then.
"""

from mapinspect.errors import InputError
from mapinspect.model.link_map import LinkMap
from mapinspect.readers.gnu_map.build import Builder
from mapinspect.readers.gnu_map.grammar import gnu_ld
from mapinspect.readers.gnu_map.plain_text import plain_text
from mapinspect.readers.gnu_map.scan import Progress, Scan, TooManyUnknownLinesError

_RELINK = "link again: ld was stopped by an error, or the file was cut"


def read_map(path: str, content: bytes, progress: Progress | None = None) -> LinkMap:
    """Return what the map ``content`` says; ``path`` names it in messages.

    Lines that the grammar does not know become ``UnknownLine`` records. ``progress`` is called
    now and then with the bytes read and the bytes in all. Raises InputError when the content is
    no map of GNU ld, ends before its memory map, or holds two maps.
    """
    text = plain_text(path, content)
    grammar = gnu_ld()
    scan = Scan(text if text.endswith(b"\n") else text + b"\n", grammar)
    try:
        whole = scan.run(progress)
    except TooManyUnknownLinesError:
        whole = False
    known = {token.terminal for token in scan.tokens} - {"UNKNOWN", "BLANK", "MESSAGE"}
    if not known:
        raise InputError(path, None, "is no link map of GNU ld", "give the file of -Wl,-Map=FILE")
    if not whole:
        raise InputError(path, None, "ends before its memory map", _RELINK)
    if "OUTPUT_SECTION" not in known:
        raise InputError(path, None, "ends before its first output section", _RELINK)
    return Builder(path, scan, grammar).link_map()
