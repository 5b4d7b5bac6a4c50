"""What a link command asks for: its output file and its map.

Compiler drivers pass options on in two ways (GCC manual, "Options for Linking"): ``-Wl,A,B`` and
``-Xlinker A``. The linker itself takes ``-Map=FILE`` or ``-Map FILE``; the last one counts. Both
read further arguments from ``@FILE``.
"""

import os
import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

_LINKER = re.compile(r"(.*-)?ld([.-][a-z0-9.]+)?(\.exe)?")  # ld, arm-none-eabi-ld.bfd, ld.exe
_NESTED = 10  # response files inside response files; build systems write one
_TERMINAL = "-"  # -Map=- prints the map


@dataclass(frozen=True, slots=True)
class LinkArguments:
    """A link command's output file and map, as it names them; ``map`` None: it asks for none."""

    output: str
    map: str | None


def link_arguments(command: Sequence[str]) -> LinkArguments:
    """Return what the command asks for; ld calls its output ``a.out`` when nobody names it."""
    output, map_ = "a.out", None
    words = _linker_words(_expanded(command[1:], _NESTED))
    for word, following in pairwise([*words, ""]):
        if word in ("-Map", "--Map"):
            map_ = following
        elif word.startswith(("-Map=", "--Map=")):
            map_ = word.partition("=")[2]
        elif word in ("-M", "--print-map"):
            map_ = _TERMINAL
        elif word in ("-o", "--output"):
            output = following
        elif word.startswith("--output="):
            output = word.partition("=")[2]
        elif word.startswith("-o"):
            output = word[2:]
    return LinkArguments(output, None if map_ is None else map_file(map_, output))


def map_file(name: str, output: str) -> str | None:
    """Return the file that ``-Map=name`` writes (ld manual, "Command-line Options"), or None.

    The first ``%`` stands for the output file, followed by ``.map`` where the name ends with it. In
    a folder the map is named after the output. ``-`` is the terminal: no file.

    >>> map_file("%.map", "build/fw.elf"), map_file("maps/%", "fw.elf"), map_file("-", "fw.elf")
    ('build/fw.elf.map', 'maps/fw.elf.map', None)
    """
    if name == _TERMINAL:
        return None
    before, percent, after = name.partition("%")
    if percent:
        return f"{before}{output}{after or '.map'}"
    if os.path.isdir(name):
        return os.path.join(name, os.path.basename(output) + ".map")
    return name


def asking_for_map(command: Sequence[str], map_: str) -> list[str]:
    """Return the command with the option that makes its linker write ``map_``."""
    # Not -Wl,-Map=…: a driver would cut the name at its commas.
    is_linker = any(_LINKER.fullmatch(os.path.basename(word)) for word in _programs(command))
    option = f"-Map={map_}"
    return [*command, option] if is_linker else [*command, "-Xlinker", option]


def _programs(command: Sequence[str]) -> Iterator[str]:
    """Yield the words before the first option: the program, behind launchers such as ccache."""
    for word in command:
        if word.startswith(("-", "@")):
            return
        yield word


def _linker_words(words: Iterable[str]) -> Iterator[str]:
    """Yield what the linker gets to see, and the driver's own words among it.

    The driver's ``-M`` asks for make rules, not for a map.
    """
    is_passed_on = False
    for word in words:
        if is_passed_on:
            is_passed_on = False
            yield word
        elif word == "-Xlinker":
            is_passed_on = True
        elif word.startswith("-Wl,"):
            yield from word.split(",")[1:]
        elif word != "-M":
            yield word


def _expanded(words: Iterable[str], depth: int) -> Iterator[str]:
    """Yield the words with those of response files in place of ``@FILE``."""
    for word in words:
        read = _response(word) if depth and word.startswith("@") else None
        if read is None:
            yield word
        else:
            yield from _expanded(read, depth - 1)


def _response(word: str) -> list[str] | None:
    """Return the words of a response file; None where it cannot be read, as the tools have it."""
    try:
        text = Path(word[1:]).read_text(encoding="utf-8", errors="surrogateescape")
        return shlex.split(text)
    except (OSError, ValueError):
        return None
