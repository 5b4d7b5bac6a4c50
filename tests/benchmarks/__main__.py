"""Measure the map reader and write RESULTS.md: ``python -m tests.benchmarks``.

Everything is measured in one run, turn by turn, so the ratios hold although the machine does not
hold still. Each workload's answer is checked first.
"""

import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.answers import check_answer
from tests.benchmarks.goals import BARE, OURS, PASS, Goals
from tests.benchmarks.peers import commands, peers_python
from tests.benchmarks.processes import Took, turn_by_turn
from tests.benchmarks.workloads import Workload, workloads

ROOT = Path(__file__).parents[2]
RESULTS = Path(__file__).with_name("RESULTS.md")
FOLDER = Path(os.environ.get("MAPINSPECT_BENCH", Path(tempfile.gettempdir()) / "mapinspect-bench"))
ROUNDS = {"small": 9, "medium": 7, "large": 5, "huge": 3}
DEMO = ROOT / "fixtures" / "built" / "good"
BUDGET = "version = 1\n" + "".join(
    f'[[region]]\nname = "{name}"\nlimit = "96%"\n' for name in ("FLASH", "SRAM1", "SRAM2")
)


def main() -> None:
    """Measure everything and write the table."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    peers = peers_python(FOLDER)
    lines = [*_heading(peers), ""]
    goals = Goals()
    for workload in workloads(FOLDER):
        lines += [*_workload(workload, peers, goals), ""]
    lines += [*_start_up(goals), "", *goals.lines()]
    text = "\n".join(lines).rstrip() + "\n"
    RESULTS.write_text(text, encoding="utf-8")
    print(text)


def _heading(peers: str | None) -> Iterator[str]:
    yield "# What the map reader takes"
    yield ""
    yield "Written by `make bench` (`python -m tests.benchmarks`): medians of processor time, turn"
    yield "by turn in one run. A ratio above 1 says how many times longer the other one takes."
    yield f"Python {platform.python_version()}, {os.cpu_count()} processors, {platform.machine()}."
    if peers is None:
        yield "The peers could not be installed here."


def _workload(workload: Workload, peers: str | None, goals: Goals) -> Iterator[str]:
    check_answer(workload)
    rounds = ROUNDS[workload.name]
    inside = _child(workload, str(rounds))
    took = turn_by_turn(commands(workload, peers), rounds, ROOT)
    count = workload.lines
    goals.add_workload(workload.name, took, inside, count)
    size = workload.map.stat().st_size
    yield f"## {workload.name}: {count:,} lines, {size / 1e6:.1f} MB"
    yield ""
    yield "| program | s | against ours | against `python -c pass` | peak MiB |"
    yield "|---|---:|---:|---:|---:|"
    for name, run in took.items():
        ratio, start = run.cpu / took[OURS].cpu, run.cpu / took[PASS].cpu
        yield f"| {name} | {run.cpu:.3f} | {ratio:.2f} | {start:.1f} | {run.peak:.0f} |"
    yield ""
    yield f"* decode kernel against the bare pass, in one process: **{_ratio(inside, 'kernel')}**;"
    yield f"  the reader with all its records: {_ratio(inside, 'reader')}."
    yield f"* `mapinspect map` against the bare script: **{took[OURS].cpu / took[BARE].cpu:.2f}**."
    yield from _memory(workload, took[OURS], count, goals)


def _memory(workload: Workload, ours: Took, count: int, goals: Goals) -> Iterator[str]:
    over = (ours.peak * 2**20 - workload.map.stat().st_size - 32 * 2**20) / count
    text = f"* peak: the file + 32 MiB {over:+.1f} bytes a line"
    if workload.name == "large":
        kept = _child(workload, "kept")["kept"]
        text += f"; kept beside the file: **{kept:.1f} bytes a line**"
        goals.add_memory(over, kept)
    yield f"{text}."


def _ratio(inside: dict[str, float], what: str) -> str:
    return f"{inside[what] / inside['bare']:.2f}"


def _child(workload: Workload, what: str) -> dict[str, float]:
    command = [sys.executable, "-m", "tests.benchmarks.kernel", str(workload.map), what]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    measured: dict[str, float] = json.loads(done.stdout)
    return measured


def _start_up(goals: Goals) -> Iterator[str]:
    """Yield what a check of the demo firmware takes, with tables shipped and rebuilt."""
    yield "## Start-up: `mapinspect check` without a model on the demo firmware"
    yield ""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "budget.toml").write_text(BUDGET)
        other = folder / "other"
        shutil.copytree(ROOT / "mapinspect", other / "mapinspect")
        shutil.copytree(ROOT / "grammars", other / "grammars")
        (other / "grammars" / "gnu_ld.json").unlink()
        files = ["--elf", str(DEMO / "app.elf"), "--map", str(DEMO / "app.map")]
        arguments = ["check", *files, "--config", str(folder / "budget.toml"), "--exit-zero"]
        script = f"import sys; sys.path.insert(0, {str(other)!r})\n"
        script += f"from mapinspect.cli.run import run; sys.exit(run({arguments!r}))"
        took = turn_by_turn(
            {
                PASS: [sys.executable, "-c", "pass"],
                "check": [sys.executable, "-m", "mapinspect", *arguments],
                "check, tables rebuilt (another lark)": [sys.executable, "-c", script],
            },
            15,
            ROOT,
        )
    goals.add(
        "`check` on the demo / `pass`, wall", took["check"].wall / took[PASS].wall, at_most=12
    )
    count = (DEMO / "app.map").read_bytes().count(b"\n")
    yield f"The map has {count:,} lines."
    yield ""
    yield "| program | wall ms | processor ms | wall against `python -c pass` | processor |"
    yield "|---|---:|---:|---:|---:|"
    for name, run in took.items():
        ratios = f"{run.wall / took[PASS].wall:.1f} | {run.cpu / took[PASS].cpu:.1f}"
        yield f"| {name} | {run.wall * 1000:.0f} | {run.cpu * 1000:.0f} | {ratios} |"


if __name__ == "__main__":
    main()
