"""Sound firmware that was once refused, linked on the spot by ld in the shape that real one has.

Each image is one that links, loads and runs; what it does not do wrong may not be said of it.
"""

from pathlib import Path

import pytest

from mapinspect.readers.gnu_map import read_map
from tests import lto_firmware
from tests.linked import link
from tests.sound import CORTEX_M, ENTRY, faults

# binutils ld/scripttempl/avr.sc: the memories that the programmer writes.
AVR = """\
MEMORY { text (rx) : ORIGIN = 0, LENGTH = 32K
         data (rw!x) : ORIGIN = 0x800100, LENGTH = 2K
         eeprom (rw!x) : ORIGIN = 0x810000, LENGTH = 64K
         fuse (rw!x) : ORIGIN = 0x820000, LENGTH = 1K
         lock (rw!x) : ORIGIN = 0x830000, LENGTH = 1K }
SECTIONS { .text : { *(.text) } > text
           .data : { *(.data) } > data AT> text
           .eeprom : { *(.eeprom) } > eeprom
           .fuse : { KEEP(*(.fuse)) } > fuse
           .lock : { KEEP(*(.lock)) } > lock }
"""
AVR_SOURCE = """\
.text
.global main
main: nop
.section .data,"aw"
.fill 16, 1, 7
.section .eeprom,"aw"
.fill 16, 1, 1
.section .fuse,"aw"
.byte 0xff, 0xd9, 0xff
.section .lock,"aw"
.byte 0xfc
"""


def test_eeprom_and_fuses_of_an_avr_are_no_ram_without_a_copy(tmp_path: Path) -> None:
    linked = link(tmp_path, "avr", AVR, AVR_SOURCE)
    assert faults(linked) == []
    kinds = {name: linked.inspection().kind(name) for name in ("data", "eeprom", "fuse", "lock")}
    assert kinds == {"data": "sram", "eeprom": "eeprom", "fuse": "eeprom", "lock": "eeprom"}


def test_initialised_variables_of_an_avr_still_need_their_copy(tmp_path: Path) -> None:
    linked = link(tmp_path, "avr", AVR.replace(" AT> text", ""), AVR_SOURCE)
    assert [(item.check, item.subject) for item in faults(linked)] == [("data-not-stored", ".data")]


NOTED = """\
SECTIONS { .text : { *(.text) } > FLASH
           .note.gnu.build-id : { *(.note.gnu.build-id) } > RAM
           .table : { *(.table) } > RAM }
"""


def test_a_build_id_that_lands_in_ram_is_a_warning(tmp_path: Path) -> None:
    linked = link(tmp_path, "arm", CORTEX_M + NOTED, ENTRY, "--build-id")
    assert faults(linked) == []
    said = [item.subject for item in faults(linked, warnings=True)]
    assert ".note.gnu.build-id" in said


def test_a_table_that_lands_in_ram_is_still_lost(tmp_path: Path) -> None:
    source = f'{ENTRY}.section .table,"a"\n.word 1, 2, 3\n'
    linked = link(tmp_path, "arm", CORTEX_M + NOTED, source)
    assert [(item.check, item.subject) for item in faults(linked)] == [
        ("data-not-stored", ".table")
    ]


SECURE = """\
.cpu cortex-m33
.syntax unified
.thumb
.text
.global start
.thumb_func
start: nop
"""
GATEWAY = """\
.global {0}, __acle_se_{0}
.type {0}, %function
.type __acle_se_{0}, %function
.thumb_func
{0}:
.thumb_func
__acle_se_{0}: bxns lr
.size {0}, . - {0}
.size __acle_se_{0}, . - __acle_se_{0}
"""
VENEERS = """\
SECTIONS { .text : { *(.text) } > FLASH
           .gnu.sgstubs : ALIGN(32) { *(.gnu.sgstubs*) . = ALIGN(32); } > FLASH }
"""


@pytest.mark.parametrize("gateways", [1, 4, 5], ids=lambda count: f"{count} of 8 bytes")
def test_secure_gateways_are_padded_after_the_map_is_printed(tmp_path: Path, gateways: int) -> None:
    source = SECURE + "".join(GATEWAY.format(f"entry{number}") for number in range(gateways))
    linked = link(tmp_path, "arm", CORTEX_M + VENEERS, source, "--cmse-implib")
    assert faults(linked) == []


# Teensy 4: the lowest section by load address is .bss alone, as everything else is in Flash at
# 0x60000000; ld rounds its segment down to a page, where the ELF's headers then fit in.
HIGH = """\
ENTRY(start)
MEMORY { FLASH (rx) : ORIGIN = 0x60000000, LENGTH = 64K
         RAM (rwx) : ORIGIN = 0x20000000, LENGTH = 16K }
SECTIONS { .text : { *(.text) } > FLASH
           .data : { *(.data) } > RAM AT> FLASH
           .bss : { *(.bss) } > RAM AT> RAM }
"""


def test_a_segment_of_zeros_may_begin_with_the_headers_of_the_file(tmp_path: Path) -> None:
    source = (
        f'{ENTRY}.section .data,"aw"\n.fill 3000, 1, 7\n.section .bss,"aw",%nobits\n.space 64\n'
    )
    linked = link(tmp_path, "arm", HIGH, source, "-z", "max-page-size=0x1000")
    zeros = next(item for item in linked.elf_file().sections if item.name == ".bss")
    assert (zeros.vma, zeros.lma) == (0x2000_0BB8, 0x2000_0BB8)
    assert faults(linked) == []


def test_a_build_id_hangs_on_a_file_that_only_the_plug_in_reads(tmp_path: Path) -> None:
    lto_firmware.build(tmp_path, "riscv64-unknown-elf", "-Wl,--build-id")
    link_map = read_map("app.map", (tmp_path / "app.map").read_bytes())
    assert "a.o (symbol from plugin)" in (tmp_path / "app.map").read_text()
    assert tuple(link_map.unknown) == ()
    (note,) = (item for item in link_map.sections if item.name == ".note.gnu.build-id")
    (row,) = link_map.inputs.of_section(note.ordinal)
    assert (row.owner.path, row.owner.archive, row.size) == ("a.o", None, 36)


# STM32 boards with a Flash behind QUADSPI: the script calls it writable, constants are kept there.
EXTERNAL = """\
SECTIONS {{ .text : {{ *(.text) }} > FLASH
           .assets : {{ KEEP(*(.assets)) }} > {0} }}
"""


@pytest.mark.parametrize(
    ("region", "flags", "expected"),
    [
        pytest.param("QSPI", "a", [], id="constants in Flash behind a bus"),
        pytest.param("QSPI", "aw", ["data-not-stored"], id="variables in it"),
        pytest.param("SDRAM", "a", ["data-not-stored"], id="constants in RAM behind a bus"),
    ],
)
def test_constants_in_external_flash_that_a_script_calls_writable(
    tmp_path: Path, region: str, flags: str, expected: list[str]
) -> None:
    outside = f"{region} (rwx) : ORIGIN = 0x90000000, LENGTH = 8M }}"
    source = f'{ENTRY}.section .assets,"{flags}"\n.fill 64, 1, 7\n'
    script = CORTEX_M.replace("}", outside) + EXTERNAL.format(region)
    linked = link(tmp_path, "arm", script, source)
    assert [item.check for item in faults(linked)] == expected
