"""No check is ever silent: where nothing is given to judge it says so, once, and why."""

from dataclasses import replace

import pytest

from mapinspect.checks import CHECKS
from mapinspect.checks.check import Check
from mapinspect.model.finding import Status
from mapinspect.model.inspection import Inspection
from tests.builders import bss, inspection, map_facts, text

# What an ELF alone claims: its bytes, and what its symbols would show.
OF_AN_ELF = {
    "region-over-budget": ("FLASH", "RAM"),
    "section-outside-regions": ("sections",),
    "sections-overlap": ("run-time addresses", "load addresses"),
    "constants-in-ram": ("constants", "variables"),
    "static-constructors": ("constructors",),
}
OF_A_MAP = {
    "map-elf-disagree": ("map and ELF",),
    "bytes-not-conserved": ("map",),
    "map-lines-unknown": ("map",),
    "section-orphaned": ("sections",),
}


def answered(check: Check, facts: Inspection) -> list[tuple[str, Status]]:
    outcomes = list(check(facts))
    assert all(item.reason for item in outcomes if item.status is not Status.HOLDS)
    return [(item.subject, item.status) for item in outcomes]


def expected(check: Check, claims: dict[str, tuple[str, ...]]) -> list[tuple[str, Status]]:
    return [(subject, Status.HOLDS) for subject in claims.get(check.id, ())]


@pytest.mark.parametrize("check", CHECKS, ids=[check.id for check in CHECKS])
def test_a_check_of_what_is_not_given_says_so(check: Check) -> None:
    bare = inspection(text(), bss(64))
    said = answered(check, bare)
    assert said == expected(check, OF_AN_ELF) or (
        check.id not in OF_AN_ELF and [status for _, status in said] == [Status.NOT_CLAIMED]
    )
    with_map = answered(check, replace(bare, map=map_facts()))
    assert with_map == (expected(check, OF_A_MAP) if check.id in OF_A_MAP else said)
