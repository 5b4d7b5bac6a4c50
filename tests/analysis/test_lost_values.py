"""Initial values in sections of which the image stores nothing, linked on the spot by ld."""

from pathlib import Path

import pytest

from mapinspect.checks.judge import judge
from mapinspect.model.finding import Outcome, Severity, Status
from tests.linked import link

MEMORY = """\
MEMORY { FLASH (rx) : ORIGIN = 0x08000000, LENGTH = 64K
         RAM (rwx) : ORIGIN = 0x20000000, LENGTH = 16K }
"""
SCRIPT = """\
SECTIONS { .text : { *(.text*) } > FLASH
           .const %s : { *(.rodata*) } > FLASH
           .data %s : { *(.data .data.*) } > RAM %s
           .noinit (NOLOAD) : { *(.noinit) } > RAM }
"""
# 16 bytes of initial values, 8 of constants, 32 that nobody initialises.
SOURCE = """\
.text
nop
.section .data.gain,"aw"
.fill 16, 1, 7
.section .rodata.name,"a"
.fill 8, 1, 65
.section .noinit,"aw",%nobits
.space 32
.section .data.noinit_boots,"aw"
.fill 4, 1, 1
"""


def said(folder: Path, const: str, data: str, at: str) -> list[Outcome]:
    linked = link(folder, "arm", MEMORY + SCRIPT % (const, data, at), SOURCE)
    outcomes = [item for item in judge(linked.inspection()) if item.check == "data-not-stored"]
    return [item for item in outcomes if item.findings]


def test_initialised_variables_in_a_noload_section_lose_their_values(tmp_path: Path) -> None:
    assert said(tmp_path, "", "", "AT> FLASH") == []
    (outcome,) = said(tmp_path, "", "(NOLOAD)", "")
    assert (outcome.status, outcome.subject) == (Status.BROKEN, ".data")
    assert outcome.findings[0].message == (
        ".data is not stored, and holds 16 bytes of initial values: .data.gain of a.o, 16 bytes"
    )


@pytest.mark.parametrize(("const", "expected"), [("", []), ("(NOLOAD)", [Severity.WARNING])])
def test_constants_that_a_rom_may_hold_are_a_warning(
    tmp_path: Path, const: str, expected: list[Severity]
) -> None:
    found = said(tmp_path, const, "", "AT> FLASH")
    assert [finding.severity for item in found for finding in item.findings] == expected
