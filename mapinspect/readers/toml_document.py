"""TOML files other than the budget table: parsed once, with the line of every key."""

import re
import tomllib
from dataclasses import dataclass
from datetime import date, time
from typing import Any

from mapinspect.errors import InputError
from mapinspect.model.image import Evidence
from mapinspect.readers.budget.fields import Field
from mapinspect.readers.budget.toml_lines import Path, key_lines
from mapinspect.readers.budget.validate import Validator
from mapinspect.readers.source import SourceFile

_AT_LINE = re.compile(r"\(at line (\d+), column \d+\)")
_SIZE_LIMIT = 4 * 1024 * 1024  # bytes; such files are written by hand or by small scripts


@dataclass(frozen=True, slots=True)
class TomlDocument:
    """The checked values of a document, and where each stands."""

    path: str
    values: dict[str, Any]
    validator: Validator
    rows: tuple[str, ...]

    def evidence(self, *path: str | int) -> Evidence:
        """Return the place of a key or table, with what its line says."""
        line = self.validator.line(path)
        return Evidence(self.path, line, self.rows[line - 1].strip() if line else "")


def read_toml(source: SourceFile, fields: dict[str, Field]) -> TomlDocument:
    """Return a document that has only the declared ``fields``; raises InputError with the line."""
    path, text = source.path, _text(source)
    try:
        parsed = _without_dates(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        place = _AT_LINE.search(str(error))
        what = _AT_LINE.sub("", str(error)).strip()
        line = int(place[1]) if place else None
        raise InputError(path, line, f"is not valid TOML: {what}", "mend the line") from None
    except (RecursionError, ValueError):
        raise InputError(path, None, "nests or counts beyond reason", "write it plainly") from None
    lines: dict[Path, int] = key_lines(text)
    validator = Validator(path, lines)
    return TomlDocument(
        path, validator.table(parsed, fields, ()), validator, tuple(text.split("\n"))
    )


def _without_dates(value: Any) -> Any:
    """Return a parsed value with dates and times as text: what is written unquoted is meant."""
    if isinstance(value, dict):
        return {key: _without_dates(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_without_dates(item) for item in value]
    return value.isoformat() if isinstance(value, date | time) else value


def _text(source: SourceFile) -> str:
    if len(source.content) > _SIZE_LIMIT:
        limit = _SIZE_LIMIT // 2**20
        raise InputError(source.path, None, f"is larger than {limit} MiB", "give a smaller file")
    try:
        text = source.content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = source.content[: error.start].count(b"\n") + 1
        raise InputError(source.path, line, "is not UTF-8 text", "save it as UTF-8") from None
    return text.removeprefix("\ufeff").replace("\r\n", "\n")
