"""Estimates, shares, words and measurements of ``[[budget]]`` rows, from facts made by hand.

FLASH of the builders is 64 KiB, RAM 4096 bytes.
"""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from mapinspect.analysis.counting import Counted
from mapinspect.analysis.locate import Surroundings
from mapinspect.analysis.row_numbers import Estimates, row_numbers
from mapinspect.analysis.weighing import Peaks
from mapinspect.model.budget_rows import RowNumbers
from mapinspect.model.image import Evidence, Region, Span
from mapinspect.model.inspection import ArenaFacts
from mapinspect.model.measurement import Build, Measurement, Run, Weighed
from mapinspect.model.part import MemoryBank, Part
from mapinspect.model.reservation import Reservation
from mapinspect.readers.budget.reader import read_budget
from tests.builders import FLASH, RAM, arena, bss, located, model

HERE = Evidence("app.elf", None, "")
NONE = Estimates(None, None, None)
BANK = MemoryBank("SRAM1", "ram", Span(RAM.span.start, 0x400))
PART = Part("X", "Cortex-M4", (BANK,), "a test", HERE)
AROUND = Surroundings((), (FLASH, RAM), {}, None, None, PART)
HEAD = "version = 1\n[project]\nmcu = 'STM32L476RE'\n"


def numbers(rows: str, *, estimates: Estimates = NONE, around: Surroundings = AROUND,
            peaks: Sequence[Weighed] = (), other: int | None = None,
            reserves: Sequence[Reservation] = ()) -> tuple[RowNumbers, ...]:  # fmt: skip
    """The numbers of the rows, each of which counts 64 bytes, or ``other`` by the other account."""
    table = read_budget("b.toml", (HEAD + rows).encode())
    own = {row.id: Counted((Span(RAM.span.start, 64),)) for row in table.budgets}
    others = None
    if other is not None:
        others = {row.id: Counted((Span(RAM.span.start, other),)) for row in table.budgets}
    return row_numbers(
        table, around, own, estimates, reserves, peaks=Peaks(tuple(peaks), ()), otherwise=others
    )


def row(claims: str, id: str = "x") -> str:  # noqa: A002 - the word
    limit = "" if "limit" in claims or "min" in claims else "limit = '100%'\n"
    return f"[[budget]]\nid = '{id}'\n{claims}\n{limit}"


def needs(*sizes: int | None) -> list[ArenaFacts]:
    return [arena(needed=size) for size in sizes]


@pytest.mark.parametrize(
    ("arenas", "needed"),
    [
        pytest.param(needs(), None, id="no arena"),
        pytest.param(needs(1000), 1000, id="one"),
        pytest.param(needs(1000, 500), 1500, id="two"),
        pytest.param(needs(1000, None), None, id="one of two is not known"),
        pytest.param(needs(None), None, id="not known"),
    ],
)
def test_an_estimate_is_of_all_arenas_or_of_none(
    arenas: list[ArenaFacts], needed: int | None
) -> None:
    assert Estimates.of([], arenas).arena == needed


def test_estimates_are_sums_of_the_models() -> None:
    assert Estimates.of([], []) == NONE
    assert Estimates.of([model(size=64), model(size=100)], []).weights == 164
    in_ram = arena(located("a", bss(64)))
    nowhere = arena(replace(located("b", bss(64)), region="CCM"))
    assert Estimates.of([], [in_ram, in_ram, arena()]).arena_region == "RAM"
    assert Estimates.of([], [in_ram, nowhere]).arena_region is None
    assert Estimates.of([], [arena()]).arena_region is None


@pytest.mark.parametrize(
    ("kind", "estimated"), [("weights", 164), ("arena", 1500), ("heap", None), ("static", None)]
)
def test_only_weights_and_arenas_are_estimated(kind: str, estimated: int | None) -> None:
    (line,) = numbers(row(f"kind = '{kind}'"), estimates=Estimates(164, 1500, None))
    assert line.estimated == estimated


@pytest.mark.parametrize(
    ("claims", "counts"),
    [
        pytest.param("kind = 'arena'", "arena", id="a kind"),
        pytest.param("kind = 'arena'\nregion = 'RAM'", "arena, in region RAM", id="in a region"),
        pytest.param(
            "kind = 'arena'\nregion = 'RAM'\nbank = 'SRAM1'",
            "arena, in region RAM, in bank SRAM1",
            id="in a region and a bank",
        ),
        pytest.param(
            "match = { symbol = 'g_*', archive = 'a.a' }", "symbol g_*, archive a.a", id="a match"
        ),
        pytest.param(
            "match = { section = '.data' }\nregion = 'RAM'",
            "section .data, in region RAM",
            id="a match in a region",
        ),
        pytest.param("kind = 'rest'", "rest, but heap, but stack", id="the rest"),
    ],
)
def test_what_a_row_counts_is_spelt_out(claims: str, counts: str) -> None:
    others = row("kind = 'stack'", "s") + row("kind = 'heap'", "h")
    assert numbers(row(claims) + others)[0].counts == counts


def test_the_rest_is_not_spelt_out_by_another_rest() -> None:
    rows = row("kind = 'rest'\nregion = 'RAM'") + row("kind = 'rest'\nregion = 'FLASH'", "y")
    assert [line.counts for line in numbers(rows)] == [
        "rest, in region RAM",
        "rest, in region FLASH",
    ]


NOWHERE = Surroundings((), (), {}, None, None)


@pytest.mark.parametrize(
    ("claims", "around", "expected"),
    [
        # floor(4096 x 0.333) = 1363, ceil(4096 x 0.333) = 1364
        pytest.param(
            "limit = '33.3%'\nwarn = '10%'\nmin = '33.3%'", AROUND, (1363, 409, 1364), id="shares"
        ),
        pytest.param("limit = 99\nwarn = 9\nmin = 5", AROUND, (99, 9, 5), id="bytes"),
        pytest.param("limit = 99\nwarn = 9\nmin = 5", NOWHERE, (99, 9, 5), id="bytes of nothing"),
        pytest.param("limit = '9%'\nwarn = '9%'\nmin = '9%'", NOWHERE, (None,) * 3, id="unknown"),
    ],
)
def test_limits_are_shares_of_the_memory(
    claims: str, around: Surroundings, expected: tuple[int | None, ...]
) -> None:
    (line,) = numbers(row(f"kind = 'static'\nregion = 'RAM'\n{claims}"), around=around)
    assert (line.limit, line.warn, line.minimum) == expected


def test_a_minimum_may_be_the_estimate() -> None:
    claims = row("kind = 'arena'\nmin = 'estimate'")
    assert numbers(claims, estimates=Estimates(1, 1500, None))[0].minimum == 1500
    assert numbers(claims)[0].minimum is None


@pytest.mark.parametrize(("other", "told"), [(None, None), (64, None), (65, 65), (63, 63)])
def test_the_other_account_is_told_where_it_differs(other: int | None, told: int | None) -> None:
    (line,) = numbers(row("kind = 'static'"), other=other)
    assert (line.linked, line.otherwise) == (64, told)


def peak(start: int, used: int, size: int = 64) -> Weighed:
    item = Measurement("stack.peak", "stack", f"s{start}", used, Run(), HERE)
    return Weighed(item, Build.SAME, f"s{start}", size, span=Span(start, size))


@pytest.mark.parametrize(
    ("where", "measured"),
    [
        pytest.param("", 30, id="anywhere"),
        pytest.param("region = 'RAM'", 10, id="in RAM"),
        pytest.param("region = 'FLASH'", 20, id="in the other region"),
        pytest.param("bank = 'SRAM1'", 10, id="in a bank"),
        pytest.param("region = 'CCM'", None, id="where nothing is"),
    ],
)
def test_a_row_measures_what_lies_in_its_memory(where: str, measured: int | None) -> None:
    peaks = (peak(RAM.span.start, 10), peak(FLASH.span.end - 1, 20, size=1))
    (line,) = numbers(row(f"kind = 'stack'\n{where}"), peaks=peaks)
    assert line.measured == measured
    assert sum(item.item.bytes for item in line.peaks) == (measured or 0)


INNER = Region("RAM_DMA", Span(RAM.span.start, 0x100), "xrw", HERE)


def test_what_lies_in_one_of_two_nested_regions_is_measured() -> None:
    around = replace(AROUND, regions=(RAM, INNER))
    for name in ("RAM", "RAM_DMA"):
        claims = row(f"kind = 'stack'\nregion = '{name}'")
        (line,) = numbers(claims, around=around, peaks=[peak(RAM.span.start, 10)])
        assert line.measured == 10


@pytest.mark.parametrize(
    ("where", "available"),
    [
        pytest.param("", 0x300, id="anywhere"),
        pytest.param("region = 'RAM'", 0x100, id="as far as it lies in the region"),
        pytest.param("region = 'RAM*'", 0x100, id="bytes of two regions count once"),
        pytest.param("bank = 'SRAM1'", 64, id="in a bank that has none: what is linked"),
        pytest.param("region = 'FLASH'", 64, id="elsewhere: what is linked"),
    ],
)
def test_a_heap_that_leaves_its_region_counts_there_by_what_lies_in_it(
    where: str, available: int
) -> None:
    """It begins 0x100 bytes before the end of RAM and has 0x300."""
    last = Region("RAM_LAST", Span(RAM.span.end - 0x100, 0x100), "xrw", HERE)
    around = replace(AROUND, regions=(FLASH, RAM, last))
    place = Span(RAM.span.end - 0x100, 0x300)
    heap = Reservation("heap", "C library", 0x300, "CMSIS", False, place, HERE)
    stack = replace(heap, kind="stack", bytes=0x900, span=Span(RAM.span.start, 0x900))
    (line,) = numbers(row(f"kind = 'heap'\n{where}"), around=around, reserves=[stack, heap])
    assert line.available == available
    (other,) = numbers(row(f"kind = 'stack'\n{where}"), around=around, reserves=[stack, heap])
    assert other.available == 64
