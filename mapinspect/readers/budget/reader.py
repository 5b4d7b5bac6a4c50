"""``mapinspect.toml`` (or ``[tool.mapinspect]`` of a pyproject.toml) → ``BudgetTable``."""

import difflib
import re
import tomllib
from dataclasses import replace
from typing import Any

from mapinspect.errors import InputError
from mapinspect.model.budget import BudgetTable
from mapinspect.readers.budget.fields import TABLE
from mapinspect.readers.budget.profiles import overlaid
from mapinspect.readers.budget.records import Records
from mapinspect.readers.budget.toml_lines import Path, key_lines
from mapinspect.readers.budget.validate import Validator

_AT_LINE = re.compile(r"\(at line (\d+), column \d+\)")


def read_budget(path: str, content: bytes, profile: str | None = None) -> BudgetTable:
    """Read a budget table, with what ``profile`` overrides; ``path`` is its name in messages.

    Raises InputError, with the line, for malformed TOML, for anything the declared keys do not
    allow, also in profiles that are not asked for, and for a profile that is not there.
    """
    document, text = parse_toml(path, content)
    lines = key_lines(text)
    prefix: Path = ()
    if path.endswith("pyproject.toml"):
        document, prefix = _tool_table(path, document), ("tool", "mapinspect")
    own_lines = {
        key[len(prefix) :]: line for key, line in lines.items() if key[: len(prefix)] == prefix
    }
    Validator(path, own_lines).table(document, TABLE, ())
    tables: dict[str | None, BudgetTable] = {
        None: Records(path, text, Validator(path, own_lines)).build(document)
    }
    for name in document.get("profile", {}):
        merged, merged_lines = overlaid(path, document, own_lines, name)
        try:
            table = Records(path, text, Validator(path, merged_lines)).build(merged)
        except InputError as error:  # the line may be of a row that is sound without the profile
            what = f"{error.what}, in profile {name}"
            raise InputError(path, error.line, what, error.remedy) from None
        tables[name] = replace(table, profile=name)
    known = tuple(name for name in tables if name is not None)
    if profile not in tables:
        _refuse_profile(path, own_lines.get(("profile",)), str(profile), known)
    return replace(tables[profile], profiles=known)


def parse_toml(path: str, content: bytes) -> tuple[dict[str, Any], str]:
    """Return the document and its text; raises InputError for what is no TOML."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        bad = content[: error.start].count(b"\n") + 1
        raise InputError(path, bad, "is not UTF-8 text", "save the table as UTF-8") from None
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    try:
        return tomllib.loads(text), text
    except tomllib.TOMLDecodeError as error:
        place = _AT_LINE.search(str(error))
        what = _AT_LINE.sub("", str(error)).strip()
        line = int(place[1]) if place else None
        raise InputError(path, line, f"is not valid TOML: {what}", "mend the line") from None
    except (RecursionError, ValueError):
        raise InputError(path, None, "nests or counts beyond reason", "write it plainly") from None


def _tool_table(path: str, document: dict[str, Any]) -> dict[str, Any]:
    tool = document.get("tool")
    table = tool.get("mapinspect") if isinstance(tool, dict) else None
    if not isinstance(table, dict):
        raise InputError(path, None, "has no table [tool.mapinspect]", "add it, or use --config")
    return table


def _refuse_profile(path: str, line: int | None, profile: str, known: tuple[str, ...]) -> None:
    near = difflib.get_close_matches(profile, known, n=1, cutoff=0.4)
    guess = f"did you mean {near[0]}?" if near else f"it has {', '.join(known) or 'none'}"
    raise InputError(path, line, f"has no profile {profile!r}", guess)
