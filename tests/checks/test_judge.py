"""What the verdict rests on: proof of every claim, and a map that can be trusted."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mapinspect.checks.judge import judge
from mapinspect.model.budget import BudgetTable
from mapinspect.model.finding import Status
from mapinspect.model.inspection import Inspection
from mapinspect.model.report import Report, Verdict
from tests.builders import RAM, bss, inspection, map_facts, region_row, table, text


def budget(limit: int, warn: int | None = None) -> BudgetTable:
    """A table that allows all of FLASH, and ``limit`` bytes of RAM."""
    return table(region_row("FLASH"), region_row("RAM", limit, warn=warn))


def verdict(facts: Inspection, **options: bool) -> Verdict:
    return Report(".", (), facts, judge(facts, **options), ()).verdict


def test_good_image_passes() -> None:
    assert verdict(replace(inspection(text(), bss(100)), map=map_facts())) is Verdict.PASS


def test_no_claim_is_no_pass() -> None:
    assert Report(".", (), None, (), ()).verdict is Verdict.UNKNOWN


def test_disagreement_makes_even_a_broken_claim_undecided() -> None:
    facts = replace(inspection(text(), bss(0x2000)), map=map_facts(disagree=True))
    assert verdict(facts) is Verdict.UNKNOWN
    assert not [
        item
        for item in judge(facts)
        if item.status in (Status.HOLDS, Status.BROKEN)
        and item.check not in ("bytes-not-conserved", "map-lines-unknown")
    ]


def test_an_overflow_that_the_map_proves_stays_broken() -> None:
    overflowing = inspection(bss(0x2000))
    own = overflowing.usages[1:]
    doubtful = replace(map_facts(disagree=True), overflows=own)
    assert verdict(replace(inspection(text(), bss(1)), map=doubtful)) is Verdict.FAIL


@pytest.mark.parametrize("unconserved", [False, True], ids=["the sums hold", "they do not"])
def test_unknown_lines(unconserved: bool) -> None:
    facts = map_facts(unknown=1, unconserved=unconserved)
    expected = Verdict.UNKNOWN if unconserved else Verdict.PASS
    assert verdict(replace(inspection(text(), bss(9)), map=facts)) is expected


def test_warnings_fail_on_demand() -> None:
    facts = inspection(text(), bss(95), budget=budget(100, warn=90))
    assert verdict(facts) is Verdict.PASS
    assert verdict(facts, warnings_fail=True) is Verdict.FAIL


@given(used=st.integers(1, 0x1000), limit=st.integers(0, 0x1000), more=st.integers(0, 0x1000))
def test_raising_a_limit_never_fails_and_adding_bytes_never_passes(
    used: int, limit: int, more: int
) -> None:
    def judged(size: int, allowed: int) -> Verdict:
        return verdict(inspection(text(), bss(size), budget=budget(allowed)))

    first = judged(used, limit)
    assert first is (Verdict.PASS if used <= limit else Verdict.FAIL)
    if first is Verdict.PASS:
        assert judged(used, min(limit + more, RAM.span.size)) is Verdict.PASS
    else:
        assert judged(used + more, limit) is Verdict.FAIL
