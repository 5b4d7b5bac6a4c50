"""Files that commands write: whole or not at all, and never over an input."""

import os
import tempfile
from pathlib import Path

from mapinspect.errors import InputError
from mapinspect.model.report import Report


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


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
