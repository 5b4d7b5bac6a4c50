"""A map whose sections are the ELF's and whose symbols are another build's."""

import struct
from pathlib import Path

import pytest

from mapinspect.analysis.symbol_disagreements import symbol_disagreements
from mapinspect.model.inspection import Disagreement
from mapinspect.readers.elf import read_elf
from mapinspect.readers.gnu_map import read_map

PAIRS = Path(__file__).parents[2] / "fixtures" / "broken" / "pairs"
# The entry of g_model in tiny.elf's .symtab: st_value, st_size (`readelf -s tiny.elf`).
MODEL = struct.pack("<II", 0x0800_0040, 0x40)


def differences(elf: bytes) -> tuple[Disagreement, ...]:
    link_map = read_map("tiny.map", (PAIRS / "tiny.map").read_bytes())
    return symbol_disagreements(link_map, read_elf("tiny.elf", elf))


def test_symbols_of_one_link_agree() -> None:
    assert differences((PAIRS / "tiny.elf").read_bytes()) == ()


@pytest.mark.parametrize(
    ("value", "size"),
    [
        pytest.param(0x0800_0044, 0x3C, id="four bytes further"),
        pytest.param(0x0800_0020, 0x20, id="before another array"),
    ],
)
def test_a_symbol_that_lies_elsewhere_is_told_with_both_places(value: int, size: int) -> None:
    content = (PAIRS / "tiny.elf").read_bytes()
    assert content.count(MODEL) == 1
    [found] = differences(content.replace(MODEL, struct.pack("<II", value, size)))
    assert found.message == (f"g_model is at 0x08000040 in the map and at {value:#010x} in the ELF")
    assert found.in_map.line is not None
    line = (PAIRS / "tiny.map").read_text().splitlines()[found.in_map.line - 1]
    assert line.split() == ["0x08000040", "g_model"]
