"""Logs of a device: any mixture of known reports among lines that say nothing about memory."""

import re
from collections.abc import Iterator

from mapinspect.errors import InputError
from mapinspect.model.measurement import MeasuredFile
from mapinspect.readers.measured.counters import read_counter
from mapinspect.readers.measured.findings import Findings, Line
from mapinspect.readers.measured.heap_report import HeapReport
from mapinspect.readers.measured.settings import Settings
from mapinspect.readers.measured.systems import ArenaReport, ThreadReport
from mapinspect.readers.measured.task_list import TaskList
from mapinspect.readers.source import SourceFile

_SIZE_LIMIT = 64 * 1024 * 1024  # bytes; three days of a chatty device
_LINE_LIMIT = 4096  # characters; longer lines are no report
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_TIMES = (
    r"\[[\d:.,TZ /+-]+\]\s*",  # Zephyr: [00:00:30.725,463], a terminal: [2026-03-01 12:00:01.25]
    r"(?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d:\d\d(?:[.,]\d+)*Z?(?:\s+->)?\s+",  # Arduino, minicom
)
_LOGGERS = (
    r"<\w+> [\w.-]+: ",  # Zephyr: <inf> thread_analyzer:
    r"thread_analyzer: ",
    r"[EWIDV] \([\d:.]+\) [^\s:]+: ",  # ESP-IDF: I (1234) heap:
)
_PREFIX = re.compile(f"(?:{'|'.join(_TIMES)}){{0,4}}(?:{'|'.join(_LOGGERS)})?")


def read_log(source: SourceFile, settings: Settings) -> MeasuredFile:
    """Return every peak that a log reports, the largest of each, and the facts about its run.

    Raises InputError for a log without any, for lines that contradict themselves or each other,
    and for figures whose unit is not stated.
    """
    findings, heap, tasks = Findings(), HeapReport(), TaskList(settings)
    threads, arena = ThreadReport(), ArenaReport()
    others = 0
    for line in _lines(source):
        known = (
            threads.read(line, findings)
            or arena.read(line, findings)
            or heap.read(line)
            or tasks.read(line)
            or read_counter(line, findings)
        )
        others += not known
    heap.finish(findings)
    tasks.finish(findings)
    measurements = findings.measurements()
    if not measurements:
        raise InputError(
            source.path,
            None,
            "reports no stack, heap or arena in a known form",
            "print key = value lines such as stack_peak = 488, or write a measured.toml",
        )
    return MeasuredFile(source.path, findings.run, measurements, others)


def _lines(source: SourceFile) -> Iterator[Line]:
    if len(source.content) > _SIZE_LIMIT:
        limit = _SIZE_LIMIT // 2**20
        raise InputError(source.path, None, f"is larger than {limit} MiB", "give a part of the log")
    if source.content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise InputError(source.path, None, "is UTF-16 text", "save it as UTF-8")
    text = source.content.decode("utf-8", "surrogateescape").removeprefix("\ufeff")
    rows = text.replace("\r", "").split("\n")
    for number, row in enumerate(rows, 1):
        plain = _COLOUR.sub("", row) if len(row) <= _LINE_LIMIT else ""
        prefix = _PREFIX.match(plain)
        said = plain[prefix.end() :] if prefix else plain
        yield Line(source.path, number, said, cut=number == len(rows))
