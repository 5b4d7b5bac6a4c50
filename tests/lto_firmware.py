"""A small image that link-time optimisation mixes of C and C++, built on the spot."""

import subprocess
from pathlib import Path

from mapinspect.model.elf_file import ElfFile
from mapinspect.readers.elf import read_elf
from tests.tools import need

SOURCES = {
    "shared.h": """
        #define KEEP __attribute__((noinline, noclone))
        KEEP static int h_both(int x) { volatile int y = x; return y * y / 3; }
        extern int a_table[100];
        #ifdef __cplusplus
        extern "C" {
        #endif
        int a_work(int); int b_run(int); int c_cloud(int);
        #ifdef __cplusplus
        }
        #endif
        """,
    "a.c": """
        #include "shared.h"
        int a_table[100] = {1, 2, 3};
        static char hidden[64];
        KEEP int a_work(int x) { static int a_calls; a_calls++; hidden[x & 63]++;
          return a_table[x % 100] + a_calls + h_both(x) + hidden[(x + 1) & 63]; }
        """,
    "src/b.c": """
        #include "shared.h"
        static const unsigned char b_weights[256] = {1, 2, 3, 4};
        static char hidden[32];
        KEEP int b_run(int x) { hidden[x & 31] += b_weights[x & 255];
          return a_work(x) + h_both(x + 1) + hidden[3] + c_cloud(x); }
        volatile int b_in;
        void b_start(void) { for (;;) b_in = b_run(b_in); }
        """,
    "c.cc": """
        #include "shared.h"
        namespace cloud { namespace { int c_state[7]; }
        struct c_Rain { static int c_drops[9]; KEEP int c_fall(int); };
        int c_Rain::c_drops[9];
        int c_Rain::c_fall(int x) { return c_drops[x % 9]++ + c_state[x % 7]++; } }
        extern "C" KEEP int c_cloud(int x) { cloud::c_Rain rain; return rain.c_fall(x); }
        """,
}  # fmt: skip
# Statics of one name in two sources: by size.
SIZED = {"hidden": {64: "a.c", 32: "src/b.c"}}
SCRIPT = """
MEMORY {
  FLASH (rx) : ORIGIN = 0x08000000, LENGTH = 64K
  RAM (rwx) : ORIGIN = 0x20000000, LENGTH = 16K
}
ENTRY(b_start)
SECTIONS {
  .text : { LONG(1) *(.text*) *(.rodata*) *(.srodata*) } > FLASH
  .data : { *(.data*) *(.sdata*) } > RAM AT> FLASH
  .bss : { *(.bss*) *(.sbss*) *(COMMON) } > RAM
}
"""
_OPTIONS = {
    "arm-none-eabi": ["-mcpu=cortex-m4", "-mthumb"],
    "riscv64-unknown-elf": ["-march=rv32imac", "-mabi=ilp32"],
}


def build(folder: Path, target: str, *options: str, plain: str = "") -> ElfFile:
    """Compile and link with -flto; ``plain`` is the source that has no ``options``.

    Leaves app.elf and app.map in the folder.
    """
    need(f"{target}-gcc", f"{target}-g++")
    (folder / "src").mkdir(exist_ok=True)
    (folder / "app.ld").write_text(SCRIPT)
    common = [*_OPTIONS[target], "-Os", "-flto", "-fno-exceptions", "-fno-rtti"]
    for name, text in SOURCES.items():
        (folder / name).write_text(text)
    objects = []
    for name in list(SOURCES)[1:]:
        own = () if plain and name.endswith(plain) else options
        compiler = f"{target}-g++" if name.endswith(".cc") else f"{target}-gcc"
        objects.append(f"{Path(name).stem}.o")
        command = [compiler, *common, "-I.", *own, "-c", name, "-o", objects[-1]]
        subprocess.run(command, cwd=folder, check=True, timeout=120)
    linking = ["-nostdlib", "-T", "app.ld", "-Wl,-Map=app.map", "-o", "app.elf"]
    subprocess.run(
        [f"{target}-g++", *common, *options, *objects, *linking, "-lgcc"],
        cwd=folder, check=True, timeout=120, capture_output=True,
    )  # fmt: skip
    return read_elf("app.elf", (folder / "app.elf").read_bytes())
