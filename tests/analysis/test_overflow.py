"""Overflow by a map alone, against what ld said when it failed (fixtures/built/*/link.txt)."""

import re
from pathlib import Path

import pytest

from mapinspect.analysis.overflow import overflows
from mapinspect.model.link_map import LinkMap
from mapinspect.readers.gnu_map import read_map

BUILT = Path(__file__).parents[2] / "fixtures" / "built"
SAID = {
    path.parent.name: dict(re.findall(r"region `(\w+)' overflowed by (\d+) bytes", text))
    for path in sorted(BUILT.glob("*/link.txt"))
    if "overflowed" in (text := path.read_text(encoding="utf-8"))
}


def map_of(case: str) -> LinkMap:
    path = BUILT / case / "app.map"
    return read_map("app.map", path.read_bytes())


@pytest.mark.parametrize("case", SAID)
def test_a_region_overflows_by_what_ld_said(case: str) -> None:
    found = {item.region.name: str(item.over) for item in overflows(map_of(case))}
    assert found == SAID[case]


@pytest.mark.parametrize("case", ["good", "cpp", "avr", "undefined-symbol-link-fails"])
def test_what_fits_overflows_nothing(case: str) -> None:
    assert overflows(map_of(case)) == ()


def test_contributors_are_the_largest_and_say_where_the_map_names_them() -> None:
    [overflow] = overflows(map_of("ram-overflow-link-fails"))
    sizes = [item.bytes for item in overflow.contributors]
    assert sizes == sorted(sizes, reverse=True)
    first, second = overflow.contributors[:2]
    assert (first.name, first.owner, first.bytes) == (".bss.tensor_arena", "main.o", 90112)
    # What the script reserves belongs to no object: 4 KiB heap and 4 KiB stack.
    assert (second.name, second.owner, second.bytes) == ("._user_heap_stack", None, 8192)
    lines = (BUILT / "ram-overflow-link-fails" / "app.map").read_text("utf-8").splitlines()
    assert ".bss.tensor_arena" in lines[(first.evidence.line or 0) - 1]
