"""``measured.toml``: the neutral form, which any test script can write."""

from typing import Any, Final

from mapinspect.errors import InputError
from mapinspect.model.measurement import MeasuredFile, Measurement, Run
from mapinspect.readers.budget.fields import RUN, Field, Kind
from mapinspect.readers.budget.toml_lines import Path
from mapinspect.readers.budget.validate import Validator
from mapinspect.readers.measured.durations import seconds
from mapinspect.readers.source import SourceFile
from mapinspect.readers.toml_document import TomlDocument, read_toml

KINDS: Final = ("stack", "heap", "arena", "other")
_MEASURED: Final = {
    "id": Field(Kind.NAME, "what budget rows call it: arena.used, stack.peak", required=True),
    "bytes": Field(Kind.SIZE, "the most that was used", required=True),
    "kind": Field(Kind.CHOICE, "what it is a use of; else the first word of id", choices=KINDS),
    "subject": Field(Kind.NAME, "the stack, heap or arena"),
    "size": Field(Kind.SIZE, "the room there was"),
    "source": Field(Kind.NAME, "where the value is from"),
    "date": Field(Kind.NAME, "when it was measured, as text"),
    **RUN,
}
MEASURED_TABLE: Final = {
    "version": Field(Kind.VERSION, "the format, 1", required=True),
    "run": Field(Kind.TABLE, "the circumstances of all values", table=RUN),
    "measured": Field(Kind.TABLES, "the values", required=True, table=_MEASURED),
}


def read_table(source: SourceFile) -> MeasuredFile:
    """Return the values of a ``measured.toml``; raises InputError, with the line."""
    document = read_toml(source, MEASURED_TABLE)
    shared = document.values.get("run", {})
    run = _run(document, shared, ("run",))
    measurements: dict[str, Measurement] = {}
    for number, row in enumerate(document.values["measured"]):
        item = _measurement(document, number, {**shared, **row})
        if item.id in measurements:
            document.validator.refuse(
                ("measured", number, "id"), f"{item.id} is there twice", "keep the larger value"
            )
        measurements[item.id] = item
    if not measurements:
        raise InputError(source.path, None, "has no [[measured]] value", "add one")
    return MeasuredFile(source.path, run, tuple(measurements[key] for key in sorted(measurements)))


def _measurement(document: TomlDocument, number: int, row: dict[str, Any]) -> Measurement:
    path = ("measured", number)
    word = row["id"].split(".")[0]
    return Measurement(
        id=row["id"],
        kind=row.get("kind", word if word in KINDS else "other"),
        subject=row.get("subject", word),
        bytes=row["bytes"],
        run=_run(document, row, path),
        evidence=document.evidence(*path, "bytes"),
        size=row.get("size"),
    )


def _run(document: TomlDocument, row: dict[str, Any], path: tuple[str | int, ...]) -> Run:
    return stated_run(document.validator, row, path)


def stated_run(validator: Validator, row: dict[str, Any], path: Path) -> Run:
    """Return what the typed values of a table say about a run; raises InputError."""
    duration = seconds(row["duration"]) if "duration" in row else None
    if "duration" in row and duration is None:
        validator.refuse(
            (*path, "duration"), f"is {row['duration']!r}", 'write it as "90min" or "72h"'
        )
    build_id = row.get("build-id")
    return Run(
        build_id.lower() if build_id else None,
        row.get("iterations"),
        duration,
        row.get("conditions"),
        row.get("heap-start"),
        row.get("heap-end"),
        row.get("failures"),
    )
