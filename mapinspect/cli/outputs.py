"""Files that commands write: whole or not at all, and never over an input."""

import os
import tempfile
from pathlib import Path

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
    """Raise InputError when ``path`` is one of the files that were read."""
    for item in report.inputs:
        if path.exists() and os.path.exists(item.path) and os.path.samefile(path, item.path):
            raise InputError(
                str(path), None, f"is the {item.role} that was read", "write to another file"
            )


def write_text(path: Path, text: str) -> None:
    """Write a file through a temporary one beside it, so that a reader never sees half of it.

    Raises InputError when the file cannot be written.
    """
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as stream:
                stream.write(text)
            os.chmod(name, 0o666 & ~_umask())
            os.replace(name, path)
        except BaseException:
            os.unlink(name)
            raise
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise InputError(str(path), None, f"cannot be written ({reason})", "mend it") from None


def write_stamp(stamp: Path, depfile: Path | None, report: Report) -> None:
    """Write the stamp on PASS and remove an old one otherwise; the rule of its inputs always.

    The rule also names each input as a target of its own, so that a file that later disappears
    reruns the check instead of stopping make.
    """
    if depfile is not None:
        inputs = [_escaped(item.path) for item in report.inputs]
        rules = [f"{_escaped(str(stamp))}: {' '.join(inputs)}", *(f"{item}:" for item in inputs)]
        write_text(depfile, "\n".join(rules) + "\n")
    if report.verdict is Verdict.PASS:
        write_text(stamp, "mapinspect: PASS\n")
    else:
        stamp.unlink(missing_ok=True)


def _escaped(path: str) -> str:
    """Return a path as make reads it in a rule: blanks, # and $ escaped."""
    path = path.replace("\\", "/").replace("$", "$$")
    return path.replace("#", "\\#").replace(" ", "\\ ")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
