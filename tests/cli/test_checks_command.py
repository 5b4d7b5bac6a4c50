"""`mapinspect checks` and `mapinspect explain`: every check in words."""

import json
import re

import pytest

from mapinspect.checks import CATALOGUE
from mapinspect.checks.check import Check, Review
from mapinspect.checks.explain import explain
from mapinspect.cli.run import run

EVERY_CHECK = pytest.mark.parametrize("check", CATALOGUE, ids=[check.id for check in CATALOGUE])


def test_every_check_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["checks"]) == 0
    out = capsys.readouterr().out
    for check in CATALOGUE:
        assert re.search(rf"^{check.id} .*{re.escape(check.claim)}$", out, re.MULTILINE)
    assert run(["checks", "--format", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["id"] for row in rows] == [check.id for check in CATALOGUE]
    assert {row["severity"] for row in rows} == {"error", "undecided", "warning"}


@EVERY_CHECK
def test_every_check_is_explained(
    check: Check | Review, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["explain", check.id]) == 0
    out = capsys.readouterr().out
    assert out == explain(check)
    assert out.startswith(f"{check.id}: ")
    assert f"Claim: {check.claim}." in out
    assert re.search(rf"^    (error|undecided|warning)\[{check.id}\]: ", out, re.MULTILINE)
    assert "Mend it" in out
    assert f'check = "{check.id}"' in out or "cannot be waived" in out
    assert max(len(line) for line in out.splitlines()) <= 100


def test_an_unknown_check_is_refused_with_the_nearest(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["explain", "arena-to-small"]) == 2
    assert "did you mean arena-too-small?" in capsys.readouterr().err


def test_a_check_that_only_ever_leaves_open_offers_no_waiver(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """What is undecided cannot be waived (checks/settle.py), so no waiver may be recommended."""
    assert run(["explain", "measurement-stale"]) == 0
    out = capsys.readouterr().out
    assert "[[waiver]]" not in out
    assert out.endswith('    [checks]\n    measurement-stale = "ignore"\n')
