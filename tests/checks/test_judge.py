"""What the verdict rests on: proof of every claim, and a map that can be trusted."""

from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mapinspect.checks.judge import judge
from mapinspect.model.budget import BudgetTable, CheckRule, Waiver
from mapinspect.model.finding import Severity, Status
from mapinspect.model.image import Evidence
from mapinspect.model.inspection import Inspection
from mapinspect.model.link_map import REGION_ROW
from mapinspect.model.report import Report, Verdict
from tests.builders import RAM, bss, inspection, map_facts, region_row, section, table, text


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


ABOUT_THE_MAP = ("map-elf-disagree", "bytes-not-conserved", "map-lines-unknown")
REVIEWED = ("waiver-matches-nothing",)
DOUBTS = (
    {"disagreements": map_facts(disagree=True).disagreements},
    {"unconserved": map_facts(unconserved=True).unconserved},
    {"missing": (f"a {REGION_ROW}",), "lacks_regions": True},
)


@pytest.mark.parametrize("doubt", DOUBTS, ids=["of another link", "not understood", "no table"])
def test_under_a_doubtful_map_nothing_is_judged(doubt: dict[str, object]) -> None:
    """What holds, what is broken and what was accepted, with every error it found."""
    rules = (CheckRule("section-outside-regions", "warn", Evidence("b.toml", 1, "")),)
    budget = replace(table(region_row("FLASH"), region_row("RAM", 99)), rules=rules)
    image = inspection(text(), bss(100), section(".odd", 0x3000_0000, 4), budget=budget)
    trusted = judge(replace(image, map=map_facts()))
    judged = (Status.HOLDS, Status.BROKEN, Status.WAIVED)
    assert {item.status for item in trusted} >= set(judged)
    doubted = judge(replace(image, map=replace(map_facts(unknown=1), **doubt)))
    rest = [item for item in doubted if item.check not in ABOUT_THE_MAP]
    assert not [item for item in rest if item.status in judged]
    assert not [
        finding for item in rest for finding in item.findings if finding.severity is Severity.ERROR
    ]
    undecided = [finding for item in rest for finding in item.findings]
    assert {finding.severity for finding in undecided} == {Severity.UNDECIDED, Severity.WARNING}
    before = [item for item in trusted if item.check not in (*ABOUT_THE_MAP, *REVIEWED)]
    for old, new in zip(before, rest, strict=True):
        was_judged = old.status in judged
        assert new.status is (Status.UNDECIDED if was_judged else old.status)
        assert bool(new.reason)
        assert [finding.message for finding in new.findings] == [
            finding.message for finding in old.findings
        ]
    kept = {item.status for item in doubted if item.check in ABOUT_THE_MAP}
    assert kept >= {Status.HOLDS, Status.UNDECIDED}


def test_a_doubtful_map_leaves_waivers_alone() -> None:
    """Nothing is judged, so nothing is there to accept: that is no fault of the waiver."""
    waiver = Waiver("row-over-budget", "x", "why", date(2099, 1, 1), Evidence("b.toml", 1, ""))
    facts = inspection(text(), bss(9), budget=replace(table(), waivers=(waiver,)))
    checks = {item.check for item in judge(replace(facts, map=map_facts(disagree=True)))}
    assert "waiver-matches-nothing" not in checks
    assert "waiver-matches-nothing" in {item.check for item in judge(facts)}


def test_an_overflow_that_the_map_proves_stays_broken() -> None:
    overflowing = inspection(bss(0x2000))
    own = overflowing.usages[1:]
    doubtful = replace(map_facts(disagree=True), overflows=own)
    facts = replace(inspection(text(), bss(1)), map=doubtful)
    assert verdict(facts) is Verdict.FAIL
    regions = {
        (item.subject, item.status) for item in judge(facts) if item.check == "region-over-budget"
    }
    assert regions == {("RAM", Status.BROKEN), ("FLASH", Status.UNDECIDED)}
    others = [item for item in judge(facts) if item.subject == "RAM"]
    assert len(others) == 1


def test_an_overflow_that_the_map_proves_hides_no_other_claim_about_the_region() -> None:
    own = inspection(bss(0x2000)).usages[1:]
    facts = inspection(text(), bss(1), budget=budget(100))
    others = [item for item in judge(facts) if item.subject == "RAM"]
    assert len(others) > 1
    proven = replace(map_facts(disagree=True), overflows=own)
    said = [item for item in judge(replace(facts, map=proven)) if item.subject == "RAM"]
    assert [item.check for item in said] == [item.check for item in others]


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
