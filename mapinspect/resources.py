"""Texts that ship with mapinspect: grammars and example linker scripts.

``grammars/`` and ``linker_scripts/`` lie beside the package in a checkout or an editable
install, and inside it in an installed wheel. Everything reads them through this file.
"""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def folder(name: str) -> Path:
    """Return the folder ``name`` of shipped texts, inside the package or beside it.

    Raises ``FileNotFoundError`` when neither exists: a broken installation, not a bad input.
    """
    for parent in (_PACKAGE, _PACKAGE.parent):
        candidate = parent / name
        if candidate.is_dir():
            return candidate
    raise FileNotFoundError(f"mapinspect is installed without its folder {name}/")


def text(folder_name: str, file_name: str) -> str:
    """Return the text of one shipped file, decoded as UTF-8."""
    return (folder(folder_name) / file_name).read_text(encoding="utf-8")
