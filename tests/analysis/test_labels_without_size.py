"""Rows about labels that have no size, and about update slots, linked on the spot.

The sizes are those of the source's ``.space`` statements.
"""

from pathlib import Path

import pytest

from mapinspect.model.finding import Status
from tests.audited import audited

SOURCE = """
.section .text,"ax"
.global main
.type main,%function
main: .word 0
.size main, 4
.section .rodata.model,"a"
.balign 32
.global g_model
g_model: .space 0x3000
.global g_scale
.type g_scale,%object
g_scale: .space 0x100
.size g_scale, 0x100
.section .bss,"aw",%nobits
.global state
.type state,%object
state: .space 0x100
.size state, 0x100
"""
SIZED = SOURCE.replace(
    "g_model: .space 0x3000", ".type g_model,%object\ng_model: .space 0x3000\n.size g_model, 0x3000"
)
SCRIPT = """
MEMORY { FLASH (rx) : ORIGIN = 0x08000000, LENGTH = 512K
  RAM (xrw) : ORIGIN = 0x20000000, LENGTH = 64K }
SECTIONS {
  .text : { *(.text) } > FLASH
  .model 0x08001000 : { *(.rodata.model) . = ALIGN(4K); } > FLASH
  .bss : { *(.bss) __bss_end = .; } > RAM
}
"""
LIMIT = '[[budget]]\nid = "model"\nmatch = {{ symbol = "g_*" }}\nlimit = {}\n'
SLOT = """
[[placement]]
id = "slot"
match = {{ {} }}
slot = {{ origin = 0x08001000, length = "{}", sector = "4K" }}
"""


def judged(folder: Path, source: str, table: str) -> dict[str, list[str]]:
    return audited(folder, SCRIPT, source, table)


@pytest.mark.parametrize(
    ("limit", "expected"),
    [
        pytest.param(0x3100, {}, id="a limit that holds whatever its size is"),
        pytest.param(
            0x30FF,
            {
                "row-over-budget": [
                    "model takes up 256 to 12544 of 12543 bytes: some of its symbols are labels "
                    "without a size"
                ]
            },
            id="a limit that it may break",
        ),
    ],
)
def test_a_label_may_be_all_up_to_the_next_symbol(
    tmp_path: Path, limit: int, expected: dict[str, list[str]]
) -> None:
    assert judged(tmp_path, SOURCE, LIMIT.format(limit)) == expected


def test_a_row_of_nothing_but_a_label_is_about_something_unknown(tmp_path: Path) -> None:
    table = LIMIT.format(0x4000).replace("g_*", "g_model") + "optional = true\n"
    assert list(judged(tmp_path, SOURCE, table)) == ["row-matches-nothing"]


def test_labels_of_the_linker_script_weigh_nothing(tmp_path: Path) -> None:
    # __bss_end marks no byte: `state` alone counts.
    assert judged(tmp_path, SIZED, LIMIT.format(0x100).replace("g_*", "[_s]*")) == {}


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        pytest.param('region = "FLASH"', [], id="its region, which holds all it can be"),
        pytest.param("align = 32", [], id="its alignment"),
        pytest.param(
            'strategy = "copied"',
            ["broken: g_model (at most 12288 bytes) is not copied from Flash to RAM at start-up: "
             "it lies in FLASH"],
            id="a strategy that it breaks whatever its size is",
        ),
    ],
)  # fmt: skip
def test_what_is_claimed_of_a_label_is_judged_by_all_it_can_be(
    tmp_path: Path, claim: str, expected: list[str]
) -> None:
    row = f'[[placement]]\nid = "p"\nmatch = {{ symbol = "g_model" }}\n{claim}\n'
    found = audited(tmp_path, SCRIPT, SOURCE, row, statuses=True)
    assert found.get("placement-broken", []) == expected


@pytest.mark.parametrize(
    ("source", "match", "length", "status"),
    [
        pytest.param(SIZED, 'symbol = "g_*"', "16K", Status.HOLDS, id="both symbols are meant"),
        pytest.param(SIZED, 'section = ".model"', "16K", Status.HOLDS, id="the section is meant"),
        pytest.param(SIZED, 'symbol = "g_model"', "16K", Status.BROKEN, id="one is left over"),
        pytest.param(SOURCE, 'symbol = "g_model"', "16K", Status.UNDECIDED, id="a label's size"),
        pytest.param(SOURCE, 'symbol = "g_model"', "8K", Status.UNDECIDED, id="a label leaves it"),
    ],
)
def test_a_slot_holds_what_is_matched_and_nothing_else(
    tmp_path: Path, source: str, match: str, *, length: str, status: Status
) -> None:
    found = audited(tmp_path, SCRIPT, source, SLOT.format(match, length), statuses=True)
    told = [item.split(":")[0] for item in found.get("placement-broken", [])]
    assert told == ([] if status is Status.HOLDS else [status.value])


def test_one_run_of_labels_is_not_proven(tmp_path: Path) -> None:
    row = '[[placement]]\nid = "p"\nmatch = { symbol = "g_*" }\ncontiguous = true\n'
    (tmp_path / "sized").mkdir()
    assert judged(tmp_path / "sized", SIZED, row) == {}
    assert list(judged(tmp_path, SOURCE, row)) == ["placement-broken"]
