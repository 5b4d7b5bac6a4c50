"""Run whole programs turn by turn and say what they took."""

import os
import statistics
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Took:
    """Medians of one program: processor and wall time in seconds; the peak in MiB."""

    cpu: float
    wall: float
    peak: float


def turn_by_turn(commands: Mapping[str, Sequence[str]], rounds: int, cwd: Path) -> dict[str, Took]:
    """Run every command once per round, so that all see the same machine."""
    runs: dict[str, list[Took]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            runs[name].append(once(command, cwd))
    return {
        name: Took(
            statistics.median(run.cpu for run in taken),
            statistics.median(run.wall for run in taken),
            max(run.peak for run in taken),
        )
        for name, taken in runs.items()
    }


def once(command: Sequence[str], cwd: Path) -> Took:
    """Run a command to its end; its output is thrown away."""
    start = time.perf_counter()
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=cwd
    ) as process:
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)} exits {process.returncode}")
    return Took(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1024)
