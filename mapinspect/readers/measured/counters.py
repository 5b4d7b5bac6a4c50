"""Counters that firmware prints as ``key = value``: malloc hooks, high-water marks, the run."""

import re
from typing import Final

from mapinspect.readers.measured.durations import seconds
from mapinspect.readers.measured.findings import Findings, Line

_KEY = re.compile(r"[a-z][a-z0-9_.-]*\Z")
_NUMBER = re.compile(r"([0-9]{1,18}|0x[0-9a-f]{1,16})(?:\s*(?:b|bytes))?", re.IGNORECASE)
_THREAD_STACK = re.compile(r"stack[._](.+)[._](?:peak|used|high_water)")

_PEAKS: Final = {
    "arena_used": ("arena.used", "arena", "arena"),
    "arena_needed": ("arena.used", "arena", "arena"),
    "arena_peak": ("arena.used", "arena", "arena"),
    "stack_peak": ("stack.peak", "stack", "main"),
    "stack_used": ("stack.peak", "stack", "main"),
    "stack_high_water": ("stack.peak", "stack", "main"),
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
    key, value = _assigned(line.text)
    if key in ("build_id", "conditions"):
        findings.state(line, key, value.strip('"').lower() if key == "build_id" else value)
    elif key == "duration":
        findings.state(line, key, _seconds(line, value))
    elif key in _FACTS:
        findings.state(line, _FACTS[key], _whole(line, key, value))
    elif key in _PEAKS:
        findings.peak(line, _PEAKS[key], _whole(line, key, value))
    elif thread := _THREAD_STACK.fullmatch(key):
        name = (f"stack.{thread[1]}.peak", "stack", thread[1])
        findings.peak(line, name, _whole(line, key, value))
    else:
        return False
    return True


def _assigned(text: str) -> tuple[str, str]:
    """Return key and value of ``… key = value`` or ``… key: value``; empty where there is none."""
    left, _, value = text.partition("=") if "=" in text else text.rpartition(":")
    words = left.split()
    found = _KEY.search(words[-1]) if words else None
    return (re.sub("[.-]", "_", found[0]) if found else "", value.strip())


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
