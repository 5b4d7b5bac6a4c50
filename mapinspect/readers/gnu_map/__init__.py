"""Read the link map that GNU ld writes with ``-Map``: bytes in, a ``LinkMap`` out.

``grammars/gnu_ld.lark`` describes the format; lark's tables for it are walked by ``automaton``,
``scan`` cuts the text into rows and tokens, ``build`` makes records of them. What nobody asks for
(names, symbols, assignments, discarded sections, cross references) stays text until then.
"""

from mapinspect.errors import InputError
from mapinspect.model.link_map import LinkMap
from mapinspect.readers.gnu_map.build import Builder
from mapinspect.readers.gnu_map.foreign import foreign_map
from mapinspect.readers.gnu_map.grammar import Grammar, gnu_ld
from mapinspect.readers.gnu_map.plain_text import plain_text
from mapinspect.readers.gnu_map.scan import Progress, Scan

_RELINK = "link again: an error stopped ld, or the file was cut"

_FIRST_BLOCKS = {"ARCHIVE_MEMBERS", "AS_NEEDED_LIBRARIES", "COMMON_SYMBOLS", "DISCARDED_HEADING"}


def read_map(path: str, content: bytes, progress: Progress | None = None) -> LinkMap:
    """Return what the map ``content`` says; ``path`` names it in messages.

    Lines that the grammar does not know become ``UnknownLine`` records. ``progress`` is called
    now and then with the bytes read and the bytes in all. Raises InputError when the content is
    no map of GNU ld, ends before its memory map, or holds two maps.
    """
    text = plain_text(path, content)
    ends_whole = text.endswith(b"\n")
    grammar = gnu_ld()
    scan = _scan(text if ends_whole else text + b"\n", grammar, progress)
    known = {token.terminal for token in scan.tokens} - {"UNKNOWN", "BLANK", "MESSAGE"}
    if not scan.whole or "OUTPUT_SECTION" not in known:
        raise foreign_map(path, text) or _cut_short(path, known)
    return Builder(path, scan, grammar, ends_whole=ends_whole).link_map()


def _scan(text: bytes, grammar: Grammar, progress: Progress | None) -> Scan:
    """Cut the text into tokens; once more where some of its headings were not in English."""
    scan = Scan(text, grammar)
    scan.run(progress)
    unknown = [token for token in scan.tokens if token.terminal == "UNKNOWN"]
    if unknown:
        from mapinspect.readers.gnu_map.translated import in_english  # noqa: PLC0415 - rare

        english = in_english(text, unknown)
        if english is not None:
            scan = Scan(english, grammar)
            scan.run(progress)
    return scan


def _cut_short(path: str, known: set[str]) -> InputError:
    if not known:
        return InputError(path, None, "is no link map of GNU ld", "give the file of -Wl,-Map=FILE")
    if "MEMORY_HEADING" not in known:
        verb = "ends before its" if known & _FIRST_BLOCKS else "has no"
        return InputError(path, None, f"{verb} memory table (Memory Configuration)", _RELINK)
    block = "first output section" if "MAP_HEADING" in known else "memory map"
    return InputError(path, None, f"ends before its {block}", _RELINK)
