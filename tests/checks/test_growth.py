"""Growth limits against an earlier report, from both sides of the limit; never a pass unproven."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mapinspect.checks.growth_over_limit import growth_over_limit
from mapinspect.checks.judge import judge
from mapinspect.model.baseline import Baseline
from mapinspect.model.finding import Status
from mapinspect.model.inspection import Inspection
from mapinspect.model.report import Report, Verdict
from mapinspect.readers.baseline import read_baseline
from mapinspect.reports import json_v1
from tests.good_firmware import facts, outcomes, verdict

ROW = "[[budget]]\nid = 'arena'\nkind = 'arena'\ngrowth = "
REGION = (
    "[[region]]\nname = 'FLASH'\n[[region]]\nname = 'SRAM2'\n[[region]]\nname = 'SRAM1'\ngrowth = "
)
ARENA = 12288  # bytes; `nm -S`: tensor_arena 0x3000


def document(rows: str = ROW + "{ bytes = 0 }\n") -> dict[str, Any]:
    """The good firmware's own report."""
    inspection = facts(rows)
    return json.loads(json_v1.render(Report(".", (), inspection, judge(inspection), ())))


def earlier(less: int, **changes: Any) -> Baseline:
    """A report of a build that was smaller by so many bytes in its arena and SRAM1."""
    report = document()
    report["rows"][0]["linked"] -= less
    for region in report["regions"]:
        if region["name"] == "SRAM1":
            region["used"] -= less
            region["charged"] -= less  # nothing of it is elastic
    return read_baseline("old.json", json.dumps({**report, **changes}).encode())


@pytest.mark.parametrize("row", [ROW, REGION], ids=["a row", "a region"])
@pytest.mark.parametrize(
    ("limit", "grown", "expected"),
    [
        pytest.param("{ bytes = 64 }", 64, Verdict.PASS, id="by just the limit"),
        pytest.param("{ bytes = 64 }", 65, Verdict.FAIL, id="by one byte more"),
        pytest.param("{ bytes = 0 }", 0, Verdict.PASS, id="not at all"),
        pytest.param("{ bytes = 0 }", -5, Verdict.PASS, id="shrinking is no growth"),
        pytest.param("{ bytes = '+1K', percent = 100 }", 1025, Verdict.FAIL, id="the least counts"),
    ],
)
def test_growth_in_bytes(row: str, limit: str, grown: int, expected: Verdict) -> None:
    assert verdict(facts(f"{row}{limit}\n", baseline=earlier(grown))) is expected


def test_growth_in_per_cent() -> None:
    # 2 % of 12288 - 240 = 12048 bytes are 240.96, so 240 bytes are allowed
    for grown, expected in ((240, Verdict.PASS), (241, Verdict.FAIL)):
        inspection = facts(ROW + "{ percent = 2 }\n", baseline=earlier(grown))
        assert verdict(inspection) is expected
    (outcome,) = outcomes(inspection, "growth-over-limit")
    assert outcome.findings[0].message == "arena grew by 241 bytes to 12288, 1 more than allowed"


@pytest.mark.parametrize(
    ("baseline", "words"),
    [
        pytest.param(None, "no baseline is given", id="missing"),
        pytest.param(read_baseline("b", b"\x7fELF"), "is not JSON", id="no JSON"),
        pytest.param(read_baseline("b", b"[" * 100_000), "is not JSON", id="nested without end"),
        pytest.param(read_baseline("b", b"[]"), "is no report", id="no object"),
        pytest.param(read_baseline("b", b'{"format": "other"}'), "is no report", id="foreign"),
        pytest.param(earlier(0, version=2), "of version 2, not 1", id="another version"),
        pytest.param(earlier(0, version=True), "of version True", id="a boolean version"),
        pytest.param(earlier(0, regions=[]), "measured nothing", id="an empty report"),
        pytest.param(earlier(0, tool={"version": "0.0.9"}), "mapinspect 0.0.9", id="another tool"),
        pytest.param(earlier(0, tool=None), "mapinspect unknown", id="before reports said it"),
        pytest.param(earlier(0, target={"name": "RISCV 32"}), "RISCV 32, not ARM 32", id="a core"),
        pytest.param(earlier(0, target=None), "target unknown", id="a report of a map alone"),
        pytest.param(
            earlier(0, target={"name": "ARM 32", "part": "STM32F103xB"}),
            "part STM32F103xB, not STM32L476xE",
            id="another part",
        ),
        pytest.param(earlier(0, rows=[]), "has no row arena", id="without the row"),
        pytest.param(earlier(0, rows=[{"id": "arena", "linked": "0"}]), "no size", id="text"),
        pytest.param(earlier(0, rows={"arena": 1}), "of another form", id="another form"),
        pytest.param(earlier(0, rows=2 * document()["rows"]), "two rows", id="a row twice"),
        pytest.param(
            earlier(0, regions=2 * document()["regions"]), "two rows", id="a region twice"
        ),
        pytest.param(read_baseline("b", b"[],\n" * (2**22 + 1)), "than 16 MiB", id="too large"),
        pytest.param(earlier(0, regions=[{"name": 1}]), "without name", id="a nameless region"),
    ],
)
def test_a_baseline_that_proves_nothing_leaves_growth_undecided(
    baseline: Baseline | None, words: str
) -> None:
    inspection = facts(ROW + "{ bytes = '1M' }\n", baseline=baseline)
    assert verdict(inspection) is Verdict.UNKNOWN
    (outcome,) = outcomes(inspection, "growth-over-limit")
    assert outcome.status is Status.UNDECIDED
    assert words in outcome.findings[0].message


@pytest.mark.parametrize(
    "earlier_row",
    [
        pytest.param("match = { section = '.rodata*' }", id="another match"),
        pytest.param("kind = 'weights'", id="another kind"),
        pytest.param("kind = 'arena'\nregion = 'SRAM1'", id="another memory"),
    ],
)
def test_a_row_that_counted_something_else_cannot_be_compared(earlier_row: str) -> None:
    """Its id is the same, so only what it counts tells that the old number is of other bytes."""
    text = json.dumps(document(f"[[budget]]\nid = 'arena'\n{earlier_row}\nlimit = '100%'\n"))
    inspection = facts(ROW + "{ bytes = 0 }\n", baseline=read_baseline("old.json", text.encode()))
    assert verdict(inspection) is Verdict.UNKNOWN
    (outcome,) = outcomes(inspection, "growth-over-limit")
    assert "in the baseline, and counts arena now" in outcome.findings[0].message


def test_the_rest_of_other_rows_cannot_be_compared() -> None:
    rest = "[[budget]]\nid = 'x'\nkind = 'rest'\ngrowth = { bytes = 0 }\n"
    old = read_baseline("old.json", json.dumps(document(rest)).encode())
    assert verdict(facts(rest, baseline=old)) is Verdict.PASS
    more = "[[budget]]\nid = 'dsp'\nmatch = { archive = 'libdsp.a' }\nlimit = '100%'\n"
    assert verdict(facts(rest + more, baseline=old)) is Verdict.UNKNOWN


def test_a_region_of_another_layout_cannot_be_compared() -> None:
    report = document()
    report["regions"][1]["length"] //= 2
    baseline = read_baseline("old.json", json.dumps(report).encode())
    inspection = facts(REGION + "{ bytes = 0 }\n", baseline=baseline)
    assert verdict(inspection) is Verdict.UNKNOWN
    assert report["regions"][1]["name"] == "SRAM1"


def test_a_report_is_the_baseline_of_the_next(tmp_path: Path) -> None:
    path = tmp_path / "old.json"
    path.write_text(json.dumps(document()), encoding="utf-8")
    baseline = read_baseline(str(path), path.read_bytes())
    assert baseline.fault is None
    assert baseline.rows == {"arena": ARENA}


@pytest.mark.parametrize(
    ("check", "severity", "usable"),
    [
        pytest.param("map-elf-disagree", "undecided", False, id="a map of another link"),
        pytest.param("map-lines-unknown", "undecided", False, id="a map not understood"),
        pytest.param("map-lines-unknown", "warning", True, id="lines that were accepted"),
        pytest.param("region-over-budget", "error", True, id="a region over its limit"),
    ],
)
def test_figures_of_a_doubtful_map_are_no_baseline(
    check: str, severity: str, *, usable: bool
) -> None:
    found = earlier(0, findings=[{"check": check, "severity": severity}])
    assert (found.fault is None) == usable


def growth(found: Inspection) -> list[tuple[str, Status, str]]:
    """Subject, status and the message's beginning of every answer, taken from the check itself."""
    return [
        (item.subject, item.status, item.findings[0].message if item.findings else item.reason)
        for item in growth_over_limit(found)
    ]


NONE = "{ bytes = 0 }\n"


def test_a_region_that_only_one_of_both_has_is_not_compared() -> None:
    old = earlier(0, regions=[item for item in document()["regions"] if item["name"] != "SRAM1"])
    assert growth(facts(REGION + NONE, baseline=old)) == [
        (
            "SRAM1",
            Status.UNDECIDED,
            "how much SRAM1 grew is unknown: the baseline has no region SRAM1",
        )
    ]
    gone = facts(REGION.replace("'SRAM1'", "'SRAM9'") + NONE, baseline=earlier(0))
    assert [item[:2] for item in growth(gone)] == [("SRAM9", Status.NOT_CLAIMED)]


def test_what_spoils_the_baseline_spoils_it_for_regions_too() -> None:
    for old in (None, earlier(0, tool=None), read_baseline("b", b"[]")):
        assert [item[:2] for item in growth(facts(REGION + NONE, baseline=old))] == [
            ("SRAM1", Status.UNDECIDED)
        ]


@pytest.mark.parametrize(
    ("field", "count", "status"),
    [
        pytest.param("charged", "occupied", Status.HOLDS, id="only gaps grew: occupied is counted"),
        pytest.param(
            "charged", "extent", Status.BROKEN, id="only gaps grew: the extent is counted"
        ),
        pytest.param("charged_occupied", "occupied", Status.BROKEN, id="sections grew"),
        pytest.param("charged_occupied", "extent", Status.HOLDS, id="sections grew into gaps"),
    ],
)
def test_growth_is_measured_as_the_row_counts(field: str, count: str, status: Status) -> None:
    report = document()
    (region,) = (item for item in report["regions"] if item["name"] == "SRAM1")
    region[field] -= 4
    old = read_baseline("old.json", json.dumps(report).encode())
    found = facts(f"{REGION}{NONE}count = '{count}'\n", baseline=old)
    assert [item[:2] for item in growth(found)] == [("SRAM1", status)]


def test_every_row_with_a_limit_is_compared_and_no_other() -> None:
    other = "[[budget]]\nid = 'x'\nkind = 'heap'\nlimit = '100%'\n"
    rows, regions = ROW + NONE + other, REGION + NONE
    assert [item[:2] for item in growth(facts(rows, baseline=earlier(0)))] == [
        ("arena", Status.HOLDS)
    ]
    assert [item[:2] for item in growth(facts(regions + rows, baseline=earlier(0)))] == [
        ("SRAM1", Status.HOLDS),
        ("arena", Status.HOLDS),
    ]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        pytest.param({"mixed": 1}, "link-time optimisation mixed", id="mixed by the linker"),
        pytest.param({"unsized": 1}, "labels without a size", id="labels without a size"),
        pytest.param({"thin": 1}, "from a thin archive", id="objects of a thin archive"),
        pytest.param({"otherwise": 1}, "regions share addresses", id="regions share addresses"),
    ],
)
def test_bytes_that_are_not_sure_cannot_be_compared(changes: dict[str, int], words: str) -> None:
    sure = facts(ROW + "{ bytes = '1M' }\n", baseline=earlier(0))
    (line,) = sure.rows
    ((_, status, message),) = growth(replace(sure, rows=(replace(line, **changes),)))
    assert (status, words in message) == (Status.UNDECIDED, True)
    ((_, status, _),) = growth(sure)
    assert status is Status.HOLDS


def test_a_region_whose_sections_may_be_another_ones_cannot_be_compared() -> None:
    sure = facts(REGION + "{ bytes = '1M' }\n", baseline=earlier(0))
    doubtful = tuple(replace(usage, otherwise=usage) for usage in sure.usages)
    ((_, status, message),) = growth(replace(sure, usages=doubtful))
    assert (status, "regions share addresses" in message) == (Status.UNDECIDED, True)


def test_what_the_image_does_not_tell_of_itself_is_not_asked_of_the_baseline() -> None:
    sure = facts(ROW + NONE, baseline=earlier(0))
    for found in (replace(sure, elf=None), replace(sure, part=None)):
        assert [item[:2] for item in growth(found)] == [("arena", Status.HOLDS)]
    unnamed = earlier(0, target={"name": "ARM 32"})
    assert [item[:2] for item in growth(facts(ROW + NONE, baseline=unnamed))] == [
        ("arena", Status.HOLDS)
    ]


@pytest.mark.parametrize(
    ("content", "status", "told"),
    [
        pytest.param(None, Status.NOT_CLAIMED, "", id="none"),
        pytest.param("a report", Status.NOT_CLAIMED, "nothing is compared", id="a report"),
        pytest.param("{}", Status.UNDECIDED, "the baseline is no", id="something else"),
    ],
)
def test_a_baseline_that_no_row_compares_with_is_not_passed_over(
    content: str | None, status: Status, told: str
) -> None:
    report = json.dumps(document()) if content == "a report" else content
    baseline = None if report is None else read_baseline("old.json", report.encode())
    (outcome,) = growth_over_limit(facts("", baseline=baseline))
    assert outcome.status is status
    assert told in "".join(finding.message for finding in outcome.findings)
