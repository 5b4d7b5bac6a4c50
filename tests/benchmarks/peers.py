"""The programs we are measured against; a peer that is not there, or refuses a map, is left out."""

import shutil
import subprocess
import sys
import venv
from collections.abc import Sequence
from pathlib import Path

from tests.benchmarks.workloads import Workload

PACKAGES = ("mapfile_parser", "esp-idf-size")


def peers_python(folder: Path) -> str | None:
    """Return a Python with the peers installed, or None where they cannot be."""
    home = folder / "peers"
    python = home / "bin" / "python"
    if not python.exists():
        venv.create(home, with_pip=True)
    install = [str(python), "-m", "pip", "install", "--quiet", *PACKAGES]
    done = subprocess.run(install, capture_output=True, check=False)
    return str(python) if done.returncode == 0 else None


def commands(workload: Workload, peers: str | None) -> dict[str, Sequence[str]]:
    """Return what to run on a workload, by name; ours and the yardsticks first."""
    file = str(workload.map)
    bare = str(Path(__file__).with_name("bare_pass.py"))
    found: dict[str, Sequence[str]] = {
        "python -c pass": [sys.executable, "-c", "pass"],
        "bare pass": [sys.executable, bare, file],
        "mapinspect map": [sys.executable, "-m", "mapinspect", "map", file, "--format", "json"],
    }
    if peers is not None and workload.copies == 1:
        csv = ["symbol_sizes_csv", file, "-o", f"{workload.map}.csv"]
        found["mapfile_parser"] = [peers, "-m", "mapfile_parser", *csv]
        if workload.name != "large":  # a native map: no chip of theirs
            options = ["--files", "--format", "json2", file]
            found["esp-idf-size"] = [peers, "-m", "esp_idf_size", *options]
    nm = "arm-none-eabi-nm" if workload.name in ("small", "medium") else "nm"
    if shutil.which(nm) and workload.copies == 1:
        found["nm -S --size-sort"] = [nm, "-S", "--size-sort", str(workload.elf)]
    return found
