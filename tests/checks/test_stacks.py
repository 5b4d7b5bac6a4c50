"""What lies in stacks and heaps and where they start, from margins made by hand.

RAM of the builders is 4096 bytes from 0x20000000; the stack main takes its last 256.
"""

from dataclasses import replace

import pytest

from mapinspect.checks.stack_collision import stack_collision
from mapinspect.checks.stack_misplaced import stack_misplaced
from mapinspect.model.finding import Severity, Status
from mapinspect.model.habits import Collision, Habits, Margins, StackStart
from mapinspect.model.image import Evidence, Span
from mapinspect.model.inspection import Inspection
from mapinspect.model.reservation import Neighbour, Reservation
from tests.builders import FLASH, RAM, bss, inspection, located, region_row, table, text

HERE = Evidence("app.elf", None, "from end")
LAST = Span(RAM.span.end - 256, 256)
STACK = Reservation("stack", "main", 256, "test", False, LAST, HERE)
HEAP = Reservation("heap", "C library", 512, "sbrk", True, Span(RAM.span.start, 512), HERE)
MALLOC = Habits(allocators=(located("malloc", text()),), sbrk=("_sbrk",))
HOLDS, BROKEN, NOT_CLAIMED = Status.HOLDS, Status.BROKEN, Status.NOT_CLAIMED
Answer = tuple[str, Status, str]


def facts(*items: Reservation, habits: Habits | None = None, **margins: object) -> Inspection:
    made = replace(inspection(text(), bss(64)), reservations=items, margins=Margins(**margins))
    return replace(made, habits=habits or Habits())


def said(found: Inspection) -> list[Answer]:
    return [
        (item.subject, item.status, item.findings[0].message if item.findings else "")
        for item in stack_collision(found)
    ]


def broken(found: Inspection) -> list[str]:
    return [message for _, status, message in said(found) if status is BROKEN]


def hit(reserve: Reservation, start: int, size: int = 64) -> Collision:
    return Collision(reserve, ".x", Span(start, size), HERE)


@pytest.mark.parametrize(
    ("reserve", "start", "words"),
    [
        pytest.param(
            STACK, LAST.start, "64 bytes of the stack main, at 0x20000f00", id="in a stack"
        ),
        pytest.param(
            STACK,
            0x1000_0F00,
            "64 bytes of the stack main, at 0x10000f00, another address of the same memory",
            id="in another view of it",
        ),
        pytest.param(
            HEAP, RAM.span.start, "the first byte of the heap C library, at 0x20000000", id="a heap"
        ),
        pytest.param(
            replace(STACK, span=None),
            LAST.start,
            "64 bytes of the stack main",
            id="without a place",
        ),
    ],
)
def test_what_lies_in_a_reserve_is_said_with_its_place(
    reserve: Reservation, start: int, words: str
) -> None:
    found = facts(reserve, habits=MALLOC, collisions=(hit(reserve, start),))
    (message,) = broken(found)
    assert message.startswith(f".x lies in {words}")
    assert message.endswith(words) or reserve.span is None


def test_a_heap_that_nobody_asks_for_is_harmed_by_nothing() -> None:
    fixed = replace(HEAP, elastic=False)
    for where in ("collisions", "strays"):
        assert broken(facts(HEAP, **{where: (hit(HEAP, RAM.span.start),)})) == []
        assert len(broken(facts(HEAP, habits=MALLOC, **{where: (hit(HEAP, RAM.span.start),)}))) == 1
        assert len(broken(facts(fixed, **{where: (hit(fixed, RAM.span.start),)}))) == 1


def test_a_stray_is_said_with_its_bytes_and_alone() -> None:
    stray = Collision(STACK, "RAM", Span(RAM.span.end, 16), HERE)
    assert said(facts(strays=(stray,))) == [
        (
            "main",
            BROKEN,
            "16 bytes of the stack main lie outside RAM, at 0x20001000, where no memory is",
        )
    ]


BELOW = Neighbour("scores", Span(RAM.span.start, 64), 0)
TOUCHED = replace(STACK, below=BELOW)


def test_a_stack_that_is_hit_is_told_once_and_others_still_hold() -> None:
    other = replace(TOUCHED, name="irq")
    told = said(facts(TOUCHED, other, collisions=(hit(TOUCHED, LAST.start),)))
    assert [item[:2] for item in told] == [("main", BROKEN), ("irq", HOLDS)]
    assert "irq would overwrite scores" in told[1][2]
    assert "main would" not in told[1][2]
    namesake = replace(HEAP, name="main", elastic=False)
    told = said(facts(STACK, namesake, collisions=(hit(namesake, LAST.start),)))
    assert [item[:2] for item in told] == [("main", BROKEN), ("main", HOLDS)]


def test_a_stack_of_the_rest_that_is_hit_is_not_warned_of_as_well() -> None:
    rest = replace(STACK, elastic=True)
    assert [item[:2] for item in said(facts(rest))] == [("main", HOLDS)] * 2
    told = said(facts(rest, habits=MALLOC, collisions=(hit(rest, LAST.start),)))
    assert [item[:2] for item in told] == [("main", BROKEN)]


def test_four_stacks_are_shown_and_the_others_counted() -> None:
    stacks = tuple(replace(TOUCHED, name=f"s{number}") for number in range(6))
    (answer,) = said(facts(*stacks))
    assert answer[2].endswith("s3 would overwrite scores, and 2 more")
    (answer,) = said(facts(*stacks[:4]))
    assert answer[2].endswith("s3 would overwrite scores")


def start(address: int, *, loaded: bool = True) -> StackStart:
    return StackStart(address, ("RAM",), None, HERE, loaded)


@pytest.mark.parametrize(
    ("items", "begins", "expected"),
    [
        pytest.param([STACK], start(LAST.end), False, id="at the end of its reserve"),
        pytest.param([STACK], start(LAST.start + 1), False, id="behind its first byte"),
        pytest.param([STACK], start(LAST.start), True, id="where its reserve begins"),
        pytest.param([STACK], start(LAST.end + 1), True, id="a byte behind its reserve"),
        pytest.param([STACK], start(LAST.start, loaded=False), False, id="a label is no proof"),
        pytest.param([STACK], None, False, id="nothing says where"),
        pytest.param([replace(STACK, span=None)], start(LAST.start), False, id="only a size"),
        pytest.param([], start(LAST.end), True, id="nothing is reserved"),
        pytest.param([], None, True, id="only the room is known"),
    ],
)
def test_the_room_counts_where_the_stack_starts_in_no_reserve(
    items: list[Reservation], begins: StackStart | None, *, expected: bool
) -> None:
    told = broken(facts(*items, room=0, start=begins))
    assert told == (["no byte is left below the stack's top"] if expected else [])
    assert broken(facts(*items, room=None, start=begins)) == []


@pytest.mark.parametrize(
    ("changes", "habits", "most"),
    [
        pytest.param({}, MALLOC, 512, id="a heap of the rest"),
        pytest.param({"elastic": False, "grows_to": 900}, MALLOC, 900, id="what it may become"),
        pytest.param({"grows_to": 100}, MALLOC, 512, id="the larger one of both"),
        pytest.param({}, None, None, id="nobody allocates"),
    ],
)
def test_a_heap_with_a_section_in_its_way_warns(
    changes: dict[str, object], habits: Habits | None, most: int | None
) -> None:
    heap = replace(HEAP, convention="CMSIS", grows_over=".noinit", **changes)
    outcomes = list(stack_collision(facts(heap, STACK, habits=habits)))
    told = [item for outcome in outcomes for item in outcome.findings]
    words = f"the heap C library grows over .noinit once it has {most} bytes"
    assert [item.message for item in told] == ([] if most is None else [words])
    assert all(item.severity is Severity.WARNING for item in told)


def test_only_a_heap_of_the_rest_has_no_limit() -> None:
    fixed = replace(HEAP, elastic=False)
    assert said(facts(fixed, STACK, habits=MALLOC)) == [("main", HOLDS, "")]
    assert "no limit but the stack pointer" in said(facts(HEAP, STACK, habits=MALLOC))[0][2]


def places(found: Inspection) -> list[Answer]:
    return [
        (item.subject, item.status, item.findings[0].message if item.findings else "")
        for item in stack_misplaced(found)
    ]


NOWHERE = StackStart(0x3000_0000, (), None, HERE, is_loaded=True)
IN_FLASH = StackStart(FLASH.span.end, ("FLASH",), None, HERE, is_loaded=True)
IN_BANK = StackStart(0x3000_0000, (), "CCM", HERE, is_loaded=True)
LABEL = replace(NOWHERE, is_loaded=False)


@pytest.mark.parametrize(
    ("items", "begins", "expected"),
    [
        pytest.param([], start(LAST.end), [("stack", HOLDS)], id="in RAM"),
        pytest.param([], NOWHERE, [("stack", BROKEN)], id="in no memory"),
        pytest.param([], IN_FLASH, [("stack", BROKEN)], id="in Flash"),
        pytest.param([], IN_BANK, [("stack", HOLDS)], id="in a bank that no region covers"),
        pytest.param([], LABEL, [("stack", BROKEN)], id="a label in no memory"),
        pytest.param([], None, [("stack", NOT_CLAIMED)], id="not known"),
        pytest.param([STACK], start(LAST.end), [("main", HOLDS)], id="a reserve says the same"),
        pytest.param(
            [STACK], NOWHERE, [("stack", BROKEN), ("main", HOLDS)], id="a reserve differs"
        ),
        pytest.param([STACK], LABEL, [("main", HOLDS)], id="a reserve is more than a label"),
        pytest.param([STACK], None, [("main", HOLDS)], id="a reserve alone"),
        pytest.param(
            [replace(STACK, span=None)], None, [("stack", NOT_CLAIMED)], id="a size without a place"
        ),
        pytest.param([HEAP], None, [("stack", NOT_CLAIMED)], id="a heap is no stack"),
    ],
)
def test_where_the_stack_begins(
    items: list[Reservation], begins: StackStart | None, expected: list[tuple[str, Status]]
) -> None:
    assert [item[:2] for item in places(facts(*items, start=begins))] == expected


def test_without_regions_no_start_is_judged() -> None:
    bare = replace(facts(start=NOWHERE), regions=())
    assert [item[1] for item in places(bare)] == [NOT_CLAIMED]
    assert [item[1] for item in places(replace(facts(STACK), regions=()))] == [HOLDS]


def test_a_stack_in_memory_of_unknown_kind_is_not_called_misplaced() -> None:
    silent = replace(RAM, attributes="")
    assert [item[1] for item in places(replace(facts(STACK), regions=(silent,)))] == [HOLDS]
    told = replace(facts(STACK), table=table(region_row("RAM", kind="psram")))
    assert [item[1] for item in places(told)] == [HOLDS]
    told = replace(facts(STACK), table=table(region_row("RAM", kind="flash")))
    assert [item[1] for item in places(told)] == [BROKEN]
