"""Remedies taken at their word: the firmware is linked again as they say, and ld is asked."""

import re
import subprocess
from pathlib import Path

import pytest

from mapinspect.model.remedy import Remedy
from mapinspect.pipeline import Request, check
from tests.tools import need

CC = ("arm-none-eabi-g++", "-Os", "-mcpu=cortex-m4", "-mthumb", "-ffreestanding",
      "-fno-exceptions", "-nostdlib")  # fmt: skip
SCRIPT = """
MEMORY { FLASH (rx) : ORIGIN = 0x08000000, LENGTH = 64K
         SRAM1 (rwx) : ORIGIN = 0x20000000, LENGTH = 32K
         SRAM2 (rwx) : ORIGIN = 0x10000000, LENGTH = 32K }
SECTIONS {
  .text : { *(.text*) *(.rodata*) } >FLASH
  .data : { *(.data*) } >SRAM1 AT>FLASH
  .bss : { *(.bss*) *(COMMON) } >SRAM1
  .kept %s : { *(.kept) } >SRAM1
  .sram2 (NOLOAD) : { *(.sram2*) } >SRAM2
}
"""
MAIN = """
namespace tflite {
class MicroInterpreter { public: void Invoke(); };
void MicroInterpreter::Invoke() {}
int Register_FULLY_CONNECTED() { return 1; }
#ifdef SVDF
int Register_SVDF();
#endif
}
#ifndef PLACE
#define PLACE
#endif
PLACE char odd[2051];
alignas(16) char tensor_arena[4096];
char few[3];
__attribute__((section(".kept"))) int kept = 1;
extern "C" void _start() {
  tflite::MicroInterpreter().Invoke();
  odd[0] = few[0] = tensor_arena[kept] = tflite::Register_FULLY_CONNECTED();
#ifdef SVDF
  tflite::Register_SVDF();
#endif
}
"""
KERNEL = """
namespace tflite {
extern const int table[301];
const int table[301] = {1, 2, 3};
int Register_SVDF() { int sum = 0; for (int one : table) sum += one; return sum; }
}
"""


def linked(folder: Path, *switches: str, kept: str = "") -> dict[str, int]:
    """Link the firmware in a folder; return what ld says that each region holds, in bytes."""
    need("arm-none-eabi-g++")
    folder.mkdir(exist_ok=True)
    (folder / "app.ld").write_text(SCRIPT % kept)
    sources = {"main.cc": MAIN, **({"svdf.cc": KERNEL} if "-DSVDF" in switches else {})}
    for name, text in sources.items():
        (folder / name).write_text(text)
        subprocess.run([*CC, "-fdata-sections", *switches, "-c", name], cwd=folder, check=True)
    objects = [name.replace(".cc", ".o") for name in sources]
    said = subprocess.run(
        [*CC, "-T", "app.ld", "-Wl,-Map=app.map,--print-memory-usage", "-o", "app.elf", *objects],
        cwd=folder, check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    return {name: int(used) for name, used in re.findall(r"(\w+):\s+(\d+) B", said)}


def remedy(folder: Path, region: str, limit: int, more: str = "") -> Remedy:
    table = folder / "mapinspect.toml"
    table.write_text(
        f'version = 1\n[inputs]\nelf = "app.elf"\nmap = "app.map"\n{more}'
        f'[[region]]\nname = "{region}"\nlimit = {limit}\n'
    )
    report = check(Request(config=table))
    assert report.failure is None, report.failure
    return next(item for item in report.remedies if item.region == region)


pytestmark = pytest.mark.toolchain
MOVED = '-DPLACE=__attribute__((section(".sram2.odd")))'


@pytest.mark.parametrize("over", [1, 2048])
def test_a_moved_array_frees_at_least_what_is_promised(tmp_path: Path, over: int) -> None:
    before = linked(tmp_path / "before")
    (move,) = [
        move
        for move in remedy(tmp_path / "before", "SRAM1", before["SRAM1"] - over).moves
        if move.subject == "odd"
    ]
    after = linked(tmp_path / "after", MOVED)
    assert (move.bytes, move.to, move.enough) == (2048, "SRAM2", True)
    assert move.bytes <= before["SRAM1"] - after["SRAM1"]


def test_no_byte_above_the_promise_is_called_enough(tmp_path: Path) -> None:
    before = linked(tmp_path / "before")
    moves = remedy(tmp_path / "before", "SRAM1", before["SRAM1"] - 2049).moves
    assert "odd" not in [move.subject for move in moves if move.enough]


def test_nothing_is_promised_below_an_address_of_the_script(tmp_path: Path) -> None:
    before = linked(tmp_path / "before", kept="0x20004000")
    after = linked(tmp_path / "after", MOVED, kept="0x20004000")
    assert before["SRAM1"] == after["SRAM1"]
    assert not remedy(tmp_path / "before", "SRAM1", before["SRAM1"] - 1).moves


def test_a_kernel_that_is_not_registered_frees_what_is_promised(tmp_path: Path) -> None:
    model = Path(__file__).parents[2] / "fixtures" / "models" / "dense_int8.tflite"
    named = f'models = [{{ name = "net", file = "{model}", runtime = "tflite-micro" }}]\n'
    before, after = linked(tmp_path / "before", "-DSVDF"), linked(tmp_path / "after")
    (move,) = remedy(tmp_path / "before", "FLASH", before["FLASH"] - 1000, named).moves
    assert move.action == "do not register SVDF, which no model uses"
    assert 1000 < move.bytes <= before["FLASH"] - after["FLASH"]
