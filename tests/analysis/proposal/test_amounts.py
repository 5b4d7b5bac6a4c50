"""Limits people read, and globs that select one thing, whatever it is called."""

from fnmatch import fnmatchcase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mapinspect.analysis.proposal.amounts import glob_of, identifier, limit_above, size_text
from mapinspect.readers.budget.values import size


@given(used=st.integers(0, 2**40), whole=st.integers(0, 2**40))
def test_a_limit_leaves_room_and_stays_within_its_memory(used: int, whole: int) -> None:
    limit = limit_above(used, whole)
    assert limit <= whole
    if limit < whole:
        assert limit * 10 >= used * 11
    assert limit_above(used, 2**64) <= used * 1.1 + 4096


@pytest.mark.parametrize(
    ("used", "expected"),
    [
        pytest.param(59_656, 65 * 1024, id="in steps of 1K: 65,621.6 is 64.1K"),
        pytest.param(0, 0, id="nothing"),
        pytest.param(100, 128, id="small ones in steps of 64: 110"),
        pytest.param(400_000, 432 * 1024, id="large ones in steps of 4K: 429.7K"),
    ],
)
def test_limits_are_round(used: int, expected: int) -> None:
    assert limit_above(used, 2**32) == expected


@given(st.integers(0, 2**40))
def test_a_written_size_is_read_back(number: int) -> None:
    assert size(size_text(number)) == number


@given(st.text())
def test_a_glob_matches_the_name_it_is_made_of(name: str) -> None:
    assert fnmatchcase(name, glob_of(name))
    assert glob_of(name).isprintable()


@given(st.text(alphabet="ab*?[]", max_size=6), st.text(alphabet="ab*?[]", max_size=6))
def test_a_glob_matches_no_other_plain_name(name: str, other: str) -> None:
    assert fnmatchcase(other, glob_of(name)) == (name == other)


@pytest.mark.parametrize(
    ("name", "expected"),
    [("g_kws_model", "g-kws-model"), ("_ZN1a1bE", "zn1a1be"), ("\x1b[2J", "2j"), ("ü", "row")],
)
def test_identifiers(name: str, expected: str) -> None:
    assert identifier(name) == expected
