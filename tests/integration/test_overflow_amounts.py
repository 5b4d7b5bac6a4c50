"""Random layouts that overflow: our amounts against those that ld states for the same link.

Alignment gaps, load images behind code and space that the script reserves are what makes a sum
of sections differ from ld's number.
"""

import random
import re
import subprocess
from pathlib import Path

import pytest

from mapinspect.analysis.overflow import overflows
from mapinspect.readers.gnu_map import read_map
from tests.tools import need

pytestmark = pytest.mark.toolchain


def layout(seed: int) -> tuple[str, str]:
    """Return an assembler source and a linker script whose regions are a little too small."""
    chance = random.Random(seed)
    source = ".syntax unified\n.thumb\n.global _start\n.section .text\n_start: nop\n"
    script = (
        f"MEMORY {{ FLASH (rx): ORIGIN = 0x08000000, LENGTH = {chance.randrange(100, 1500)}\n"
        f" RAM (rw): ORIGIN = 0x20000000, LENGTH = {chance.randrange(64, 1000)}\n"
        f" RAM2 (rw): ORIGIN = 0x10000000, LENGTH = {chance.randrange(64, 600)} }}\n"
        "SECTIONS { .text : { *(.text) } >FLASH\n"
    )
    for number in range(chance.randrange(2, 7)):
        kind = chance.choice(["data", "bss", "rodata", "noload", "reserved"])
        region = "FLASH" if kind == "rodata" else chance.choice(["RAM", "RAM2"])
        align, size = chance.choice([1, 2, 4, 8, 16, 32, 64]), chance.randrange(1, 500)
        name = f".{kind}{number}"
        if kind == "reserved":
            script += f" {name} (NOLOAD) : {{ . = ALIGN({align}); . = . + {size}; }} >{region}\n"
            continue
        stored = kind in ("data", "rodata")
        source += f'.section {name},"{"a" if kind == "rodata" else "aw"}",'
        source += f"%{'progbits' if stored else 'nobits'}\n.balign {align}\n"
        source += f".space {size}{',1' if stored else ''}\n"
        tail = chance.choice(["", ". = ALIGN(4);"])
        load = chance.choice([" AT>FLASH", ""]) if kind == "data" else ""
        script += f" {name} {'(NOLOAD)' if kind == 'noload' else ''}:"
        script += f" {{ *({name}) {tail} }} >{region}{load}\n"
    return source, script + "}\n"


@pytest.mark.parametrize("first", range(0, 40, 10))
def test_amounts_are_those_of_ld(first: int, tmp_path: Path) -> None:
    need("arm-none-eabi-as", "arm-none-eabi-ld")
    for seed in range(first, first + 10):
        source, script = layout(seed)
        (tmp_path / "a.s").write_text(source)
        (tmp_path / "a.ld").write_text(script)
        subprocess.run(["arm-none-eabi-as", "a.s", "-o", "a.o"], cwd=tmp_path, check=True)
        link = subprocess.run(
            ["arm-none-eabi-ld", "a.o", "-T", "a.ld", "-Map=a.map", "-o", "a.elf"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        said = dict(re.findall(r"region `(\w+)' overflowed by (\d+) bytes", link.stderr))
        assert bool(said) == (link.returncode != 0), link.stderr
        found = overflows(read_map("a.map", (tmp_path / "a.map").read_bytes()))
        assert {item.region.name: str(item.over) for item in found} == said, f"seed {seed}"
