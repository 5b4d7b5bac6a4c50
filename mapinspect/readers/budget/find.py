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
        if _has_table(project):
            return Path(os.path.relpath(project))
        if os.path.lexists(candidate / ".git"):
            return None
    return None


def passed_over(found: Path) -> tuple[str, ...]:
    """Return what to say of a second table beside the one that was found; it has no effect."""
    project = found.with_name(PROJECT_NAME)
    if found.name != CONFIG_NAME or not _has_table(project):
        return ()
    return (f"{project} has a table too, which {CONFIG_NAME} beside it replaces",)


def _has_table(path: Path) -> bool:
    """Return whether a project file has a table for mapinspect, however its keys are spelt.

    A broken one has it when it names mapinspect at all, and so has one that cannot be read.
    """
    if not os.path.isfile(path):
        return os.path.islink(path) and not os.path.exists(path)
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return True
    if "mapinspect" not in text:
        return False
    import tomllib  # noqa: PLC0415 - start-up time: most project files do not name it

    try:
        tool = tomllib.loads(text).get("tool")
    except (ValueError, RecursionError):
        return True
    return isinstance(tool, dict) and "mapinspect" in tool


def _working_folder() -> Path:
    try:
        return Path.cwd()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise InputError(".", None, f"cannot be looked into ({reason})", "use --config") from None
