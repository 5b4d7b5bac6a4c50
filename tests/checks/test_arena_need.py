"""What an arena must hold: ranges, requirements of the table, constants of the program, slack."""

from dataclasses import replace

import pytest

from mapinspect.checks.arena_oversized import arena_oversized
from mapinspect.checks.arena_too_small import arena_too_small
from mapinspect.model.budget import Amount
from mapinspect.model.finding import Status
from mapinspect.model.image import Evidence, Span
from mapinspect.model.inspection import ArenaFacts
from mapinspect.model.measurement import Build, Measurement, Run, Weighed
from mapinspect.readers.budget.reader import read_budget
from tests.builders import arena, bss, inspection, located

HOME = bss(0xF000)
LINE = Evidence("mapinspect.toml", 7, "kws needs … bytes of arena, by a measurement")


def of_size(size: int, **changes: object) -> ArenaFacts:
    """An arena of this size whose models need 1000 bytes, unless told otherwise."""
    return replace(arena(located("tensor_arena", HOME, size=size)), **changes)


def answer(facts: ArenaFacts) -> Status:
    [outcome] = arena_too_small(replace(inspection(HOME), arenas=(facts,)))
    return outcome.status


@pytest.mark.parametrize(
    ("size", "status"),
    [
        pytest.param(999, Status.BROKEN, id="below the smallest need"),
        pytest.param(1000, Status.UNDECIDED, id="the smallest need"),
        pytest.param(1199, Status.UNDECIDED, id="a byte below what suffices"),
        pytest.param(1200, Status.HOLDS, id="what suffices in every case"),
    ],
)
def test_a_need_that_is_a_range_decides_outside_of_it(size: int, status: Status) -> None:
    assert answer(of_size(size, exact=False, enough=1200)) is status


@pytest.mark.parametrize(
    ("size", "declared", "status"),
    [
        pytest.param(2000, 2000, Status.HOLDS, id="as large as declared"),
        pytest.param(1999, 2000, Status.BROKEN, id="a byte smaller than declared"),
        pytest.param(999, 1000, Status.BROKEN, id="smaller than computed"),
        pytest.param(2000, 999, Status.UNDECIDED, id="declared less than computed"),
    ],
)
def test_a_declared_requirement_decides_a_lower_bound(
    size: int, declared: int, status: Status
) -> None:
    assert answer(of_size(size, exact=False, required=(declared, LINE))) is status


@pytest.mark.parametrize(
    ("constant", "exact", "status"),
    [
        pytest.param(999, True, Status.BROKEN, id="too small"),
        pytest.param(1000, True, Status.UNDECIDED, id="enough only at the right address"),
        pytest.param(1029, True, Status.UNDECIDED, id="enough at all but one address"),
        pytest.param(1030, True, Status.HOLDS, id="enough at every address"),
        pytest.param(1030, False, Status.UNDECIDED, id="not below a lower bound"),
    ],
)
def test_an_arena_on_the_heap_is_judged_by_its_constant(
    constant: int, status: Status, *, exact: bool
) -> None:
    place = Evidence("app.elf", None, f"kTensorArenaSize is {constant}")
    facts = of_size(4, exact=exact, size_constant=(constant, place))
    assert answer(facts) is status


def test_a_symbol_larger_than_its_section_is_no_proof_of_room() -> None:
    few = bss(900)
    facts = replace(arena(located("tensor_arena", few, size=2000)))
    [outcome] = arena_too_small(replace(inspection(few), arenas=(facts,)))
    assert outcome.status is Status.BROKEN


@pytest.mark.parametrize(
    ("size", "slack", "warns"),
    [
        pytest.param(2024, None, False, id="1 KiB more"),
        pytest.param(2025, None, True, id="a byte above 1 KiB"),
        pytest.param(1200, Amount(None, 0.2, "20%"), False, id="a fifth, allowed"),
        pytest.param(1201, Amount(None, 0.2, "20%"), True, id="above the fifth allowed"),
        pytest.param(9000, Amount(8000, None, "8000"), False, id="bytes allowed"),
    ],
)
def test_slack_is_a_warning(size: int, slack: Amount | None, *, warns: bool) -> None:
    [outcome] = arena_oversized(replace(inspection(HOME), arenas=(of_size(size, slack=slack),)))
    assert outcome.status is Status.HOLDS
    assert bool(outcome.findings) is warns


def test_a_tenth_of_a_large_arena_is_no_slack() -> None:
    large = of_size(22_000, needed=20_000)
    assert not next(arena_oversized(replace(inspection(HOME), arenas=(large,)))).findings
    larger = of_size(22_001, needed=20_000)
    assert next(arena_oversized(replace(inspection(HOME), arenas=(larger,)))).findings


@pytest.mark.parametrize(
    ("facts", "more"),
    [
        pytest.param(of_size(4000, required=(2900, LINE)), 1100, id="more than declared"),
        pytest.param(of_size(4000, required=(900, LINE)), 3000, id="declared less than computed"),
        pytest.param(of_size(4000, exact=False, enough=1400), 2600, id="the range's upper end"),
        pytest.param(
            replace(arena(located("tensor_arena", HOME, 4, 4000))), 2988, id="12 bytes are lost"
        ),
        pytest.param(of_size(4000, required=(2976, LINE)), None, id="1 KiB above what is declared"),
        pytest.param(
            replace(arena(located("tensor_arena", HOME, 4, 2036))), None, id="lost bytes are none"
        ),
    ],
)
def test_what_an_arena_has_too_much(facts: ArenaFacts, more: int | None) -> None:
    [outcome] = arena_oversized(replace(inspection(HOME), arenas=(facts,)))
    said = [finding.message.split(" than")[0] for finding in outcome.findings]
    assert said == ([] if more is None else [f"tensor_arena has {more} bytes more"])


@pytest.mark.parametrize(
    "facts",
    [
        pytest.param(of_size(9000, exact=False), id="only a lower bound"),
        pytest.param(of_size(9000, needed=None), id="an unknown need"),
        pytest.param(of_size(0), id="a symbol without size"),
        pytest.param(of_size(4), id="a pointer"),
        pytest.param(arena(), id="an arena that was not found"),
    ],
)
def test_what_is_not_known_has_nothing_too_much(facts: ArenaFacts) -> None:
    large = of_size(9000)
    outcomes = list(arena_oversized(replace(inspection(HOME), arenas=(facts, large))))
    assert [item.status for item in outcomes] == [Status.NOT_CLAIMED, Status.HOLDS]
    assert len(outcomes[1].findings) == 1


def test_no_model_is_no_claim() -> None:
    for check in (arena_too_small, arena_oversized):
        assert [item.status for item in check(inspection(HOME))] == [Status.NOT_CLAIMED]


def test_an_unknown_need_is_undecided() -> None:
    assert answer(of_size(9000, needed=None)) is Status.UNDECIDED
    constant = Evidence("app.elf", None, "kTensorArenaSize is 9000")
    assert answer(of_size(9000, needed=None, size_constant=(9000, constant))) is Status.UNDECIDED


def message(facts: ArenaFacts) -> str:
    [outcome] = arena_too_small(replace(inspection(HOME), arenas=(facts,)))
    return outcome.findings[0].message


def test_what_is_too_few_is_said_with_what_is_lost_and_what_is_only_a_bound() -> None:
    """1000 bytes are needed; at offset 4 the 12 up to the next multiple of 16 are lost."""
    assert message(of_size(900)) == (
        "tensor_arena has 900 usable bytes and needs 1000, 100 too few"
    )
    lossy = arena(located("tensor_arena", HOME, 4, 900), exact=False)
    assert message(lossy) == (
        "tensor_arena has 888 usable bytes (12 lost to alignment) and needs at least 1000, "
        "112 too few"
    )
    tiny = arena(located("tensor_arena", HOME, 4, 10))
    assert "has 0 usable bytes" in message(tiny)


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        pytest.param(of_size(2000, exact=False), "needs at least 1000 bytes: ", id="no upper end"),
        pytest.param(
            of_size(1100, exact=False, enough=1200), "and needs 1000 to 1200: ", id="a range"
        ),
        pytest.param(
            of_size(2000, required=(999, LINE)), "needs 1000 bytes, the table", id="too little"
        ),
        pytest.param(
            of_size(2000, exact=False, required=(999, LINE)),
            "needs at least 1000 bytes, the table",
            id="less than a bound",
        ),
    ],
)
def test_what_is_known_of_the_need_is_said(facts: ArenaFacts, words: str) -> None:
    assert words in message(facts)


def test_a_name_that_is_nearly_it_is_asked_about() -> None:
    for near, words in (((), "name it: "), (("my_arena",), "did you mean my_arena?")):
        lost = replace(arena(), near=near)
        [outcome] = arena_too_small(replace(inspection(HOME), arenas=(lost,)))
        assert outcome.findings[0].message.startswith("no symbol matches tensor_arena")
        assert outcome.findings[0].help.startswith(words)


def test_a_declared_size_equal_to_the_computed_need_is_no_contradiction() -> None:
    assert answer(of_size(1000, required=(1000, LINE))) is Status.HOLDS


def test_an_arena_on_the_heap_must_have_what_is_declared_at_any_address() -> None:
    """Up to 15 bytes are lost in front of it and 15 behind it: 30 more than declared suffice."""
    place = Evidence("app.elf", None, "kTensorArenaSize")
    for size, expected in ((1229, Status.UNDECIDED), (1230, Status.HOLDS)):
        facts = of_size(4, exact=False, required=(1200, LINE), size_constant=(size, place))
        assert answer(facts) is expected
    reasons = replace(of_size(2000, exact=False), reasons=("a", "b"))
    assert message(reasons) == "tensor_arena needs at least 1000 bytes: a; b"
    unnamed = replace(arena(), size_constant=(999, place))
    assert message(unnamed) == "tensor_arena on the heap is 999 bytes, 1 too few"


def peak(used: int, kind: str = "arena", span: Span | None = None) -> Weighed:
    item = Measurement("arena.used", kind, "tensor_arena", used, Run(), LINE)
    own = located("tensor_arena", HOME, size=2000).span
    return Weighed(item, Build.SAME, "tensor_arena", 2000, span=span or own)


@pytest.mark.parametrize(
    ("peaks", "expected"),
    [
        pytest.param([peak(1000)], Status.HOLDS, id="a peak as high as the bound"),
        pytest.param([peak(999)], Status.UNDECIDED, id="a peak below the bound"),
        pytest.param([peak(1000), peak(10)], Status.HOLDS, id="the highest of several counts"),
        pytest.param([peak(1500, "stack")], Status.UNDECIDED, id="a stack's"),
        pytest.param([peak(1500, span=Span(0x2000_0100, 64))], Status.UNDECIDED, id="another's"),
    ],
)
def test_a_peak_of_this_arena_decides(peaks: list[Weighed], expected: Status) -> None:
    facts = replace(inspection(HOME), arenas=(of_size(2000, exact=False),), measured=tuple(peaks))
    [outcome] = arena_too_small(facts)
    assert outcome.status is expected


def test_a_peak_does_not_replace_what_the_table_declares() -> None:
    facts = of_size(2000, exact=False, required=(3000, LINE))
    [outcome] = arena_too_small(replace(inspection(HOME), arenas=(facts,), measured=(peak(1500),)))
    assert outcome.status is Status.BROKEN


def test_the_table_declares_requirement_and_slack() -> None:
    text = """version = 1
[inputs]
models = [{ name = "kws", file = "k.tflite", arena-bytes = "40K", arena-reason = "log 12", slack = "20%" }]
"""  # noqa: E501 - an inline table is one line
    [entry] = read_budget("mapinspect.toml", text.encode()).inputs.models
    assert (entry.arena_bytes, entry.arena_reason) == (40 * 1024, "log 12")
    assert entry.slack is not None
    assert entry.slack.at_most(1000) == 200
