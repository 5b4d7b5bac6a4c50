"""Link a small image on the spot, and keep what ld said about its regions."""

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from mapinspect.analysis.inspect import Records, inspect
from mapinspect.model.budget import BudgetTable
from mapinspect.model.elf_file import ElfFile
from mapinspect.model.inspection import Inspection
from mapinspect.model.link_map import LinkMap
from mapinspect.readers.elf import read_elf
from mapinspect.readers.gnu_map import read_map

# Prefix of the tools, options of assembler and linker.
TARGETS = {
    "arm": ("arm-none-eabi-", ["-mcpu=cortex-m4"], []),
    "riscv32": ("riscv64-unknown-elf-", ["-march=rv32imc", "-mabi=ilp32"], ["-m", "elf32lriscv"]),
    "avr": ("avr-", ["-mmcu=avr5"], ["-m", "avr5"]),
    "xtensa": ("xtensa-lx106-elf-", [], []),
}
_UNITS = {"B": 1, "KB": 2**10, "MB": 2**20, "GB": 2**30}
_USED = re.compile(r"^ *(\S+): +(\d+) (B|KB|MB|GB) ", re.MULTILINE)


@dataclass(frozen=True)
class Linked:
    """An image just linked; ``used`` is the figure of ``ld --print-memory-usage`` per region."""

    elf: Path
    map: Path
    used: dict[str, int]

    def elf_file(self) -> ElfFile:
        return read_elf(str(self.elf), self.elf.read_bytes())

    def link_map(self) -> LinkMap:
        return read_map(str(self.map), self.map.read_bytes())

    def inspection(self) -> Inspection:
        return inspect(Records(BudgetTable(path=""), self.elf_file(), self.link_map()))


def memory_usage(text: str) -> dict[str, int]:
    """Read the table that ``ld --print-memory-usage`` prints."""
    return {name: int(count) * _UNITS[unit] for name, count, unit in _USED.findall(text)}


def link(folder: Path, target: str, script: str, source: str, *options: str) -> Linked:
    """Assemble and link; skip, saying so, where the tools are absent."""
    prefix, assembling, linking = TARGETS[target]
    if shutil.which(f"{prefix}ld") is None:
        pytest.skip(f"needs {prefix}ld")
    (folder / "a.s").write_text(source)
    (folder / "a.ld").write_text(script)
    subprocess.run([f"{prefix}as", *assembling, "-o", "a.o", "a.s"], cwd=folder, check=True)
    command = [f"{prefix}ld", *linking, "--print-memory-usage", "-Map=a.map", "-o", "a.elf"]
    said = subprocess.run(
        [*command, "-T", "a.ld", "a.o", *options],
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
    )
    return Linked(folder / "a.elf", folder / "a.map", memory_usage(said.stdout))
