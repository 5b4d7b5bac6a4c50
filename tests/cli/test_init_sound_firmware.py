"""`mapinspect init` on sound firmware of the usual kinds: its table passes them at once.

Each image is linked here as a vendor's script would, so nothing but the tool's own idea of it can
be wrong. Sizes come from the sources below.
"""

import tomllib
from pathlib import Path

import pytest

from mapinspect.cli.run import run
from tests.linked import link

# nRF5 SDK: stack and heap in sections that ld does not allocate, the stack at the end of RAM.
COPY_SECTIONS = """
ENTRY(start)
MEMORY { FLASH (rx) : ORIGIN = 0, LENGTH = 64K  RAM (rwx) : ORIGIN = 0x20000000, LENGTH = 64K }
SECTIONS {
  .text : { *(.vectors) *(.text) } > FLASH
  .bss (NOLOAD) : { *(.bss) } > RAM
  .heap (COPY) : { __HeapBase = .; end = .; KEEP(*(.heap)) __HeapLimit = .; } > RAM
  .stack_dummy (COPY) : { KEEP(*(.stack)) } > RAM
  __StackTop = ORIGIN(RAM) + LENGTH(RAM);
  __StackLimit = __StackTop - SIZEOF(.stack_dummy);
}
"""
COPY_SOURCE = """
  .section .vectors,"a"
  .word __StackTop
  .word start
  .text
  .global start
start: b start
  .bss
  .space 20000
  .section .heap
  .space 8192
  .section .stack
  .space 8192
"""


def init(*options: str) -> int:
    words = ["--elf", "a.elf", "--map", "a.map", "--output", "mapinspect.toml"]
    return run(["init", *words, *options])


def test_a_stack_and_heap_that_no_section_holds_are_in_the_limit_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    link(tmp_path, "arm", COPY_SECTIONS, COPY_SOURCE)
    monkeypatch.chdir(tmp_path)
    assert init() == 0
    assert "mapinspect check says PASS" in capsys.readouterr().out
    text = (tmp_path / "mapinspect.toml").read_text(encoding="utf-8")
    assert "holds 36,384 bytes of 64K today, 16,384 reserved for stack and heap" in text
    ram = next(row for row in tomllib.loads(text)["region"] if row["name"] == "RAM")
    assert ram["limit"] == "40K"  # 36,384 and a tenth, rounded up to 1,024


def test_an_input_that_is_not_there_is_no_bug(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mapinspect.toml").write_text("version = 1\n", encoding="utf-8")
    assert init("--force") == 2
    assert "no such ELF file" in capsys.readouterr().err
    assert (tmp_path / "mapinspect.toml").read_text(encoding="utf-8") == "version = 1\n"
