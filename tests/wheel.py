"""Runs models on the tflite-micro wheel, in processes that may crash.

Run as a program it is the worker: lines "FILE ARENA_BYTES" on standard input; the runtime itself
writes what it allocated to standard error. With "linear" as argument it preserves all tensors,
and nothing is recorded.
"""

import importlib.metadata
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

# Wheels whose structures have a profile; another one may have grown some.
KNOWN_VERSIONS = ("0.dev20261023182759",)


def wheel_problem() -> str | None:
    """Return why the wheel cannot be measured, naming it, or None."""
    try:
        version = importlib.metadata.version("tflite-micro")
    except importlib.metadata.PackageNotFoundError:
        return "needs the tflite-micro wheel"
    if version not in KNOWN_VERSIONS:
        return f"tflite-micro {version} has no profile (known: {', '.join(KNOWN_VERSIONS)})"
    return None


@dataclass(frozen=True)
class Measured:
    """What the runtime did with one model: its sizes, or why it stopped."""

    head: int | None
    tail: int | None
    log: str

    @property
    def worked(self) -> bool:
        return self.head is not None


def measure(jobs: Sequence[tuple[Path, int]], *, linear: bool = False) -> list[Measured]:
    """Run every (model file, arena bytes) and return what happened to each, in order."""
    lines = "".join(f"{path} {size}\n" for path, size in jobs)
    command = [sys.executable, __file__, *(["linear"] if linear else [])]
    done = subprocess.run(command, input=lines, capture_output=True, text=True, check=False)
    logs = done.stderr.split("<<model>>\n")[1:]
    if len(logs) != len(jobs):
        raise RuntimeError(f"the worker ran {len(logs)} of {len(jobs)} models: {done.stderr}")
    return [_parse(log) for log in logs]


def _parse(log: str) -> Measured:
    if "<<crash>>" in log:
        return Measured(None, None, log)
    head = re.search(r"allocation head (\d+) bytes", log)
    tail = re.search(r"allocation tail (\d+) bytes", log)
    if "<<started>>" in log:
        return Measured(0, 0, log)
    if not head or not tail:
        return Measured(None, None, log)
    return Measured(int(head[1]), int(tail[1]), log)


def _worker() -> None:
    from tflite_micro.python.tflite_micro import runtime  # noqa: PLC0415

    linear = "linear" in sys.argv
    modes = runtime.InterpreterConfig
    mode = modes.kPreserveAllTensors if linear else modes.kAllocationRecording
    jobs = [line.rsplit(" ", 1) for line in sys.stdin]
    done = 0
    while done < len(jobs):
        ends, begins = os.pipe()
        if os.fork() == 0:
            for path, size in jobs[done:]:
                print("<<model>>", file=sys.stderr, flush=True)
                _run(runtime, path, int(size), mode)
                os.write(begins, b".")
            os._exit(0)
        os.close(begins)
        with os.fdopen(ends, "rb") as pipe:
            done += len(pipe.read())
        if os.wait()[1]:
            print("<<crash>>", file=sys.stderr, flush=True)
            done += 1


def _run(runtime: ModuleType, path: str, size: int, mode: Any) -> None:
    try:
        made = runtime.Interpreter.from_file(path, arena_size=size, intrepreter_config=mode)
    except Exception as error:  # noqa: BLE001
        print(f"refused: {error}", file=sys.stderr, flush=True)
        return
    if mode == runtime.InterpreterConfig.kPreserveAllTensors:
        print("<<started>>", file=sys.stderr, flush=True)
    else:
        made.print_allocations()


if __name__ == "__main__":
    _worker()
