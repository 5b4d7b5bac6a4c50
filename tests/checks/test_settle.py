"""What the table makes of outcomes: waivers, severities, and that none goes unseen."""

from dataclasses import replace
from datetime import date

import pytest

from mapinspect.checks import CATALOGUE
from mapinspect.checks.judge import judge
from mapinspect.checks.notes import notes
from mapinspect.checks.settle import settle
from mapinspect.checks.waiver_matches_nothing import waiver_matches_nothing
from mapinspect.errors import InputError
from mapinspect.model.budget import BudgetTable, CheckRule, Waiver
from mapinspect.model.finding import Finding, Outcome, Severity, Status
from mapinspect.model.image import Evidence
from mapinspect.model.inspection import Inspection
from mapinspect.model.report import Report, Verdict
from mapinspect.readers.budget.acceptance import accept
from mapinspect.readers.budget.reader import read_budget
from mapinspect.reports import json_v1, text
from tests.builders import inspection
from tests.good_firmware import facts, outcomes, verdict

OVER = "[[budget]]\nid = 'arena'\nkind = 'arena'\nlimit = '1K'\n"
WARNED = "[[budget]]\nid = 'arena'\nkind = 'arena'\nlimit = '16K'\nwarn = '1K'\n"


def waiver(check: str = "row-over-budget", match: str = "arena") -> str:
    return (
        f"[[waiver]]\ncheck = '{check}'\nmatch = '{match}'\nreason = 'see 142'\n"
        "expires = 2027-03-31\n"
    )


def report(found: Inspection) -> Report:
    answers = judge(found)
    return Report(".", (), found, answers, (), notes(found.table, answers))


def test_a_waiver_accepts_a_broken_claim_in_plain_sight() -> None:
    assert verdict(facts(OVER)) is Verdict.FAIL
    inspection = facts(OVER + waiver())
    assert verdict(inspection) is Verdict.PASS
    (outcome,) = outcomes(inspection, "row-over-budget")
    assert outcome.status is Status.WAIVED
    shown = report(inspection)
    assert shown.count(Status.WAIVED) == 1
    for rendered in (text.render(shown), json_v1.render(shown)):
        assert "waived until 2027-03-31: arena takes up 12288 of 1024 bytes" in rendered
        assert "see 142" in rendered
    assert '"waived": 1' in json_v1.render(shown)
    assert "1 waived" in text.render(shown).splitlines()[-1]


def test_a_waiver_leaves_information_as_it_is() -> None:
    place = Evidence("app.elf", None, "")
    told = [Finding(level, "x", "what", (place,), "help") for level in Severity]
    waived = Waiver("c", "x", "why", date(2099, 1, 1), place)
    outcome = Outcome(Status.BROKEN, "x", (told[0], told[3]), check="c")
    (settled,) = settle(BudgetTable("", waivers=(waived,)), [outcome])
    assert settled.status is Status.WAIVED
    assert settled.findings[0].message == "waived until 2099-01-01: what"
    assert settled.findings[1] == told[3]


PLACE = Evidence("app.elf", None, "")
ACCEPTED = Waiver("c", "x", "why", date(2099, 1, 1), PLACE)
BROKEN, HOLDS, UNDECIDED, WAIVED = Status.BROKEN, Status.HOLDS, Status.UNDECIDED, Status.WAIVED
ERROR, WARNING, INFORMATION = Severity.ERROR, Severity.WARNING, Severity.INFORMATION


@pytest.mark.parametrize(
    ("asked", "status", "told", "expected"),
    [
        pytest.param("error", HOLDS, [WARNING, INFORMATION], (BROKEN, [ERROR, INFORMATION]),
                     id="error: a warning becomes an error, information stays"),
        pytest.param("error", HOLDS, [INFORMATION], (HOLDS, [INFORMATION]),
                     id="error: information breaks nothing"),
        pytest.param("error", UNDECIDED, [Severity.UNDECIDED], (UNDECIDED, [Severity.UNDECIDED]),
                     id="error: what is undecided stays so"),
        pytest.param("warn", BROKEN, [ERROR, INFORMATION], (WAIVED, [WARNING, INFORMATION]),
                     id="warn: an error becomes a warning, information stays"),
        pytest.param("warn", HOLDS, [WARNING], (HOLDS, [WARNING]),
                     id="warn: what holds is not accepted"),
        pytest.param("warn", UNDECIDED, [Severity.UNDECIDED], (UNDECIDED, [Severity.UNDECIDED]),
                     id="warn: what is undecided is never accepted"),
        pytest.param("waiver", HOLDS, [INFORMATION], (HOLDS, [INFORMATION]),
                     id="waiver: information needs no acceptance"),
        pytest.param("waiver", UNDECIDED, [Severity.UNDECIDED, WARNING],
                     (UNDECIDED, [Severity.UNDECIDED, WARNING]),
                     id="waiver: what is undecided is not accepted for the warning beside it"),
        pytest.param("waiver", HOLDS, [WARNING, INFORMATION], (WAIVED, [INFORMATION, INFORMATION]),
                     id="waiver: a warning is accepted"),
    ],
)  # fmt: skip
def test_what_the_table_asks_changes_only_what_it_is_about(
    asked: str, status: Status, told: list[Severity], expected: tuple[Status, list[Severity]]
) -> None:
    findings = tuple(Finding(level, "x", "what", (PLACE,), "help") for level in told)
    rules = () if asked == "waiver" else (CheckRule("c", asked, PLACE),)
    waivers = (ACCEPTED,) if asked == "waiver" else ()
    table = BudgetTable("", rules=rules, waivers=waivers)
    (settled,) = settle(table, [Outcome(status, "x", findings, check="c")])
    assert (settled.status, [item.severity for item in settled.findings]) == expected


@pytest.mark.parametrize(
    ("check", "subject", "status", "expected"),
    [
        pytest.param("c", "x", WAIVED, HOLDS, id="it accepted that"),
        pytest.param("c", "y", WAIVED, UNDECIDED, id="another subject was accepted"),
        pytest.param("d", "x", WAIVED, UNDECIDED, id="another check was accepted"),
        pytest.param("c", "x", BROKEN, UNDECIDED, id="nothing was accepted"),
    ],
)
def test_a_waiver_matches_what_it_accepted(
    check: str, subject: str, status: Status, expected: Status
) -> None:
    waived = Outcome(status, subject, check=check)
    found = replace(inspection(), table=BudgetTable("", waivers=(ACCEPTED,)))
    (outcome,) = waiver_matches_nothing(found, (waived,))
    assert (outcome.subject, outcome.status) == ("x", expected)
    (outcome,) = waiver_matches_nothing(inspection(), (waived,))
    assert outcome.status is Status.NOT_CLAIMED


@pytest.mark.parametrize("match", ["arena", "a*", "*"])
def test_the_subject_is_a_glob(match: str) -> None:
    assert verdict(facts(OVER + waiver(match=match))) is Verdict.PASS


@pytest.mark.parametrize(
    ("check", "match"),
    [
        pytest.param("row-over-budget", "b*", id="another subject"),
        pytest.param("weights-duplicated", "arena", id="another check"),
        pytest.param("weights-duplicated", "*", id="a claim that holds"),
    ],
)
def test_a_waiver_that_accepts_nothing_is_undecided(check: str, match: str) -> None:
    good = "[[budget]]\nid = 'arena'\nkind = 'arena'\nlimit = '16K'\n"
    inspection = facts(good + waiver(check, match))
    assert verdict(inspection) is Verdict.UNKNOWN
    (outcome,) = outcomes(inspection, "waiver-matches-nothing")
    assert outcome.status is Status.UNDECIDED
    assert outcome.findings[0].message == f"the waiver of {check} for {match} accepts nothing"


@pytest.mark.parametrize(
    ("check", "match"),
    [
        pytest.param("row-over-budget", "b*", id="another subject"),
        pytest.param("row-over-budget", "ARENA", id="another case"),
        pytest.param("row-under-minimum", "arena", id="another check"),
    ],
)
def test_a_waiver_accepts_nothing_else(check: str, match: str) -> None:
    inspection = facts(OVER + waiver(check, match))
    assert [item.status for item in outcomes(inspection, "row-over-budget")] == [Status.BROKEN]
    assert verdict(inspection) is Verdict.FAIL


def test_what_is_undecided_cannot_be_waived() -> None:
    unknown = "[[region]]\nname = 'SRAM1'\n" + waiver("growth-over-limit", "x")
    growing = "[[budget]]\nid = 'x'\nkind = 'arena'\ngrowth = { bytes = 0 }\n"
    inspection = facts(growing + unknown)
    assert verdict(inspection) is Verdict.UNKNOWN
    assert [item.status for item in outcomes(inspection, "growth-over-limit")] == [Status.UNDECIDED]


def test_a_waiver_accepts_a_warning_whether_or_not_warnings_fail() -> None:
    inspection = facts(WARNED + waiver())
    assert verdict(inspection) is Verdict.PASS
    assert verdict(inspection, warnings_fail=True) is Verdict.PASS
    assert verdict(facts(WARNED), warnings_fail=True) is Verdict.FAIL


@pytest.mark.parametrize(
    "accepting",
    [
        pytest.param("[checks]\nregion-over-budget = 'warn'\n", id="as a warning"),
        pytest.param(waiver("region-over-budget", "SRAM1"), id="by a waiver"),
    ],
)
@pytest.mark.parametrize(
    ("limit", "expected"),
    [
        pytest.param("limit = '16K'", Verdict.PASS, id="over a limit of the table"),
        pytest.param("origin = 0x2000_0000\nlength = '16K'", Verdict.FAIL, id="past its end"),
    ],
)
def test_what_does_not_fit_the_memory_cannot_be_accepted(
    limit: str, expected: Verdict, accepting: str
) -> None:
    """A limit is the project's own word; bytes past the end of a memory are nowhere."""
    names = "".join(f"[[region]]\nname = '{name}'\n" for name in ("FLASH", "SRAM2", "SRAM1"))
    rows = f"{names}{limit}\n"
    assert verdict(facts(rows)) is Verdict.FAIL
    inspection = facts(rows + accepting)
    statuses = {item.subject: item.status for item in outcomes(inspection, "region-over-budget")}
    accepted = expected is Verdict.PASS
    assert statuses["SRAM1"] is (Status.WAIVED if accepted else Status.BROKEN)
    assert verdict(inspection) is expected


def test_severities() -> None:
    assert verdict(facts(OVER + "[checks]\nrow-over-budget = 'warn'\n")) is Verdict.PASS
    warned = facts(OVER + "[checks]\nrow-over-budget = 'warn'\n")
    (outcome,) = outcomes(warned, "row-over-budget")
    assert outcome.status is Status.WAIVED
    assert outcome.findings[0].severity is Severity.WARNING
    assert outcome.findings[0].evidence[-1].text == "row-over-budget = 'warn'"
    assert verdict(warned, warnings_fail=True) is Verdict.FAIL
    ignored = facts(OVER + "[checks]\nrow-over-budget = 'ignore'\n")
    assert verdict(ignored) is Verdict.PASS
    (left,) = outcomes(ignored, "row-over-budget")
    assert (left.status, left.findings) == (Status.NOT_CLAIMED, ())
    assert left.reason == "the table ignores row-over-budget"
    assert verdict(facts(WARNED)) is Verdict.PASS
    assert verdict(facts(WARNED + "[checks]\nrow-over-budget = 'error'\n")) is Verdict.FAIL


def test_every_rule_of_the_table_is_in_the_notes() -> None:
    rows = OVER + "[checks]\nrow-over-budget = 'ignore'\nsections-overlap = 'error'\n"
    said = "\n".join(report(facts(rows)).notes)
    assert "row-over-budget is ignored (mapinspect.toml:13)" in said
    assert "sections-overlap fails on warnings too (mapinspect.toml:14)" in said


def test_optional_rows_that_match_nothing_are_counted() -> None:
    row = "[[budget]]\nid = 'log'\nmatch = { symbol = 'log_buffer' }\nlimit = 1\noptional = true\n"
    inspection = facts(row)
    assert verdict(inspection) is Verdict.PASS
    assert report(inspection).notes == (
        "optional and not in the image, 1: row log matches nothing",
    )


LEAST = {check.id: check.least for check in CATALOGUE}
TODAY = date(2027, 3, 31)


@pytest.mark.parametrize(
    ("rows", "line", "words"),
    [
        pytest.param(
            "[checks]\nweights-dupliated = 'warn'\n",
            3,
            "no check is called 'weights-dupliated'; did you mean weights-duplicated?",
            id="a check that does not exist",
        ),
        pytest.param(
            waiver("nothing-of-the-kind"), 4, "see `mapinspect checks`", id="a waiver of no check"
        ),
        pytest.param(
            "[checks]\nmap-elf-disagree = 'ignore'\n",
            3,
            "map-elf-disagree must not be 'ignore'",
            id="what all rests on cannot be ignored",
        ),
        pytest.param(
            "[checks]\nregion-over-budget = 'ignore'\n",
            3,
            "must not be 'ignore'",
            id="nor can the regions",
        ),
        pytest.param(
            waiver("row-matches-nothing"), 4, "cannot be waived", id="a fault of the table"
        ),
        pytest.param(
            waiver().replace("2027-03-31", "2027-03-30"),
            4,
            "the waiver of row-over-budget expired on 2027-03-30",
            id="an expired waiver",
        ),
    ],
)
def test_what_a_table_may_not_ask_for(rows: str, line: int, words: str) -> None:
    table = read_budget("b.toml", ("version = 1\n" + rows).encode())
    with pytest.raises(InputError) as caught:
        accept(table, LEAST, TODAY)
    assert words in str(caught.value)
    assert caught.value.line == line


def test_a_waiver_counts_on_its_last_day() -> None:
    table = read_budget("b.toml", ("version = 1\n" + waiver()).encode())
    assert accept(table, LEAST, TODAY) is table
