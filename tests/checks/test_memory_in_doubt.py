"""Memory that is there only in name: past a region's end, in no known region, of unknown kind."""

from dataclasses import replace

import pytest

from mapinspect.analysis.budget_lines import budget_lines
from mapinspect.checks.arena_misplaced import arena_misplaced
from mapinspect.checks.region_over_budget import region_over_budget
from mapinspect.checks.weights_not_in_flash import weights_not_in_flash
from mapinspect.model.finding import Status
from tests.builders import (
    FLASH,
    RAM,
    arena,
    bss,
    copy,
    inspection,
    located,
    model,
    region_row,
    section,
    table,
    text,
)

OCCUPIED = table(replace(region_row("RAM"), count="occupied"))


@pytest.mark.parametrize(
    ("start", "status"),
    [
        pytest.param(0x800, Status.HOLDS, id="up to the last byte holds"),
        pytest.param(0x804, Status.BROKEN, id="four bytes past the end are broken"),
    ],
)
def test_few_occupied_bytes_do_not_excuse_a_section_past_the_end(
    start: int, status: Status
) -> None:
    pinned = bss(0x800, vma=RAM.span.start + start)  # 2 of the 4 KiB, at their end
    facts = inspection(text(), pinned, budget=OCCUPIED)
    [outcome] = [item for item in region_over_budget(facts) if item.subject == "RAM"]
    assert outcome.status is status
    [total] = [item for item in budget_lines(facts) if (item.memory, item.row) == ("RAM", "total")]
    assert total.status == ("ok" if status is Status.HOLDS else "over")


def weights_in(attributes: str, kind: str | None) -> Status:
    flash = replace(FLASH, attributes=attributes)
    facts = inspection(text(), regions=(flash, RAM), budget=table(region_row("FLASH", kind=kind)))
    facts = replace(facts, models=(model(copy(located("g_model", text()))),))
    [outcome] = weights_not_in_flash(facts)
    return outcome.status


def test_a_flash_that_the_script_calls_writable_is_in_doubt_until_the_table_says_what_it_is() -> (
    None
):
    assert weights_in("xr", None) is Status.HOLDS
    assert weights_in("xrw", None) is Status.UNDECIDED
    assert weights_in("xrw", "flash") is Status.HOLDS
    assert weights_in("xrw", "sram") is Status.BROKEN
    assert weights_in("xr", "sram") is Status.BROKEN


def test_constants_that_are_copied_to_writable_memory_are_in_no_doubt() -> None:
    copied = section(".fast", RAM.span.start, 0x100, lma=FLASH.span.start + 0x4000)
    facts = replace(inspection(text(), copied), models=(model(copy(located("g_model", copied))),))
    [outcome] = weights_not_in_flash(facts)
    assert outcome.status is Status.BROKEN


def test_without_any_region_an_arena_is_not_misplaced_but_undecided() -> None:
    facts = inspection(bss(0x800), regions=())
    place = replace(located("tensor_arena", bss(0x800)), region=None)
    [outcome] = arena_misplaced(replace(facts, arenas=(arena(place),)))
    assert outcome.status is Status.UNDECIDED
