"""The last line of a report: rounding and slack never say what is not so."""

from dataclasses import replace

import pytest

from mapinspect.analysis.budget_lines import budget_lines
from mapinspect.model.inspection import ArenaFacts
from mapinspect.model.report import Report
from mapinspect.reports.text import summary
from tests.builders import arena, bss, inspection, located, region_row, table, text


def line(ram: int, *arenas: ArenaFacts) -> str:
    facts = replace(
        inspection(text(), bss(ram), budget=table(region_row("RAM", 4000))), arenas=arenas
    )
    return summary(Report(".", (), facts, (), budget_lines(facts)))


@pytest.mark.parametrize(
    ("used", "shown"),
    [
        pytest.param(3900, "RAM 3.9/3.9 KiB", id="both round to one number"),
        pytest.param(4000, "RAM 4,000/4,000 B", id="a full region is not shown as 4.0 of 3.9"),
        pytest.param(4001, "RAM 4.0/3.9 KiB (+0.1)", id="one byte over is over"),
    ],
)
def test_rounding_never_contradicts_the_verdict(used: int, shown: str) -> None:
    assert shown in line(used)


def test_slack_is_told_only_of_an_arena_whose_size_is_known() -> None:
    home = bss(0x800)
    place = located("tensor_arena", home, size=1048)  # and the need is 1000
    assert "slack 48 B" in line(0x800, arena(place))
    assert "slack at most 48 B" in line(0x800, arena(place, exact=False))
    assert "slack -952 B" in line(0x800, arena(place, needed=2000, exact=False))
    assert "slack" not in line(0x800, arena(located("tensor_arena", home, size=4)))
    assert "slack" not in line(0x800, arena(located("tensor_arena", home, size=0)))


def test_slack_is_what_alignment_leaves() -> None:
    place = located("tensor_arena", bss(0x800), offset=4, size=1048)
    assert "slack 36 B" in line(0x800, arena(place))  # 12 bytes up to the next multiple of 16
