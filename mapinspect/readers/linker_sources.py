"""The files a linker script is made of: each line with its place, inclusion within bounds."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from mapinspect.errors import InputError
from mapinspect.model.image import Evidence
from mapinspect.readers.source import SourceFile, read_source

Include = Callable[[Evidence, str], SourceFile]
"""Opens the file named at a place of a script, or raises InputError at that place."""

DEPTH_LIMIT = 10  # ld's own limit, binutils ld/ldlex.l MAX_INCLUDE_DEPTH
FILE_LIMIT = 200  # files in all; a script that includes itself twice doubles at each level
SIZE_LIMIT = 1024 * 1024  # bytes in all: seconds to parse; the largest ROM lists have 200 KiB
_SAID_LIMIT = 200  # characters of a line that evidence repeats


@dataclass(frozen=True, slots=True)
class SourceLine:
    """One line of text and where it stands; ``line`` counts from 1."""

    file: str
    line: int
    text: str

    def evidence(self) -> Evidence:
        """Return the line as evidence."""
        return Evidence(self.file, self.line, self.text.strip()[:_SAID_LIMIT])


def refuse_include(place: Evidence, name: str) -> SourceFile:
    """Follow no inclusion: for scripts whose folder is not known. Raises InputError."""
    raise InputError(
        place.file, place.line, f"includes {name}, which is not at hand", "include its text instead"
    )


def include_beside(script: Path, *folders: Path) -> Include:
    """Return an Include that looks beside ``script``, then in ``folders`` (as ``-L`` does).

    A file must lie within the folder it was looked for in, after symbolic links: a script
    cannot make mapinspect read any other file of the machine. Raises InputError otherwise.
    """
    roots = [folder.resolve() for folder in (script.parent, *folders)]

    def include(place: Evidence, name: str) -> SourceFile:
        """Read one included file from the first folder that has it."""
        for root, shown in zip(roots, (script.parent, *folders), strict=True):
            found = _within(root, place, name)
            if found is not None:
                return read_source(found, str(shown / name), "included linker script")
        raise InputError(
            place.file,
            place.line,
            f"includes {name}, which is not beside the script",
            "copy it there, or give the script after the preprocessor",
        )

    return include


def _within(root: Path, place: Evidence, name: str) -> Path | None:
    try:
        found = (root / name).resolve()
        if not found.is_file():
            return None
    except (OSError, ValueError, RuntimeError):  # too long, NUL, a loop of links
        return None
    if not found.is_relative_to(root):
        raise InputError(
            place.file,
            place.line,
            f"includes {name}, which lies outside the script's folder",
            "copy it beside the script",
        )
    return found


class Sources:
    """Decodes files into lines and counts them, so that no script is read without end."""

    def __init__(self, include: Include) -> None:
        self.files: list[str] = []
        self._include = include
        self._size = 0

    def lines(self, path: str, content: bytes, place: Evidence | None = None) -> list[SourceLine]:
        """Return the lines of a file; raises InputError beyond the limits, or for binary files."""
        self.files.append(path)
        self._size += len(content)
        if self._size > SIZE_LIMIT or len(self.files) > FILE_LIMIT:
            where = place or Evidence(path, None, "")
            raise InputError(
                where.file, where.line, "makes too much text for a linker script", "give a part"
            )
        if b"\0" in content:
            raise InputError(path, None, "is no text", "give the linker script, not the image")
        text = content.decode("utf-8", "surrogateescape").removeprefix("\ufeff")
        rows = text.replace("\r\n", "\n").split("\n")
        return [SourceLine(path, number, row) for number, row in enumerate(rows, 1)]

    def included(self, place: Evidence, name: str, depth: int) -> list[SourceLine]:
        """Return the lines of an included file; ``depth`` is how deep its includer lies."""
        if depth >= DEPTH_LIMIT:
            raise InputError(
                place.file,
                place.line,
                f"includes more than {DEPTH_LIMIT} deep",
                "look for a file that includes itself",
            )
        source = self._include(place, name)
        return self.lines(source.path, source.content, place)
