"""Rows about archives where one is thin: the map names its members, and not the archive."""

import subprocess
from pathlib import Path

import pytest

from mapinspect.pipeline import Request, check
from tests.tools import need

SCRIPT = """
MEMORY { FLASH (rx) : ORIGIN = 0x08000000, LENGTH = 512K }
SECTIONS { .text : { *(.text) } > FLASH }
"""
FUNCTION = """
.section .text,"ax"
.global {0}
.type {0},%function
{0}: .space {1}
.size {0}, {1}
"""
SIZES = {"main": 0x10, "thin": 0x400, "thick": 0x20}
TOOLS = ("arm-none-eabi-as", "arm-none-eabi-ar", "arm-none-eabi-ld")


def told(folder: Path, row: str) -> set[str]:
    """Return what is not proven of an image of 0x430 bytes, 0x400 of them from libthin.a."""
    need(*TOOLS)
    assembler, archiver, linker = TOOLS

    def run(*command: str) -> None:
        subprocess.run(command, cwd=folder, check=True, capture_output=True)

    for name, size in SIZES.items():
        (folder / f"{name}.s").write_text(FUNCTION.format(name, size))
        run(assembler, "-mcpu=cortex-m4", "-o", f"{name}.o", f"{name}.s")
    run(archiver, "rcsT", "libthin.a", "thin.o")
    run(archiver, "rcs", "libthick.a", "thick.o")
    (folder / "a.ld").write_text(SCRIPT)
    wanted = ("-u", "thin", "-u", "thick", "main.o", "libthin.a", "libthick.a")
    run(linker, "-T", "a.ld", "-Map=a.map", "-o", "a.elf", *wanted)
    (folder / "t.toml").write_text(f"version = 1\n{row}", encoding="utf-8")
    files = Request(elf=folder / "a.elf", map=folder / "a.map", config=folder / "t.toml")
    report = check(files)
    assert report.failure is None
    found = {item.check for item in report.outcomes if item.status.value in ("broken", "undecided")}
    assert bool(found) == (report.verdict.value != "pass")
    return found


@pytest.mark.parametrize(
    ("archive", "limit", "expected"),
    [
        pytest.param("lib*.a", 0x41F, {"row-over-budget"}, id="both, a byte too many"),
        pytest.param("lib*.a", 0x420, set(), id="both, within the limit"),
        pytest.param("libthick.a", 0x20, set(), id="the one that the map names"),
        pytest.param(
            "libthin.a",
            0x3FF,
            {"row-matches-nothing", "row-over-budget"},
            id="the one that the map does not name",
        ),
        pytest.param("libt?in.a", 0x400, {"row-matches-nothing"}, id="whatever it holds"),
    ],
)
def test_objects_of_a_thin_archive_may_be_of_the_row(
    tmp_path: Path, archive: str, limit: int, expected: set[str]
) -> None:
    row = f'[[budget]]\nid = "a"\nmatch = {{ archive = "{archive}" }}\nlimit = {limit}\n'
    assert told(tmp_path, row) == expected


def test_a_placement_of_a_thin_archive_is_not_proven(tmp_path: Path) -> None:
    row = '[[placement]]\nid = "a"\nmatch = { archive = "lib*.a" }\nregion = "FLASH"\n'
    assert told(tmp_path, row) == {"row-matches-nothing"}
