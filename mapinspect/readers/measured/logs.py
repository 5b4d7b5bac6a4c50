"""Logs of a device: any mixture of known reports among lines that say nothing about memory."""

import re
from collections.abc import Iterator

from mapinspect.errors import InputError
from mapinspect.model.measurement import MeasuredFile
from mapinspect.readers.measured.counters import read_counter
from mapinspect.readers.measured.findings import Findings, Line
from mapinspect.readers.measured.settings import Settings
from mapinspect.readers.measured.systems import HeapReport, read_arena, read_task, read_thread
from mapinspect.readers.source import SourceFile

_SIZE_LIMIT = 64 * 1024 * 1024  # bytes; three days of a chatty device
_LINE_LIMIT = 4096  # characters; longer lines are no report
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
# Zephyr: [00:00:30.725,463] <inf> thread_analyzer:    ESP-IDF: I (1234) heap:
_PREFIX = re.compile(
    r"(?:\[[\d:.,]+\] )?(?:<\w+> )?(?:thread_analyzer: )?|[EWIDV] \(\d+\) [\w-]+: "
)


def read_log(source: SourceFile, settings: Settings) -> MeasuredFile:
    """Return every peak that a log reports, the largest of each, and the facts about its run.

    Raises InputError for a log without any, for lines that contradict themselves or each other,
    and for figures whose unit is not stated.
    """
    findings, heap = Findings(), HeapReport()
    others = 0
    for line in _lines(source):
        known = (
            read_thread(line, findings)
            or read_arena(line, findings)
            or heap.read(line, findings)
            or read_counter(line, findings)
            or read_task(line, findings, settings)
        )
        others += not known
    measurements = findings.measurements()
    if not measurements:
        raise InputError(
            source.path,
            None,
            "reports no stack, heap or arena in a known form",
            "print key = value lines such as stack_peak = 488, or write a measured.toml",
        )
    _check_arena({item.id: item.bytes for item in measurements}, source.path)
    return MeasuredFile(source.path, findings.run, measurements, others)


def _lines(source: SourceFile) -> Iterator[Line]:
    if len(source.content) > _SIZE_LIMIT:
        limit = _SIZE_LIMIT // 2**20
        raise InputError(source.path, None, f"is larger than {limit} MiB", "give a part of the log")
    if source.content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise InputError(source.path, None, "is UTF-16 text", "save it as UTF-8")
    text = source.content.decode("utf-8", "surrogateescape").removeprefix("\ufeff")
    for number, row in enumerate(text.replace("\r", "").split("\n"), 1):
        plain = _COLOUR.sub("", row) if len(row) <= _LINE_LIMIT else ""
        prefix = _PREFIX.match(plain)
        yield Line(source.path, number, plain[prefix.end() :] if prefix else plain)


def _check_arena(values: dict[str, int], path: str) -> None:
    total, parts = values.get("arena.used"), (values.get("arena.head"), values.get("arena.tail"))
    if total is None or None in parts:
        return
    head, tail = (part or 0 for part in parts)
    if head + tail != total:
        raise InputError(
            path,
            None,
            f"an arena of {total} bytes has a head of {head} and a tail of {tail}",
            "give the log of one allocator at a time",
        )
