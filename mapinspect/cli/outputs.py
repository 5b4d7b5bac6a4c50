"""What commands write: files whole or not at all, never over an input; text to the terminal."""

import io
import os
import stat
import sys
import tempfile
from collections.abc import Iterable
from itertools import combinations
from pathlib import Path

import click

from mapinspect.errors import InputError
from mapinspect.model.report import Report, Verdict


def trace(path: Path) -> tuple[int, ...] | None:
    """Return what changes when a file is written anew, or None where there is no file."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns


def refuse_inputs(path: Path, report: Report) -> None:
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
        if regular and (_is_same(first, second) or first.absolute() == second.absolute()):
            what = "is to be written twice"
            raise InputError(str(second), None, what, "name a file of its own for each report")


def _is_same(path: Path, other: Path) -> bool:
    try:
        return path.samefile(other)
    except (OSError, ValueError):
        return False  # one of them does not exist, so nothing can be lost


def write_text(path: Path, text: str) -> None:
    """Write a file through a temporary one beside it, so that a reader never sees half of it.

    What a link points to is written, not the link. Devices and pipes, which nothing may replace,
    are written to as they are. Raises InputError when the file cannot be written.
    """
    content = text.encode("utf-8", "surrogateescape")
    try:
        target = Path(os.path.realpath(path))
        if target.exists() and not stat.S_ISREG(target.stat().st_mode):
            target.write_bytes(content)
        else:
            _replace(target, content)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        remedy = "name a file in a folder that can be written"
        raise InputError(str(path), None, f"cannot be written ({reason})", remedy) from None


def _replace(path: Path, content: bytes) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:100]}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
        os.chmod(name, 0o666 & ~_umask())
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


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


def write_stamp(stamp: Path, depfile: Path | None, report: Report) -> None:
    """Write the stamp on PASS; the rule of its inputs always.

    The rule also names each input as a target of its own, so that a file that later disappears
    reruns the check instead of stopping make.
    """
    if depfile is not None:
        inputs = [_escaped(item.path) for item in report.inputs]
        rules = [f"{_escaped(str(stamp))}: {' '.join(inputs)}", *(f"{item}:" for item in inputs)]
        write_text(depfile, "\n".join(rules) + "\n")
    if report.verdict is Verdict.PASS:
        write_text(stamp, "mapinspect: PASS\n")


def remove_stamp(stamp: Path) -> None:
    """Remove the stamp of an earlier run; raise InputError when it cannot be removed."""
    try:
        if stamp.is_file() or stamp.is_symlink():  # never a device
            stamp.unlink(missing_ok=True)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        what = f"cannot be removed ({reason})"
        raise InputError(str(stamp), None, what, "name a file for the stamp") from None


def _escaped(path: str) -> str:
    """Return a path as make reads it in a rule: blanks, # and $ escaped.

    Raises InputError for a line break, which no rule can name.
    """
    if "\n" in path or "\r" in path:
        raise InputError(path, None, "has a line break in its name", "rename it, or drop --depfile")
    path = path.replace("\\", "/").replace("$", "$$")
    return path.replace("#", "\\#").replace(" ", "\\ ").replace("\t", "\\\t")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
