"""What commands write: files whole or not at all, never over an input; text to the terminal."""

import io
import os
import stat
import sys
from collections.abc import Iterable
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mapinspect.cli import depfile
from mapinspect.errors import InputError

if TYPE_CHECKING:  # start-up time: most commands write without a report of a check
    from mapinspect.model.report import Report

_STAMP = b"mapinspect: PASS\n"


def refuse_inputs(path: Path, report: "Report") -> None:
    """Raise InputError when ``path`` is one of the inputs, also of those not read any more."""
    for item in report.inputs:
        if _is_same(path, Path(item.path)):
            what = f"is the {item.role} that was read"
            raise InputError(str(path), None, what, "write to another file")
    if any(_is_same(path, Path(name)) for name in report.named):
        raise InputError(str(path), None, "is an input", "write to another file")


def refuse_twice(paths: Iterable[Path]) -> None:
    """Raise InputError when two of the files to write are one: the second would replace it."""
    for first, second in combinations(paths, 2):
        regular = not second.exists() or second.is_file()
        spelt = os.path.realpath(first) == os.path.realpath(second)
        if regular and (_is_same(first, second) or spelt):
            what = "is to be written twice"
            raise InputError(str(second), None, what, "name a file of its own for each report")


def _is_same(path: Path, other: Path) -> bool:
    try:
        return path.samefile(other)
    except (OSError, ValueError):
        return False  # one of them does not exist, so nothing can be lost


def write_text(path: Path, text: str) -> None:
    """Write a text file as ``write_bytes`` does; names that are not UTF-8 keep their bytes."""
    write_bytes(path, text.encode("utf-8", "surrogateescape"))


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file through a temporary one beside it, so that a reader never sees half of it.

    A device or pipe is written to as it is. Raises InputError when the file cannot be written.
    """
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(content)
        else:
            _replace(Path(os.path.realpath(path)), content)  # a symbolic link stays one
    except OSError as error:
        reason = error.strerror or type(error).__name__
        remedy = "name a file in a folder that can be written"
        raise InputError(str(path), None, f"cannot be written ({reason})", remedy) from None


def print_text(text: str) -> None:
    """Print to standard output; raise InputError when its reader is gone or its disk is full.

    A verdict that nobody could read is no success. Characters that the terminal's encoding
    lacks are spelt out.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        click.echo(text, nl=False)
    except OSError as error:
        # What is still buffered would fail again when Python flushes it on the way out.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        reason = error.strerror or type(error).__name__
        what = f"cannot be written ({reason})"
        raise InputError("standard output", None, what, "use --output FILE") from None


def discard_stamp(path: Path) -> None:
    """Remove a former stamp, so that only a PASS of this run leaves one.

    Raises InputError when the file is none of ours: naming the ELF must not remove it.
    """
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            raise InputError(str(path), None, "is no regular file", "name a file of its own")
        with path.open("rb") as stream:
            content = stream.read(len(_STAMP) + 1)
        if content not in (_STAMP, b""):
            raise InputError(str(path), None, "is no stamp of mapinspect", "name a file of its own")
        path.unlink()
    except FileNotFoundError:
        return
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise InputError(str(path), None, f"cannot be removed ({reason})", "mend it") from None


def write_stamp(
    stamp: str, dependencies: Path | None, report: "Report", *, is_passed: bool
) -> None:
    """Write the rule of what was read, and the stamp if the check is passed.

    ``stamp`` is spelt as the build system spells it: to make, ``a//b`` is not ``a/b``.
    """
    if dependencies is not None:
        write_text(dependencies, depfile.rule(stamp, (item.path for item in report.inputs)))
    if is_passed:
        write_bytes(Path(stamp), _STAMP)


def _replace(path: Path, content: bytes) -> None:
    import tempfile  # noqa: PLC0415 - start-up time: it brings along half of the library

    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".mapinspect.")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
        os.chmod(name, 0o666 & ~_umask())
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
