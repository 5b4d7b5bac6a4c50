"""Regions that share addresses, and regions that map and table both declare."""

from dataclasses import replace
from fractions import Fraction

import pytest

from mapinspect.analysis.inspect import Records, inspect
from mapinspect.checks.judge import judge
from mapinspect.checks.region_over_budget import region_over_budget
from mapinspect.model.budget import Amount, BudgetTable, RegionRow
from mapinspect.model.finding import Status
from mapinspect.model.image import Evidence
from mapinspect.readers.elf import read_elf
from mapinspect.readers.gnu_map import read_map
from tests.elf_builder import build_elf, text

DECLARED = Evidence("mapinspect.toml", 1, "[[region]]")


def row(name: str, length: int, limit: Amount | None = None) -> RegionRow:
    return RegionRow(
        name, None, 0x0800_0000, length, limit, None, "extent", optional=False, declared=DECLARED
    )


@pytest.mark.parametrize("limit", [Amount(0x1000, None, "4K"), Amount(None, Fraction(1, 16), "6%")])
def test_a_region_inside_another_does_not_hide_bytes_from_the_outer_ones_limit(
    limit: Amount,
) -> None:
    elf = read_elf("app.elf", build_elf([text(bytes(0x2000))]))
    table = BudgetTable("t.toml", regions=(row("FLASH", 0x1_0000, limit), row("SUB", 0x4000)))
    statuses = {outcome.status for outcome in judge(inspect(Records(table, elf, None)))}
    assert statuses & {Status.BROKEN, Status.UNDECIDED}


def test_where_both_answers_are_the_same_the_limit_is_decided() -> None:
    elf = read_elf("app.elf", build_elf([text(bytes(0x2000))]))
    table = BudgetTable("t.toml", regions=(row("FLASH", 0x1_0000), row("SUB", 0x4000)))
    facts = inspect(Records(table, elf, None))
    assert {outcome.status for outcome in region_over_budget(facts)} == {Status.HOLDS}
    inner, outer = facts.usage("SUB"), facts.usage("FLASH")
    assert inner is not None
    assert outer is not None
    assert inner.otherwise is not None
    assert outer.otherwise is not None
    assert (inner.used, inner.otherwise.used) == (0x2000, 0)
    assert (outer.used, outer.otherwise.used) == (0, 0x2000)
    both = Amount(0x1000, None, "4K")
    small = replace(table, regions=(row("FLASH", 0x1_0000, both), row("SUB", 0x4000, both)))
    undecided = region_over_budget(inspect(Records(small, elf, None)))
    assert {outcome.status for outcome in undecided} == {Status.UNDECIDED}


def test_a_region_of_the_table_is_meant_even_where_its_section_leaves_it() -> None:
    # A slot of 4 KiB inside the Flash; ld never heard of it, so it let 8 KiB of code pass.
    elf = read_elf("app.elf", build_elf([text(bytes(0x2000))]))
    table = BudgetTable("t.toml", regions=(row("FLASH", 0x1_0000), row("SLOT", 0x1000)))
    answers = {
        item.subject: item.status for item in region_over_budget(inspect(Records(table, elf, None)))
    }
    assert answers == {"FLASH": Status.HOLDS, "SLOT": Status.UNDECIDED}


def test_a_length_in_the_table_leaves_the_attributes_of_the_map() -> None:
    printed = (
        b"\nMemory Configuration\n\n"
        b"Name             Origin             Length             Attributes\n"
        b"FLASH            0x08000000         0x00010000         xr\n"
        b"*default*        0x00000000         0xffffffff\n\n"
        b"Linker script and memory map\n\n"
        b".text           0x08000000       0x40\n"
        b" .text          0x08000000       0x40 a.o\n"
        b"OUTPUT(app.elf elf32-littlearm)\n"
    )
    elf = read_elf("app.elf", build_elf([text(bytes(0x40))]))
    link_map = read_map("app.map", printed)
    plain = inspect(Records(BudgetTable("t.toml"), elf, link_map))
    assert plain.kind("FLASH") == "flash"
    short = replace(plain.table, regions=(row("FLASH", 0x8000),))
    assert inspect(Records(short, elf, link_map)).kind("FLASH") == "flash"
