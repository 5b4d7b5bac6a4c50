"""Expressions of linker scripts against GNU ld itself, which prints what it computes."""

import random
import re
import shutil
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest

from mapinspect.errors import InputError
from mapinspect.readers.linker_script import read_memory

SIGNS = ["+", "-", "*", "&", "|", "==", "!=", "<", ">", "<=", ">=", "&&", "||"]


def expression(source: random.Random, depth: int) -> str:
    if depth == 0 or source.random() < 0.2:
        return source.choice(["0", "1", "7K", "0x1F", "012", "s", "t", "0Fh", "3M", "ORIGIN(R0)"])
    left, right, third = (expression(source, depth - 1) for _ in range(3))
    shapes = [f"({left})", f"- {left}", f"~ {left}", f"! {left}", f"MAX({left}, {right})"]
    shapes += [f"{left} ? {right} : {third}", f"ALIGN({left}, 8)", f"{left} << 3"]
    shapes += [f"{left} {sign} {right}" for sign in SIGNS]
    shapes += [f"{left} / 3", f"{left} % 5", f"({left}) >> 2"]
    return source.choice(shapes)


@pytest.mark.toolchain
def test_random_expressions_equal_ld(tmp_path: Path) -> None:
    linker, assembler = shutil.which("arm-none-eabi-ld"), shutil.which("arm-none-eabi-as")
    if linker is None or assembler is None:
        pytest.skip("needs arm-none-eabi binutils")
    source = random.Random(20)
    rows = [f"R{n} : ORIGIN = {expression(source, 5)}, LENGTH = 0 + 1" for n in range(1, 300)]
    symbols, first = "s = 3; t = s * 0x100;", "R0 : ORIGIN = 5, LENGTH = 1"
    script, thing, printed = tmp_path / "x.ld", tmp_path / "x.o", tmp_path / "x.map"
    body = "\n".join([first, *rows])
    script.write_text(f"{symbols} MEMORY {{ {body} }} SECTIONS {{ /DISCARD/ : {{ *(*) }} }}")
    subprocess.run([assembler, "/dev/null", "-o", thing], check=True)
    subprocess.run([linker, "-T", script, "-Map", printed, "-o", "/dev/null", thing], check=False)
    table = dict(re.findall(r"^(R\d+) +(0x[0-9a-f]+) ", printed.read_text(), re.MULTILINE))
    ours = {}
    for row in rows:  # one by one: what we refuse (a shift of 2**63 bits) is not compared
        with suppress(InputError):
            last = read_memory("x.ld", f"{symbols} MEMORY {{ {first} {row} }}".encode()).regions[-1]
            ours[last.name] = last.span.start & 0xFFFF_FFFF  # ld prints 32 bits here
    assert len(ours) > 280
    assert {name: int(table[name], 16) for name in ours} == ours
