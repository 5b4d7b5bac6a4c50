"""Where the budget table is, when nobody says: the nearest one upward."""

import os
from pathlib import Path
from typing import Final

from mapinspect.errors import InputError

CONFIG_NAME: Final = "mapinspect.toml"
PROJECT_NAME: Final = "pyproject.toml"


def find_config(folder: Path | None = None) -> Path | None:
    """Return the nearest budget table from ``folder`` upward, to the repository's root.

    Without ``folder`` from the working folder; raises InputError when that is gone.

    It is ``mapinspect.toml``, or a ``pyproject.toml`` with a table ``[tool.mapinspect]``. Also one
    that cannot be read, such as a link to nowhere: what it would demand is not known.
    """
    start = folder or _working_folder()
    for candidate in (start, *start.parents):
        path, project = candidate / CONFIG_NAME, candidate / PROJECT_NAME
        if os.path.lexists(path):
            return Path(os.path.relpath(path))
        if os.path.isfile(project) and _has_table(project):
            return Path(os.path.relpath(project))
        if os.path.lexists(candidate / ".git"):
            return None
    return None


def _has_table(path: Path) -> bool:
    """Return whether a project file speaks of mapinspect; a broken one does when it names it."""
    try:
        return "[tool.mapinspect" in path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False


def _working_folder() -> Path:
    try:
        return Path.cwd()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise InputError(".", None, f"cannot be looked into ({reason})", "use --config") from None
