"""Regions over their limits: what the ELF says, what the map proves, and what no table accepts."""

from dataclasses import replace

import pytest

from mapinspect.checks.region_over_budget import region_over_budget
from mapinspect.model.finding import Outcome, Severity, Status
from mapinspect.model.image import Evidence, Region, Span
from mapinspect.model.inspection import Inspection
from tests.builders import RAM, bss, inspection, map_facts, region_row, section, table, text


def of_ram(facts: Inspection) -> Outcome:
    (outcome,) = [item for item in region_over_budget(facts) if item.subject == "RAM"]
    return outcome


@pytest.mark.parametrize(
    ("limit", "used", "status", "final"),
    [
        pytest.param(100, 100, Status.HOLDS, False, id="at its limit"),
        pytest.param(100, 101, Status.BROKEN, False, id="over the project's limit"),
        pytest.param(100, 4096, Status.BROKEN, False, id="over it, up to the last byte"),
        pytest.param(100, 4097, Status.BROKEN, True, id="over it, and past the end"),
        pytest.param(None, 4097, Status.BROKEN, True, id="past the end"),
    ],
)
def test_only_what_lies_past_the_end_is_final(
    limit: int | None, used: int, status: Status, *, final: bool
) -> None:
    outcome = of_ram(inspection(text(), bss(used), budget=table(region_row("RAM", limit))))
    assert (outcome.status, outcome.final) == (status, final)


def test_few_bytes_past_the_end_are_final_where_only_occupied_ones_count() -> None:
    row = replace(region_row("RAM"), count="occupied")
    far = bss(0x10, vma=RAM.span.end - 8)
    outcome = of_ram(inspection(text(), far, budget=table(row)))
    assert (outcome.status, outcome.final) == (Status.BROKEN, True)
    assert outcome.findings[0].message == "RAM extends over 4104 of 4096 bytes, 8 over"
    assert outcome.findings[0].evidence[0] == RAM.declared


def test_a_warning_names_its_own_line_or_the_limits() -> None:
    own = Evidence("mapinspect.toml", 7, "warn = 90")
    row = region_row("RAM", 100, warn=90)
    outcome = of_ram(inspection(text(), bss(91), budget=table(row)))
    assert outcome.findings[0].severity is Severity.WARNING
    assert outcome.findings[0].evidence[0].line == 3
    told = of_ram(inspection(text(), bss(91), budget=table(replace(row, warn_declared=own))))
    assert told.findings[0].evidence[0] == own


def test_evidence_is_the_section_that_ends_last() -> None:
    low, high = bss(0x900), section(".noinit", RAM.span.start + 0x900, 0x800, stored=False)
    outcome = of_ram(inspection(text(), low, high))
    assert outcome.findings[0].evidence[1].text == ".noinit ends at 0x20001100 in RAM"
    overflowing = inspection(low, high).usages[1]
    facts = replace(inspection(text()), map=replace(map_facts(), overflows=(overflowing,)))
    (proof,) = [item for item in region_over_budget(facts) if item.status is Status.BROKEN]
    assert proof.findings[0].evidence[1] == high.evidence


OVERFLOW = inspection(bss(0x1010)).usages[1]


def test_what_the_map_proves_is_broken_unless_the_elf_says_so_itself() -> None:
    proof = replace(map_facts(), overflows=(OVERFLOW,))
    fits = replace(inspection(text(), bss(8)), map=proof)
    assert of_ram(fits).findings[0].message == "RAM holds 4112 of 4096 bytes, 16 over"
    worse = replace(inspection(text(), bss(0x1020)), map=proof)
    assert of_ram(worse).findings[0].message == "RAM holds 4128 of 4096 bytes, 32 over"
    assert of_ram(worse).final
    others = [item.subject for item in region_over_budget(fits)]
    assert others == ["FLASH", "RAM"]


def test_a_region_that_only_the_map_has_is_told_as_well() -> None:
    gone = replace(OVERFLOW, region=Region("CCM", Span(0x1000_0000, 0x1000), "xrw", RAM.declared))
    facts = replace(inspection(text()), map=replace(map_facts(), overflows=(gone,)))
    told = [(item.subject, item.status) for item in region_over_budget(facts)]
    assert told[-1] == ("CCM", Status.BROKEN)
    assert len(told) == 3


@pytest.mark.parametrize(
    ("used", "other", "status"),
    [
        pytest.param(100, 101, Status.UNDECIDED, id="the other account is over"),
        pytest.param(101, 100, Status.UNDECIDED, id="only this one is over"),
        pytest.param(99, 100, Status.HOLDS, id="both fit"),
        pytest.param(101, 102, Status.BROKEN, id="both are over"),
    ],
)
def test_a_limit_that_two_accounts_answer_differently_is_undecided(
    used: int, other: int, status: Status
) -> None:
    facts = inspection(text(), bss(used), budget=table(region_row("RAM", 100)))
    flash, ram = facts.usages
    (_, otherwise) = inspection(text(), bss(other)).usages
    assert (
        of_ram(replace(facts, usages=(flash, replace(ram, otherwise=otherwise)))).status is status
    )


def test_nothing_measured_says_what_is_lacking() -> None:
    for facts, words in (
        (inspection(), "no region holds any byte"),
        (inspection(text(), regions=()), "no memory regions are known"),
    ):
        (outcome,) = region_over_budget(facts)
        assert outcome.reason == words
        assert outcome.findings[0].evidence[0].file == "app.elf"
        for alone, file in ((map_facts(), "app.map"), (None, "mapinspect.toml")):
            (outcome,) = region_over_budget(replace(facts, elf=None, map=alone))
            assert outcome.findings[0].evidence[0].file == file
