"""The shipped scripts, linked: where pyelftools finds the pieces decides."""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile

from mapinspect import resources

SCRIPTS = resources.folder("linker_scripts")
SOURCE = Path(__file__).with_name("node.c")
K = 1024


def span(start: int, size: int) -> range:
    return range(start, start + size)


@dataclass(frozen=True)
class Part:
    """A script, how to link with it, and where the part's data sheet puts its memories."""

    script: str
    cross: str
    flags: tuple[str, ...]
    weights: range  # where a model may be read in place
    flash: range  # where tables and load images lie
    ram: range
    code_ram: range  # where functions run from RAM

    def __str__(self) -> str:
        return self.script


ARM = {"cross": "arm-none-eabi-", "flags": ("-mcpu=cortex-m4", "-mthumb")}
PARTS = [
    Part(
        "STM32L476RE.ld",
        **ARM,
        weights=span(0x0800_0000, 512 * K),
        flash=span(0x0800_0000, 512 * K),
        ram=span(0x2000_0000, 96 * K),
        code_ram=span(0x2000_0000, 96 * K),
    ),
    Part(
        "cortex-m4-256-64.ld",
        **ARM,
        weights=span(0x0800_0000, 256 * K),
        flash=span(0x0800_0000, 256 * K),
        ram=span(0x2000_0000, 64 * K),
        code_ram=span(0x2000_0000, 64 * K),
    ),
    Part(
        "GD32F303xC.ld",
        **ARM,
        weights=span(0x0800_0000, 256 * K),
        flash=span(0x0800_0000, 256 * K),
        ram=span(0x2000_0000, 48 * K),
        code_ram=span(0x2000_0000, 48 * K),
    ),
    Part(
        "STM32H750VB-QSPI.ld",
        "arm-none-eabi-",
        ("-mcpu=cortex-m7", "-mthumb"),
        weights=span(0x9000_0000, 8 * K * K),
        flash=span(0x0800_0000, 128 * K),
        ram=span(0x2000_0000, 128 * K),
        code_ram=span(0x0000_0000, 64 * K),
    ),
    Part(
        "ESP32-S3-like.ld",
        "xtensa-lx106-elf-",
        ("-mlongcalls",),
        weights=span(0x3C00_0000, 8 * K * K),
        flash=span(0x3C00_0000, 8 * K * K),
        ram=span(0x3FCA_0000, 0x50000),
        code_ram=span(0x4037_4000, 0x1C000),
    ),
]

pytestmark = [pytest.mark.toolchain, pytest.mark.parametrize("part", PARTS, ids=str)]


def link(part: Part, folder: Path, *more: str) -> subprocess.CompletedProcess[str]:
    """Link the small program with a part's script into ``app.elf``."""
    if shutil.which(f"{part.cross}gcc") is None:
        pytest.skip(f"needs {part.cross}gcc")
    flags = ["-O1", "-ffunction-sections", "-fdata-sections", "-nostdlib", "-Wl,--gc-sections"]
    command = [f"{part.cross}gcc", *part.flags, *flags, *more, "-T", str(SCRIPTS / part.script)]
    return subprocess.run(
        [*command, str(SOURCE), "-o", str(folder / "app.elf")],
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def elf(part: Part, tmp_path: Path) -> ELFFile:
    """The linked program; the linker may not warn."""
    done = link(part, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    return ELFFile((tmp_path / "app.elf").open("rb"))


def placed(elf: ELFFile, symbol: str) -> tuple[range, str, str]:
    """The addresses of a symbol, and the name and type of its section."""
    (found,) = elf.get_section_by_name(".symtab").get_symbol_by_name(symbol)
    section = elf.get_section(found["st_shndx"])
    start = found["st_value"] & ~1
    return range(start, start + found["st_size"]), section.name, section["sh_type"]


def inside(inner: range, outer: range) -> bool:
    return outer.start <= inner.start and inner.stop <= outer.stop


def load_address(elf: ELFFile, address: int) -> int:
    """Where the byte that runs at an address is loaded from."""
    for segment in elf.iter_segments("PT_LOAD"):
        offset = address - segment["p_vaddr"]
        if 0 <= offset < segment["p_memsz"]:
            return segment["p_paddr"] + offset
    raise AssertionError(f"no segment holds {address:#x}")


def test_weights_lie_in_flash_in_a_section_of_their_own(elf: ELFFile, part: Part) -> None:
    found, section, _ = placed(elf, "model")
    assert section == ".rodata.model_weights"
    assert inside(found, part.weights)
    assert found.start % 16 == 0
    assert load_address(elf, found.start) == found.start


def test_the_arena_lies_in_ram_and_costs_no_flash(elf: ELFFile, part: Part) -> None:
    found, _, kind = placed(elf, "tensor_arena")
    assert inside(found, part.ram)
    assert found.start % 16 == 0
    assert kind == "SHT_NOBITS"


def test_tables_lie_in_flash(elf: ELFFile, part: Part) -> None:
    assert inside(placed(elf, "look_up")[0], part.flash)


def test_initialised_variables_are_loaded_from_flash(elf: ELFFile, part: Part) -> None:
    found, _, _ = placed(elf, "calibration")
    assert inside(found, part.ram)
    assert load_address(elf, found.start) in part.flash


def test_functions_that_run_from_ram_are_loaded_from_flash(elf: ELFFile, part: Part) -> None:
    found, _, _ = placed(elf, "from_ram")
    assert inside(found, part.code_ram)
    assert load_address(elf, found.start) in part.flash


def test_a_link_without_room_for_the_stack_fails(part: Part, tmp_path: Path) -> None:
    done = link(part, tmp_path, f"-DARENA_BYTES={len(part.ram) - 1024}")
    assert done.returncode != 0
    assert "overflowed by" in done.stderr


def test_every_shipped_script_is_tested(part: Part) -> None:
    assert {path.name for path in SCRIPTS.glob("*.ld")} == {known.script for known in PARTS}
    assert (SCRIPTS / part.script).is_file()


def test_the_script_is_commented_for_a_reader_who_copies_it(part: Part) -> None:
    text = (SCRIPTS / part.script).read_text(encoding="utf-8")
    assert text.startswith("/*")
    for word in ("weights", "arena", "stack", "heap", "__attribute__"):
        assert word in text[: text.index("\nMEMORY")]
