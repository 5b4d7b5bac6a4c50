"""Rows about objects that link-time optimisation read: what they count is a lower bound.

In fixtures/built/lto every source but startup.o and syscalls.o was compiled with -flto, also those
of libdsp.a; the map names one object, ltrans0.ltrans.o, for all their 91,738 bytes. libc was not.
"""

from pathlib import Path

import pytest

from mapinspect.analysis.inspect import Records, inspect
from mapinspect.checks.judge import judge
from mapinspect.model.finding import Outcome, Status
from mapinspect.readers.budget.reader import read_budget
from mapinspect.readers.elf import read_elf
from mapinspect.readers.gnu_map import read_map

LTO = Path(__file__).parents[2] / "fixtures" / "built" / "lto"


def judged(rows: str, check: str) -> list[Outcome]:
    table = read_budget("mapinspect.toml", f"version = 1\n{rows}\n".encode())
    elf = read_elf("app.elf", (LTO / "app.elf").read_bytes())
    link_map = read_map("app.map", (LTO / "app.map").read_bytes())
    inspection = inspect(Records(table, elf, link_map))
    return [outcome for outcome in judge(inspection) if outcome.check == check]


@pytest.mark.parametrize(
    ("match", "limit", "expected"),
    [
        pytest.param("archive = 'libdsp.a'", "'1K'", Status.UNDECIDED, id="an archive"),
        pytest.param("object = 'engine.o'", "'1K'", Status.UNDECIDED, id="an object"),
        pytest.param("object = '*.o'", 1, Status.BROKEN, id="over the limit even so"),
        pytest.param("archive = 'libdsp.a'", "'128K'", Status.HOLDS, id="all bytes fit"),
        pytest.param("archive = '*/libc_nano.a'", "'8K'", Status.HOLDS, id="compiled without"),
        pytest.param("object = '*ltrans*'", "'128K'", Status.HOLDS, id="the mixed object itself"),
    ],
)
def test_a_limit_is_judged_by_what_the_row_may_hold(
    match: str, limit: str, expected: Status
) -> None:
    row = f"[[budget]]\nid = 'x'\nmatch = {{ {match} }}\nlimit = {limit}"
    (outcome,) = judged(row, "row-over-budget")
    assert outcome.status is expected


@pytest.mark.parametrize("kind", ["budget", "placement"])
def test_an_optional_row_is_not_absent(kind: str) -> None:
    claim = "limit = '1K'" if kind == "budget" else "region = 'SRAM2'"
    row = f"[[{kind}]]\nid = 'x'\nmatch = {{ archive = 'libdsp.a' }}\noptional = true\n{claim}"
    (outcome,) = judged(row, "row-matches-nothing")
    assert outcome.status is Status.UNDECIDED
    assert "link-time optimisation mixed it" in outcome.reason


def test_what_is_not_in_the_link_is_absent() -> None:
    row = "[[budget]]\nid = 'x'\nmatch = { archive = 'libnone.a' }\noptional = true\nlimit = 1"
    (outcome,) = judged(row, "row-matches-nothing")
    assert outcome.status is Status.NOT_CLAIMED
