"""A main stack that nothing is reserved for: no proof, and never in silence."""

from dataclasses import replace

import pytest

from mapinspect.model.finding import Severity
from mapinspect.model.habits import Margins
from mapinspect.model.image import Evidence
from mapinspect.model.inspection import Inspection
from mapinspect.model.report import Verdict
from mapinspect.model.reservation import Reservation
from mapinspect.readers.budget.reader import read_budget
from tests.builders import bss, inspection, text
from tests.good_firmware import outcomes, verdict

SEEN = Evidence("app.elf", None, "_stack_start")
ROW = "[[budget]]\nid = 'x'\n"
ROOM = 224  # bytes below the stack's top, as in the built case no-room-for-stack


def with_rows(rows: str) -> Inspection:
    table = read_budget("b.toml", f"version = 1\n{rows}".encode())
    return replace(inspection(text(), bss(64), budget=table), margins=Margins(room=ROOM))


def test_nobody_says_what_it_needs_so_what_is_left_is_a_warning() -> None:
    found = with_rows("")
    (outcome,) = outcomes(found, "stack-collision")
    (finding,) = outcome.findings
    assert finding.severity is Severity.WARNING
    assert finding.message == (
        "nothing is reserved for the stack, and no row says what it needs: 224 bytes are left"
    )
    assert verdict(found) is Verdict.PASS
    assert verdict(found, warnings_fail=True) is Verdict.FAIL


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        pytest.param("kind = 'stack'\nmin = 224", [], id="what it needs is stated"),
        pytest.param("kind = 'stack'\nlimit = 224", [Severity.WARNING], id="only a limit is"),
        pytest.param("kind = 'heap'\nmin = 1", [Severity.WARNING], id="only of the heap"),
    ],
)
def test_only_the_minimum_of_a_stack_answers_for_it(row: str, expected: list[Severity]) -> None:
    found = with_rows(f"[[budget]]\nid = 'x'\n{row}\n")
    told = [item for outcome in outcomes(found, "stack-collision") for item in outcome.findings]
    assert [item.severity for item in told] == expected


@pytest.mark.parametrize(("row", "expected"), [("", 1), ("kind = 'stack'\nmin = 64", 0)])
def test_a_stack_that_takes_the_rest_of_ram_is_no_reserve_either(row: str, expected: int) -> None:
    """As cortex-m-rt has it: whatever the variables leave."""
    rest = Reservation("stack", "main", 224, "cortex-m-rt", True, None, SEEN)
    table = read_budget("b.toml", f"version = 1\n{ROW + row if row else ''}\n".encode())
    found = replace(inspection(text(), bss(64), budget=table), reservations=(rest,))
    told = [item for outcome in outcomes(found, "stack-collision") for item in outcome.findings]
    assert [item.severity for item in told] == [Severity.WARNING] * expected
