"""The one place where input files are opened: bytes in, or a clear refusal."""

import hashlib
import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from mapinspect.errors import InputError

SIZE_LIMIT = 512 * 1024 * 1024  # bytes; a firmware's map, ELF or model is far below


@dataclass(frozen=True)
class SourceFile:
    """A file read whole: its name as the user gave it, its bytes, and their SHA-256.

    ``modified`` is when it was last written, in seconds since 1970; 0 where that is not known.
    """

    path: str
    content: bytes
    modified: int = 0

    @cached_property
    def sha256(self) -> str:
        """Return the SHA-256 of the content, in hexadecimal."""
        return hashlib.sha256(self.content).hexdigest()


def read_source(path: Path, shown: str, what: str) -> SourceFile:
    """Read the file ``path``, named ``shown`` in messages; ``what`` says what it should be.

    Raises InputError when it is missing, not a regular file, empty, too large, unreadable, or
    changed while it was being read.
    """
    try:
        # Without O_NONBLOCK a pipe would wait for its writer, before anything can refuse it.
        with open(path, "rb", opener=_without_waiting) as stream:
            before = os.fstat(stream.fileno())
            _check_kind(before, shown, what)
            content = stream.read(SIZE_LIMIT + 1)
            after = os.fstat(stream.fileno())
    except FileNotFoundError:
        raise InputError(shown, None, f"no such {what}", "check the path") from None
    except IsADirectoryError:
        raise InputError(shown, None, "is a folder", f"name the {what}") from None
    except (OSError, ValueError) as error:  # ValueError: a NUL byte in the name
        reason = getattr(error, "strerror", None) or type(error).__name__
        raise InputError(shown, None, f"cannot be read ({reason})", "check the file") from None
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        raise InputError(shown, None, "changed while it was read", "run again after the build")
    if not content:
        raise InputError(shown, None, f"the {what} is empty", "write or build it again")
    return SourceFile(shown, content, int(after.st_mtime))


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _check_kind(status: os.stat_result, shown: str, what: str) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise InputError(shown, None, "is no regular file", f"name the {what}")
    if status.st_size > SIZE_LIMIT:
        raise InputError(
            shown, None, f"is larger than {SIZE_LIMIT // 2**20} MiB", f"name a smaller {what}"
        )


def by_file_name(paths: Iterable[Path]) -> dict[str, str]:
    """Return the paths by their last part; raise InputError when two of them share it."""
    found: dict[str, str] = {}
    for path in paths:
        if found.setdefault(path.name, str(path)) != str(path):
            what = f"has the file name of {found[path.name]}"
            raise InputError(str(path), None, what, "list both in a table, or rename one")
    return found


def is_same(path: str, other: str) -> bool:
    """Return whether both lead to one file, or to none."""
    try:
        return os.path.samefile(path, other)
    except (OSError, ValueError):
        return not os.path.exists(path) and not os.path.exists(other)
