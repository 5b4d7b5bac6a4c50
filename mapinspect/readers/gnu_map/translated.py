"""Put the headings of a translated map into English: the grammar knows only those.

ld prints its headings in the language and the charset of the locale it ran in, and even half of
them in English where its catalogue is old. The list is looked at only when a line was unknown.
"""

import json
from collections.abc import Iterable
from functools import cache

from mapinspect import resources
from mapinspect.readers.gnu_map.scan import Token

_NAME = b"%s"  # stands for a section's name in a phrase


def in_english(text: bytes, unknown: Iterable[Token]) -> bytes | None:
    """Return the text with the translated headings among its unknown lines in English.

    Returns None when there are none. The number of lines stays the same.
    """
    pieces: list[bytes] = []
    done = 0
    for token in unknown:
        english = _english(text[token.start : token.end - 1])
        if english is not None:
            pieces += (text[done : token.start], english)
            done = token.end - 1
    return b"".join((*pieces, text[done:])) if pieces else None


def _english(line: bytes) -> bytes | None:
    exact, named = _phrases()
    if line in exact:
        return exact[line]
    for before, after, english in named:
        value = line.rfind(b"0x")
        name = line[len(before) : value].rstrip()
        if value >= 0 and line.startswith(before) and name.endswith(after):
            shown = name.removesuffix(after)
            return english.replace(_NAME, shown) + b" " + line[value:]
    return None


@cache
def _phrases() -> tuple[dict[bytes, bytes], list[tuple[bytes, bytes, bytes]]]:
    """Return whole lines by their translation, and the phrases that hold a name, cut at it."""
    listed = json.loads(resources.text("grammars", "gnu_ld_translated.json"))
    exact: dict[bytes, bytes] = {}
    named: list[tuple[bytes, bytes, bytes]] = []
    for english, translations in listed["headings"].items():
        for phrase in translations:
            for encoded in _encodings(phrase, listed["charsets"]):
                before, name, after = encoded.partition(_NAME)
                if name:
                    named.append((before, after.rstrip(), english.encode()))
                else:
                    exact[encoded] = english.encode()
    return exact, named


def _encodings(phrase: str, charsets: Iterable[str]) -> set[bytes]:
    encoded: set[bytes] = set()
    for charset in charsets:
        try:
            encoded.add(phrase.encode(charset))
        except UnicodeEncodeError:
            continue
    return encoded
