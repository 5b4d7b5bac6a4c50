"""Is the answer right? The ELF's section sizes, and every byte explained."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.benchmarks.workloads import Workload

ROOT = Path(__file__).parents[2]


def check_answer(workload: Workload) -> None:
    """Compare ``mapinspect map`` with binutils' ``size -A`` of the ELF of the same link."""
    command = [sys.executable, "-m", "mapinspect", "map", str(workload.map), "--format", "json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    told: dict[str, Any] = json.loads(done.stdout)
    assert told["complete"], f"{workload.name}: not read completely"
    sizes = {s["name"]: s["size"] for s in told["output_sections"]}
    for name, size in elf_sizes(workload).items():
        assert sizes.get(name, 0) == size, f"{workload.name}: {name} is {size} bytes in the ELF"
    explained = sum(row["bytes"] for row in told["objects"])
    allocated = sum(s["size"] for s in told["output_sections"] if s["vma"])
    assert 0 < explained <= allocated, f"{workload.name}: {explained} of {allocated} bytes"


def elf_sizes(workload: Workload) -> dict[str, int]:
    """Return size by section name, as ``size -A`` prints them."""
    size = "arm-none-eabi-size" if workload.name in ("small", "medium") else "size"
    if shutil.which(size) is None:
        return {}
    command = [size, "-A", str(workload.elf)]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    rows = [line.split() for line in printed.split("\n")]
    return {row[0]: int(row[1]) for row in rows if len(row) == 3 and row[1].isdigit()}
