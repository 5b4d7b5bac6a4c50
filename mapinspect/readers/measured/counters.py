"""Counters that firmware prints as ``key = value``: malloc hooks, high-water marks, the run."""

import re
from typing import Final

from mapinspect.readers.measured.durations import seconds
from mapinspect.readers.measured.findings import Findings, Line

_KEY = re.compile(r"[a-z][a-z0-9_.-]*\Z")
_NUMBER = re.compile(r"([0-9]{1,18}|0x[0-9a-f]{1,16})(?:\s*(?:b|bytes))?", re.IGNORECASE)
_THREAD_STACK = re.compile(r"stack[._](.+)[._](?:peak|used)")
_TWO_MEANINGS = re.compile(r"(?:stack|heap|arena)(?:[._].+)?[._]high_?water(?:_?mark)?")

_PEAKS: Final = {
    "arena_used": ("arena.used", "arena", "arena"),
    "arena_needed": ("arena.used", "arena", "arena"),
    "arena_peak": ("arena.used", "arena", "arena"),
    "stack_peak": ("stack.peak", "stack", "main"),
    "stack_used": ("stack.peak", "stack", "main"),
    "heap_peak": ("heap.peak", "heap", "C library"),
    "heap_used_max": ("heap.peak", "heap", "C library"),
    "malloc_peak": ("heap.peak", "heap", "C library"),
    "malloc_max": ("heap.peak", "heap", "C library"),
}
_FACTS: Final = {
    "iterations": "iterations",
    "inferences": "iterations",
    "heap_start": "heap_start",
    "heap_end": "heap_end",
    "failed_allocations": "failures",
    "malloc_failed": "failures",
    "malloc_failures": "failures",
}


def read_counter(line: Line, findings: Findings) -> bool:
    """Take in a line ``key = value``; return whether it says anything about memory or the run.

    ``.`` and ``-`` in keys are the same as ``_``. Raises InputError for a known key whose value
    is no whole number of bytes.
    """
    known = [_take(line, key, value, findings) for key, value in _assignments(line.text)]
    return any(known)


def _take(line: Line, key: str, value: str, findings: Findings) -> bool:
    if key in ("build_id", "conditions"):
        findings.state(line, key, value.strip('"').lower() if key == "build_id" else value)
    elif key == "duration":
        findings.state(line, key, _seconds(line, value))
    elif key in _FACTS:
        findings.state(line, _FACTS[key], _whole(line, key, value))
    elif key in _PEAKS:
        findings.peak(line, _PEAKS[key], _whole(line, key, value), notes=_notes(line))
    elif thread := _THREAD_STACK.fullmatch(key):
        name = (f"stack.{thread[1]}.peak", "stack", thread[1])
        findings.peak(line, name, _whole(line, key, value), notes=_notes(line))
    elif _TWO_MEANINGS.fullmatch(key):
        what = f"{key} may be what was used, or, as FreeRTOS has it, what was never used"
        raise line.refuse(
            what, f"print what was used, in bytes, as {key.split('_high', maxsplit=1)[0]}_peak"
        )
    else:
        return False
    return True


def _notes(line: Line) -> tuple[str, ...]:
    return ("the log ends within its line: digits may be missing",) if line.cut else ()


def _assignments(text: str) -> list[tuple[str, str]]:
    """Return keys and values of ``… key = value`` or ``… key: value``, or of several with ``=``."""
    if "=" not in text:
        left, _, value = text.rpartition(":")
        return [(_key(left), value.strip())]
    left, _, value = text.partition("=")
    if "=" not in value or _key(left) == "conditions":
        return [(_key(left), value.strip())]
    parts = re.sub("[,;]", " ", text).split("=")
    values = [*(" ".join(part.split()[:-1]) for part in parts[1:-1]), parts[-1].strip()]
    return list(zip(map(_key, parts[:-1]), values, strict=True))


def _key(text: str) -> str:
    """Return the key that a text ends with, or nothing."""
    words = text.split()
    found = _KEY.search(words[-1].lower()) if words else None
    return re.sub("[.-]", "_", found[0]) if found else ""


def _whole(line: Line, key: str, value: str) -> int:
    found = _NUMBER.fullmatch(value)
    if found is None:
        raise line.refuse(f"{key} is {value[:40]!r}, not a whole number", "print it in bytes")
    return int(found[1], 0) if found[1][:2].lower() == "0x" else int(found[1])


def _seconds(line: Line, value: str) -> int:
    duration = seconds(value)
    if duration is None:
        raise line.refuse(f"duration is {value[:40]!r}", 'print it as seconds, "90min" or "72h"')
    return duration
