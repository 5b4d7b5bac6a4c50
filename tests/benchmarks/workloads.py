"""Maps to measure on, made by linking generated sources; each with its ELF.

``small`` and ``medium`` are arm-none-eabi firmware in C++ with newlib and --gc-sections, about
3,000 and 57,000 lines. ``large`` is a native link of about a million lines: assembly, since a
compiler takes minutes for it. ``huge`` repeats the .text block of ``large``.
"""

import random
import shutil
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

ARM_FLAGS = "-mcpu=cortex-m4 -mthumb -O1 -ffunction-sections -fdata-sections -fno-exceptions"
ARM_FLAGS += " -fno-inline"  # or a chain of functions ends up as one
# The regions and sections of an ESP32: esp-idf-size reads no other map. Nothing is copied at
# start-up (no AT>), and an object of this name says which chip it is. The code is Arm's all the
# same.
ARM_SCRIPT = """\
MEMORY {
  iram0_0_seg (RX) : org = 0x40080000, len = 0x20000
  iram0_2_seg (RX) : org = 0x400D0020, len = 0x330000-0x20
  dram0_0_seg (RW) : org = 0x3FFB0000, len = 0x2c200
  drom0_0_seg (R)  : org = 0x3F400020, len = 0x400000-0x20
}
ENTRY(_start)
SECTIONS {
  .iram0.text : { *(.iram1) . = ALIGN(4); } > iram0_0_seg
  .dram0.data : { *(.data .data.*) } > dram0_0_seg
  .dram0.bss (NOLOAD) : {
    __bss_start__ = .; *(.bss .bss.* COMMON) __bss_end__ = .; end = .;
  } > dram0_0_seg
  .flash.rodata : { *(.rodata .rodata.*) *(.ARM.exidx*) } > drom0_0_seg
  .flash.text : { *(.text .text.*) } > iram0_2_seg
}
"""
CHIP_OBJECT = "project_elf_src_esp32.c.obj"
CXX_FUNCTION = """\
int counter_{file}_{i};
int module{file}::step{i}(int x) {{ counter_{file}_{i} += x * {salt}; return {other}(x + {i}); }}
"""
WORKERS = 2


@dataclass(frozen=True)
class Workload:
    """A map and the ELF of the same link; ``copies`` of its .text block are in the map."""

    name: str
    map: Path
    elf: Path
    copies: int = 1

    @property
    def lines(self) -> int:
        """Return the number of lines of the map."""
        return self.map.read_bytes().count(b"\n")


def workloads(folder: Path) -> Iterator[Workload]:
    """Yield the workloads that the toolchains here can make; they are kept in ``folder``."""
    if shutil.which("arm-none-eabi-g++"):
        yield firmware(folder / "small", files=12, functions=22)
        yield firmware(folder / "medium", files=110, functions=89)
    if shutil.which("gcc"):
        large = native(folder / "large", files=1250, functions=210)
        yield large
        yield scaled(large, folder / "huge", copies=5)


def firmware(folder: Path, files: int, functions: int) -> Workload:
    """Link a firmware of ``files`` C++ files with ``functions`` functions each."""
    workload = Workload(folder.name, folder / "app.map", folder / "app.elf")
    if workload.elf.exists():
        return workload
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "link.ld").write_text(ARM_SCRIPT)
    for file in range(files):
        (folder / f"module{file}.cc").write_text(cxx_source(file, files, functions))
    calls = "\n".join(f"  sum += module{file}::run(sum);" for file in range(files))
    declared = "\n".join(f"namespace module{file} {{ int run(int); }}" for file in range(files))
    (folder / "main.cc").write_text(
        f"#include <cstdio>\n{declared}\nint main() {{\n  int sum = 1;\n{calls}\n"
        '  std::printf("%d %f\\n", sum, sum / 3.0);\n  return sum;\n}\n'
    )
    sources = sorted(folder.glob("*.cc"))
    compiler = ["arm-none-eabi-g++", *ARM_FLAGS.split()]
    in_parallel([[*compiler, "-c", path.name, "-o", f"{path.stem}.o"] for path in sources], folder)
    (folder / "chip.c").write_text("")
    run(["arm-none-eabi-gcc", *ARM_FLAGS.split()[:2], "-c", "chip.c", "-o", CHIP_OBJECT], folder)
    objects = [CHIP_OBJECT, *(f"{path.stem}.o" for path in sources)]
    options = "--specs=nosys.specs --specs=nano.specs -u _printf_float -T link.ld -Wl,--gc-sections"
    run([*compiler, *options.split(), "-Wl,-Map=app.map", "-o", "app.elf", *objects], folder)
    return workload


def cxx_source(file: int, files: int, functions: int) -> str:
    """Return a file of which a fifth of the functions is used by nobody."""
    seeded = random.Random(file)
    used = [i for i in range(functions) if seeded.random() < 0.8] or [0]
    lines = [f"namespace module{file} {{"]
    lines += [f"int step{i}(int);" for i in range(functions)]
    lines += ["}", f"namespace module{(file + 1) % files} {{ int step{used[0]}(int); }}"]
    following = {i: f"module{file}::step{j}" for i, j in pairwise(used)}
    for i in range(functions):
        other = following.get(i, "")
        lines.append(
            CXX_FUNCTION.format(file=file, i=i, other=other, salt=seeded.randrange(3, 900))
        )
    lines.append(f"namespace module{file} {{ int run(int x) {{ return step{used[0]}(x); }} }}\n")
    return "\n".join(lines)


def native(folder: Path, files: int, functions: int) -> Workload:
    """Link ``files`` objects of ``functions`` functions each with the native toolchain."""
    workload = Workload(folder.name, folder / "app.map", folder / "app.elf")
    if workload.elf.exists():
        return workload
    folder.mkdir(parents=True, exist_ok=True)
    for file in range(files):
        (folder / f"module{file}.s").write_text("".join(assembly(file, functions)))
    (folder / "start.s").write_text(".globl _start\n.text\n_start: nop\n")
    sources = [f"module{file}.s" for file in range(files)]
    compile_all = [["gcc", "-c", name, "-o", f"{name[:-2]}.o"] for name in [*sources, "start.s"]]
    in_parallel(compile_all, folder)
    (folder / "objects").write_text("\n".join(["start.o", *(f"{name[:-2]}.o" for name in sources)]))
    link = "gcc -nostdlib -no-pie -Wl,--no-gc-sections -Wl,-Map=app.map -o app.elf @objects"
    run(link.split(), folder)
    return workload


def assembly(file: int, functions: int) -> Iterator[str]:
    """Yield functions in sections of their own, some with a variable or a constant."""
    seeded = random.Random(file)
    for i in range(functions):
        name = f"_ZN6module{file}7handler{i}Ev"
        size, align = seeded.randrange(1, 90), seeded.choice((1, 4, 16))
        yield f'.section .text.{name},"ax",@progbits\n.globl {name}\n.balign {align}\n'
        yield f".type {name}, @function\n{name}:\n.skip {size}, 0x90\n.size {name}, {size}\n"
        if seeded.random() < 0.1:
            yield f'.section .bss.v{file}_{i},"aw",@nobits\nv{file}_{i}: .skip {size}\n'
        if seeded.random() < 0.06:
            yield f'.section .rodata.c{file}_{i},"a",@progbits\n.long {i}\n'


def scaled(workload: Workload, folder: Path, copies: int) -> Workload:
    """Return a map in which the .text block of ``workload`` stands ``copies`` times."""
    bigger = Workload(folder.name, folder / "app.map", workload.elf, copies)
    if bigger.map.exists():
        return bigger
    folder.mkdir(parents=True, exist_ok=True)
    text = workload.map.read_bytes()
    start = text.index(b"\n.text ")
    end = text.index(b"\n\n", start + 1) + 1
    bigger.map.write_bytes(text[:start] + text[start:end] * copies + text[end:])
    return bigger


def in_parallel(commands: list[list[str]], folder: Path) -> None:
    """Run the commands, two at a time."""
    with ThreadPoolExecutor(WORKERS) as pool:
        list(pool.map(lambda command: run(command, folder), commands))


def run(command: list[str], folder: Path) -> None:
    """Run one command of a toolchain; its last words are in the error when it fails."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command[:6])} ...: {done.stderr[-400:]}")
