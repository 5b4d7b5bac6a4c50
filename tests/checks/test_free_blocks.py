"""What must lie in one piece and has no place yet, against what is free."""

from dataclasses import replace

import pytest

from mapinspect.checks.free_block_too_small import free_block_too_small
from mapinspect.model.finding import Status
from mapinspect.model.habits import Margins, StackStart
from mapinspect.model.image import Evidence, Span
from mapinspect.model.inspection import Inspection
from mapinspect.model.reservation import Reservation
from mapinspect.readers.budget.reader import read_budget
from tests.builders import RAM, arena, bss, inspection, located, text

HERE = Evidence("app.elf", None, "")
FREE = Span(RAM.span.start + 0x100, 0x800)
HOLDS, BROKEN = Status.HOLDS, Status.BROKEN


def reserve(
    kind: str, size: int, place: Span | None = None, *, elastic: bool = False, **more: object
) -> Reservation:
    return replace(Reservation(kind, kind, size, "test", elastic, place, HERE), **more)


def with_reserves(*items: Reservation, room: int | None = None) -> Inspection:
    found = replace(inspection(text(), bss(0x100)), reservations=items)
    return replace(found, margins=Margins(room=room, largest_free=FREE))


def said(found: Inspection) -> list[tuple[str, Status]]:
    return [(item.subject, item.status) for item in free_block_too_small(found)]


@pytest.mark.parametrize(
    ("kind", "size", "room", "status"),
    [
        pytest.param("heap", 0x800, None, HOLDS, id="a heap as large as the largest run"),
        pytest.param("heap", 0x801, None, BROKEN, id="a heap one byte larger"),
        pytest.param("heap", 0x800, 0x200, HOLDS, id="a heap does not need the stack's room"),
        pytest.param("stack", 0x800, None, HOLDS, id="a stack whose start is not known"),
        pytest.param("stack", 0x200, 0x200, HOLDS, id="a stack as large as its room"),
        pytest.param("stack", 0x201, 0x200, BROKEN, id="a stack larger than its room"),
        pytest.param("stack", 0x900, 0x900, HOLDS, id="a stack whose room is the larger one"),
    ],
)
def test_a_size_without_a_place_needs_a_block(
    kind: str, size: int, room: int | None, status: Status
) -> None:
    assert said(with_reserves(reserve(kind, size), room=room)) == [(kind, status)]


def test_every_size_without_a_place_is_judged_and_no_other() -> None:
    placed = reserve("stack", 0x900, Span(RAM.span.start, 0x900))
    rest = reserve("heap", 0x900, elastic=True)
    found = with_reserves(placed, rest, reserve("stack", 16), reserve("heap", 0x801))
    assert said(found) == [("stack", HOLDS), ("heap", BROKEN)]
    assert said(with_reserves(placed, rest)) == [("free RAM", Status.NOT_CLAIMED)]


def test_without_ram_nothing_can_be_compared() -> None:
    found = replace(with_reserves(reserve("heap", 0x801)), margins=Margins())
    assert said(found) == [("free RAM", Status.NOT_CLAIMED)]


def wanting(
    needed: int, *items: Reservation, start: int | None = None, room: int | None = None
) -> Inspection:
    """An arena behind a pointer, that needs so many bytes."""
    pointer = arena(located("tensor_arena", bss(64), size=4), needed=needed)
    begins = StackStart(start, ("RAM",), None, HERE, is_loaded=True) if start else None
    found = replace(with_reserves(*items), arenas=(pointer,))
    return replace(found, margins=Margins(room=room, start=begins, largest_free=FREE))


def most(found: Inspection) -> int:
    """The largest need that holds, by halving: what the check takes for the largest block."""
    low, high = 0, 0x4000
    while low < high:
        middle = (low + high + 1) // 2
        changed = replace(found, arenas=(replace(found.arenas[0], needed=middle),))
        fits = ("tensor_arena", HOLDS) in said(changed)
        low, high = (middle, high) if fits else (low, middle - 1)
    return low


PLACE = Span(RAM.span.start + 0x200, 0x300)


@pytest.mark.parametrize(
    ("items", "block"),
    [
        pytest.param([], 0x800, id="no heap: the largest free run"),
        pytest.param([reserve("stack", 0x900, PLACE)], 0x800, id="a stack is no heap"),
        pytest.param([reserve("heap", 0x300, PLACE)], 0x300, id="a heap, though more is free"),
        pytest.param(
            [reserve("heap", 0x300, PLACE, grows_to=0x500)], 0x500, id="a heap that may grow"
        ),
        pytest.param([reserve("heap", 0x300, PLACE, elastic=True)], 0x300, id="one of the rest"),
        pytest.param(
            [reserve("heap", 0x300, PLACE), reserve("heap", 0x400, PLACE)], 0x400, id="the largest"
        ),
        pytest.param([reserve("heap", 0x800)], 0x800, id="one without a place that fits"),
        pytest.param([reserve("heap", 0x801)], 0x800, id="one that fits nowhere is none"),
        pytest.param(
            [reserve("heap", 0x801, Span(RAM.span.start, 0x801))], 0x801, id="one that has a place"
        ),
    ],
)
def test_what_is_allocated_comes_from_the_largest_heap_or_free_run(
    items: list[Reservation], block: int
) -> None:
    assert most(wanting(1, *items)) == block


STACK_ROW = "version = 1\n[[budget]]\nid = 'main'\nkind = 'stack'\nmin = 0x180\n"
TOP = FREE.end  # the stack starts where the free run ends, and all of the run is its room


@pytest.mark.parametrize(
    ("items", "rows", "block"),
    [
        pytest.param([], STACK_ROW, 0x680, id="without what a row demands for the stack"),
        pytest.param([], "version = 1\n", 0x800, id="nothing is demanded for the stack"),
        pytest.param(
            [reserve("heap", 0x800, FREE, elastic=True)], STACK_ROW, 0x680, id="nor is the rest"
        ),
        pytest.param(
            [reserve("heap", 0x700, Span(FREE.start, 0x700), grows_to=0x800)],
            STACK_ROW,
            0x700,
            id="what a heap keeps it has all the same",
        ),
        pytest.param(
            [reserve("heap", 0x600, Span(FREE.start, 0x600), grows_to=0x800)],
            STACK_ROW,
            0x680,
            id="what it may grow to is the stack's too",
        ),
        pytest.param(
            [reserve("heap", 0x700, Span(FREE.start, 0x700))], STACK_ROW, 0x700, id="a fixed heap"
        ),
        pytest.param(
            [],
            STACK_ROW + STACK_ROW.split("\n", 1)[1].replace("main", "x").replace("1", "0"),
            0x680,
            id="the larger of two demands",
        ),
        pytest.param(
            [],
            STACK_ROW + "[[budget]]\nid = 'x'\nkind = 'static'\nmin = 0x400\n",
            0x680,
            id="what a row of another kind demands is no stack's",
        ),
        pytest.param(
            [],
            STACK_ROW + "[[budget]]\nid = 'x'\nkind = 'stack'\nlimit = 0x400\n",
            0x680,
            id="a limit demands nothing",
        ),
        pytest.param(
            [reserve("heap", 0x80, Span(RAM.span.start, 0x80), elastic=True)],
            STACK_ROW,
            0x80,
            id="a heap elsewhere",
        ),
    ],
)
def test_what_a_row_demands_for_the_stack_is_not_free(
    items: list[Reservation], rows: str, block: int
) -> None:
    """0x800 bytes are free below the stack's start, of which the row wants 0x180 kept."""
    table = read_budget("b.toml", rows.encode())
    base = inspection(text(), bss(0x100), budget=table)
    found = wanting(1, *items, start=TOP, room=FREE.size)
    assert most(replace(found, table=table, rows=base.rows)) == block


def test_heaps_of_the_memory_that_a_row_names_count_alone() -> None:
    head = "version = 1\n[project]\nmcu = 'STM32L476RE'\n"
    rows = head + "[[budget]]\nid = 'h'\nkind = 'heap'\n{where}min = {least}\n"

    def judged(where: str, least: int, *items: Reservation) -> list[tuple[str, Status]]:
        table = read_budget("b.toml", rows.format(where=where, least=least).encode())
        base = inspection(text(), bss(0x100), budget=table)
        return said(replace(with_reserves(*items), table=table, rows=base.rows))

    heap = reserve("heap", 0x300, PLACE)
    assert judged("", 0x300, heap) == [("h", HOLDS)]
    assert judged("", 0x301, heap) == [("h", BROKEN)]
    assert judged("region = 'RAM'\n", 0x301, heap) == [("h", BROKEN)]
    assert judged("region = 'FLASH'\n", 0x301, heap) == [("free RAM", Status.NOT_CLAIMED)]
    assert judged("region = 'RAM'\n", 0x801) == [("h", BROKEN)]
    assert judged("bank = 'SRAM1'\n", 0x301, heap) == [("free RAM", Status.NOT_CLAIMED)]
    nowhere = reserve("heap", 0x300)
    assert judged("region = 'RAM'\n", 0x301, nowhere) == [("heap", HOLDS)]
