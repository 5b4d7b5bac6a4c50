"""Links of random layouts: every image is read, and its load addresses equal objdump's.

The layouts use what firmware scripts use: several regions, AT>, NOLOAD, gaps, alignment, orphans,
overlays, explicit addresses, empty sections, zeros between contents, PHDRS or page options.
MAPINSPECT_LINKS sets how many; the seed of a failing one is in its message.
"""

import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from mapinspect.model.elf_file import SymbolKind
from mapinspect.readers.elf import read_elf
from tests.readers.binutils_elf import Listing, read_with_bfd

pytestmark = pytest.mark.toolchain
COUNT = int(os.environ.get("MAPINSPECT_LINKS", "40"))
LINKERS = {
    "arm-none-eabi-ld": ("arm-none-eabi", "ARM"),
    "riscv64-unknown-elf-ld": ("riscv64-unknown-elf", "RISCV"),
    "xtensa-lx106-elf-ld": ("xtensa-lx106-elf", "XTENSA"),
    "ld.lld": ("arm-none-eabi", "ARM"),
}
MEMORY = {
    "FLASH": (0x0800_0000, 0x80000),
    "RAM": (0x2000_0000, 0x10000),
    "CCM": (0x1000_0000, 0x4000),
    "EXT": (0x9000_0000, 0x100000),
}
OPTIONS = (
    [], [], ["-n"], ["-N"], ["-z", "max-page-size=4"], ["-z", "max-page-size=4096"],
    ["-z", "separate-code"], ["--nmagic", "--gc-sections"], ["--emit-relocs"], ["-s"],
)  # fmt: skip


def source(chance: random.Random, count: int) -> str:
    """Return assembler with ``count`` sections of contents or zeros, and symbols in them."""
    lines = [".globl _start", ".text", "_start:", ".byte 1,2,3,4"]
    for number in range(count):
        size = chance.choice((0, 1, 3, 4, 17, 256, 1000, 5000))
        if chance.random() < 0.35:
            lines.append(f'.section .in{number},"aw",%nobits')
            body = f".space {size}"
        else:
            flags = chance.choice(("a", "aw", "ax"))
            lines.append(f'.section .in{number},"{flags}",%progbits')
            body = "\n".join(f".byte {chance.randrange(256)}" for _ in range(size))
        lines += [f".balign {chance.choice((1, 2, 4, 16, 64))}", f"object{number}:", body]
        lines += [f".type object{number}, %object", f".size object{number}, {size}"]
    return "\n".join(lines) + "\n"


def script(chance: random.Random, count: int) -> str:
    """Return a linker script that places the sections of ``source`` in regions."""
    regions = [f"{name} : ORIGIN = {at}, LENGTH = {size}" for name, (at, size) in MEMORY.items()]
    body = [".text : { *(.text*) } > FLASH"]
    numbers = list(range(count))
    while numbers:
        taken = [numbers.pop() for _ in range(min(len(numbers), chance.randint(1, 3)))]
        inputs = " ".join(f"*(.in{number})" for number in taken)
        body.append(output_section(chance, taken[0], inputs))
    if chance.random() < 0.3:
        body.pop()  # an orphan
    return "MEMORY { " + "\n".join(regions) + " }\nSECTIONS {\n" + "\n".join(body) + "\n}\n"


def output_section(chance: random.Random, number: int, inputs: str) -> str:
    region = chance.choice(("FLASH", "RAM", "RAM", "CCM", "EXT"))
    load = f" AT> {chance.choice(('FLASH', 'EXT'))}" if region in ("RAM", "CCM") else ""
    kind = " (NOLOAD)" if chance.random() < 0.2 else ""
    gap = chance.choice(("", "", ". = ALIGN(32);", ". = . + 40;", "LONG(0x12345678)"))
    align = chance.choice(("", "", "ALIGN(256)", "SUBALIGN(8)"))
    before = align if align.startswith("ALIGN") else ""
    after = align if align.startswith("SUB") else ""
    chosen = "" if chance.random() < 0.4 else load
    fill = chance.choice(("", "", " =0xdeadbeef"))
    return (
        f".out{number} {before}{kind} : {after} {{ {gap} {inputs} {gap} }} > {region}{chosen}{fill}"
    )


def link(folder: Path, linker: str, target: str, seed: int) -> Path | None:
    chance = random.Random(seed)
    count = chance.randint(2, 9)
    (folder / "in.s").write_text(source(chance, count))
    (folder / "in.ld").write_text(script(chance, count))
    options = chance.choice(OPTIONS if linker.startswith(target) else OPTIONS[:2])
    assembled = [f"{target}-as", "in.s", "-o", "in.o"]
    linked = [linker, "-T", "in.ld", *options, "in.o", "-o", "app.elf",
              "--no-check-sections"]  # fmt: skip
    (folder / "app.elf").unlink(missing_ok=True)
    subprocess.run(assembled, cwd=folder, check=True, timeout=60)
    done = subprocess.run(linked, cwd=folder, check=False, capture_output=True, timeout=60)
    return folder / "app.elf" if done.returncode == 0 else None


@pytest.mark.parametrize("linker", LINKERS)
def test_images_of_random_layouts_are_read_as_objdump_reads_them(
    linker: str, tmp_path: Path
) -> None:
    target, machine = LINKERS[linker]
    for program in (linker, f"{target}-as", f"{target}-objdump"):
        if not shutil.which(program):
            pytest.skip(f"needs {program}")
    linked = 0
    for seed in range(COUNT):
        path = link(tmp_path, linker, target, seed)
        if path is None:
            continue  # a layout that does not fit its regions
        elf = read_elf(f"seed {seed}", path.read_bytes())
        listings = {path: Listing()}
        read_with_bfd(machine, [path], listings)
        for section in elf.sections:
            if section.allocated and section.size:
                known = listings[path].loads[section.name, section.size, section.vma]
                assert section.lma in known, (seed, section)
        sized = {(s.address, s.size) for s in elf.symbols if s.size and s.kind is SymbolKind.OBJECT}
        assert sized == {(value, size) for value, size, _ in listings[path].sized if size}, seed
        linked += 1
    assert linked > COUNT // 2
