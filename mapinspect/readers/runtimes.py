"""``runtimes.toml``, and tables of the same form that a user adds → patterns."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final

from mapinspect.model.runtime import CONFIDENCES, RuntimePattern
from mapinspect.readers.budget.fields import Field, Kind
from mapinspect.readers.source import SourceFile
from mapinspect.readers.toml_document import read_toml

_PATTERN: Final = {
    "runtime": Field(Kind.NAME, "the runtime or generator", required=True),
    "role": Field(
        Kind.CHOICE, "what it is", required=True, choices=("weights", "arena", "workspace")
    ),
    "symbol": Field(Kind.NAMES, "globs on the symbol"),
    "but-not": Field(Kind.NAMES, "globs that rule a symbol out"),
    "section": Field(Kind.NAMES, "globs on the output section"),
    "object": Field(Kind.NAMES, "globs on the object file"),
    "with": Field(Kind.NAME, "a glob that some symbol of the image must match"),
    "confidence": Field(Kind.CHOICE, "how sure it is", required=True, choices=CONFIDENCES),
    "because": Field(Kind.NAME, "the reason that reports give", required=True),
}
RUNTIMES_TABLE: Final = {
    "version": Field(Kind.VERSION, "the format, 1", required=True),
    "pattern": Field(Kind.TABLES, "names of weights and arenas", required=True, table=_PATTERN),
}
_SHIPPED: Final = Path(__file__).resolve().parents[1] / "runtimes.toml"


def read_runtimes(extra: Sequence[SourceFile] = ()) -> tuple[RuntimePattern, ...]:
    """Return the patterns of ``extra`` tables, then the shipped ones.

    Raises InputError, with the line, for a table that is not of the declared form.
    """
    return (*(pattern for source in extra for pattern in _read(source)), *_shipped())


@cache
def _shipped() -> tuple[RuntimePattern, ...]:
    return _read(SourceFile("mapinspect/runtimes.toml", _SHIPPED.read_bytes()))


def _read(source: SourceFile) -> tuple[RuntimePattern, ...]:
    document = read_toml(source, RUNTIMES_TABLE)
    patterns = []
    for number, row in enumerate(document.values["pattern"]):
        if "symbol" not in row and "section" not in row:
            document.validator.refuse(
                ("pattern", number), "asks for no symbol and no section", "add symbol = [...]"
            )
        patterns.append(
            RuntimePattern(
                runtime=row["runtime"],
                role=row["role"],
                symbols=row.get("symbol", ()),
                excluded=row.get("but-not", ()),
                sections=row.get("section", ()),
                objects=row.get("object", ()),
                companion=row.get("with"),
                confidence=row["confidence"],
                because=row["because"],
                declared=document.evidence("pattern", number),
            )
        )
    return tuple(patterns)
