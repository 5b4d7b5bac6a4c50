"""The room below a stack's start and what lies in stacks and heaps, on layouts made by hand.

RAM is 64 KiB from 0x20000000, CCM 64 KiB from 0x10000000; every expected figure is a difference of
two addresses that the test names.
"""

import pytest

from mapinspect.analysis.margins import margins
from mapinspect.analysis.reservations.layout import Label, Layout, Variables
from mapinspect.model.image import Evidence, Region, Role, Span
from mapinspect.model.inspection import Placement
from mapinspect.model.part import MemoryBank, Part
from mapinspect.model.reservation import RamLeft, Reservation
from tests.builders import section

HERE = Evidence("app.elf", None, "")
RAM = Region("RAM", Span(0x2000_0000, 0x1_0000), "xrw", HERE)
CCM = Region("CCM", Span(0x1000_0000, 0x1_0000), "xrw", HERE)
TOP = 0x2000_8000
Named = dict[str, tuple[int, int]]


def layout(objects: Named | None = None, *, top: int | None = TOP) -> Layout:
    named = objects or {}
    starts, sizes = [span[0] for span in named.values()], [span[1] for span in named.values()]
    labels = {} if top is None else {"_estack": Label("_estack", top, HERE)}
    variables = Variables("app.elf", list(named), starts, sizes)
    return Layout(labels, [], (), variables, (RAM, CCM))


def placed(
    name: str,
    start: int,
    size: int,
    region: Region = RAM,
    *,
    stored: bool = False,
    role: Role = Role.RUN,
) -> Placement:
    home = section(name, start, size, stored=stored, writable=True)
    return Placement(home, role, Span(start, size), region)


def reserve(
    kind: str, start: int, size: int, *, name: str = "", elastic: bool = False, rests: str = ""
) -> Reservation:
    place = Span(start, size)
    rests_on = (rests,) if rests else ()
    return Reservation(kind, name or kind, size, "test", elastic, place, HERE, rests_on=rests_on)


BSS = placed(".bss", 0x2000_0000, 0x100)


@pytest.mark.parametrize(
    ("placements", "items", "room"),
    [
        pytest.param([], [], 0x8000, id="all of the region where nothing lies in it"),
        pytest.param([BSS], [], 0x7F00, id="down to the variables"),
        pytest.param(
            [BSS, placed(".more", 0x2000_1000, 0x10)], [], 0x6FF0, id="down to the highest section"
        ),
        pytest.param(
            [placed(".ccm", 0x1000_0000, 0x100, CCM)], [], 0x8000, id="not to another memory's"
        ),
        pytest.param(
            [BSS, placed(".empty", 0x2000_4000, 0)], [], 0x7F00, id="an empty section takes nothing"
        ),
        pytest.param(
            [BSS, placed(".above", TOP, 0x100)], [], 0x7F00, id="a section begins at the start"
        ),
        pytest.param(
            [BSS], [reserve("heap", 0x2000_1000, 0x1000)], 0x6000, id="down to a fixed heap"
        ),
        pytest.param(
            [BSS],
            [reserve("heap", 0x2000_1000, 0x7000, elastic=True)],
            0x7F00,
            id="a heap of what is left keeps nothing",
        ),
        pytest.param(
            [BSS], [reserve("stack", 0x2000_1000, 0x1000)], 0x7F00, id="another stack is no heap"
        ),
        pytest.param(
            [], [reserve("heap", 0x1000_0000, 0x1000)], 0x8000, id="a heap of another memory"
        ),
        pytest.param([BSS], [reserve("heap", TOP - 1, 0x100)], 0, id="a heap has its first byte"),
        pytest.param([BSS], [reserve("heap", TOP - 16, 16)], 0, id="a heap ends at the start"),
        pytest.param([BSS], [reserve("heap", TOP, 0x100)], 0x7F00, id="a heap begins at the start"),
    ],
)
def test_the_room_below_the_start(
    placements: list[Placement], items: list[Reservation], room: int
) -> None:
    assert margins(layout(), items, (), placements).room == room


def test_a_start_at_the_end_of_its_memory() -> None:
    assert margins(layout(top=RAM.span.end), [], (), [BSS]).room == 0xFF00


@pytest.mark.parametrize("top", [None, 0x3000_0000], ids=["no start", "a start in no memory"])
def test_no_room_is_known_without_a_start_in_memory(top: int | None) -> None:
    assert margins(layout(top=top), [], (), [BSS]).room is None


@pytest.mark.parametrize(
    ("objects", "room"),
    [
        pytest.param({"a": (0x2000_7000, 0x80)}, 0xF80, id="down to the variable below"),
        pytest.param({"a": (TOP - 8, 8)}, 0, id="a variable ends at the start"),
        pytest.param({"a": (TOP - 8, 16)}, 0, id="a variable lies across the start"),
        pytest.param(
            {"a": (0x2000_7000, 0x80), "b": (TOP, 8)}, 0xF80, id="a variable begins at the start"
        ),
        pytest.param({}, None, id="no variable says what is free"),
        pytest.param({"a": (0x2000_5FF0, 16)}, None, id="only one in front of the section"),
        pytest.param({"a": (0x2000_5FF1, 16)}, 0x1FFF, id="one that reaches into it"),
    ],
)
def test_the_room_inside_a_section_is_what_no_variable_has(
    objects: Named, room: int | None
) -> None:
    around = placed(".bss", 0x2000_6000, 0x3000)
    assert margins(layout(objects), [], (), [around]).room == room
    ending = placed(".bss", 0x2000_6000, TOP - 0x2000_6000)
    assert margins(layout(objects), [], (), [ending]).room == room


STACK = reserve("stack", 0x2000_4000, 0x1000)
HEAP = reserve("heap", 0x2000_4000, 0x1000)
REST = reserve("heap", 0x2000_4000, 0x1000, elastic=True)
Hit = tuple[str, str, Span]


def hits(
    items: list[Reservation],
    placements: list[Placement] | None = None,
    objects: Named | None = None,
    part: Part | None = None,
) -> list[Hit]:
    found = margins(layout(objects), items, (), placements or [], part=part).collisions
    return [(item.reserve.name, item.other, item.span) for item in found]


VALUES = {"values": (0x2000_4F00, 0x200)}
INSIDE = placed(".noinit", 0x2000_4F00, 0x200)


@pytest.mark.parametrize(
    ("item", "start", "size", "shared"),
    [
        pytest.param(STACK, 0x2000_4F00, 0x200, (0x2000_4F00, 0x100), id="over its end"),
        pytest.param(STACK, 0x2000_3F00, 0x200, (0x2000_4000, 0x100), id="over its start"),
        pytest.param(STACK, 0x2000_4FFF, 1, (0x2000_4FFF, 1), id="in its last byte"),
        pytest.param(STACK, 0x2000_5000, 16, None, id="behind it"),
        pytest.param(STACK, 0x2000_3FF0, 16, None, id="in front of it"),
        pytest.param(HEAP, 0x2000_4F00, 0x200, (0x2000_4F00, 0x100), id="over a fixed heap's end"),
        pytest.param(REST, 0x2000_4001, 16, None, id="above the first byte of a heap of the rest"),
        pytest.param(REST, 0x2000_3FFF, 16, (0x2000_4000, 1), id="over its first byte"),
        pytest.param(
            reserve("heap", 0x2000_4000, 0, elastic=True), 0x2000_3FFF, 16, None, id="a heap of 0"
        ),
        pytest.param(
            reserve("stack", 0x2000_4000, 0x1000, elastic=True),
            0x2000_4F00,
            16,
            None,
            id="a stack of the rest",
        ),
    ],
)
def test_a_section_with_variables_shares_bytes(
    item: Reservation, start: int, size: int, shared: tuple[int, int] | None
) -> None:
    expected = [(item.name, ".noinit", Span(*shared))] if shared else []
    assert hits([item], [placed(".noinit", start, size)], {"values": (start, size)}) == expected


def test_an_array_that_holds_all_of_a_stack_is_where_somebody_put_it() -> None:
    span = (0x2000_3F00, 0x1200)
    assert hits([STACK], [placed(".bss", *span)], {"pool": span}) == []


def test_what_is_only_loaded_there_shares_nothing() -> None:
    loaded = placed(".data", 0x2000_4F00, 0x200, role=Role.LOAD)
    assert hits([STACK], [loaded], VALUES) == []
    assert hits([STACK], [placed(".data", 0x2000_4F00, 0)], VALUES) == []


@pytest.mark.parametrize(
    ("home", "objects", "rests", "own"),
    [
        pytest.param((".bss", False), {}, "", True, id="a section without variables there"),
        pytest.param((".bss", False), {"x": (0x2000_4000, 64)}, "", False, id="a variable in it"),
        pytest.param(
            (".bss", False), {"main_stack": (0x2000_4000, 64)}, "main_stack", True, id="its own"
        ),
        pytest.param(
            (".bss", False), {"other": (0x2000_4000, 64)}, "main_stack", False, id="another's"
        ),
        pytest.param(
            (".bss", False),
            {"main_stack": (0x2000_3FF0, 64)},
            "main_stack",
            False,
            id="its own, which does not lie in it",
        ),
        pytest.param((".stack", True), {}, "", True, id="a stored section that keeps its bytes"),
        pytest.param((".data", True), {}, "", False, id="a stored section of another name"),
    ],
)
def test_a_stack_does_not_collide_with_what_it_is_made_of(
    home: tuple[str, bool], objects: Named, rests: str, *, own: bool
) -> None:
    name, stored = home
    item = reserve("stack", 0x2000_4000, 0x1000, rests=rests)
    around = placed(name, 0x2000_3F00, 0x1200, stored=stored)
    expected = [] if own else [("stack", name, Span(0x2000_4000, 0x1000))]
    assert hits([item], [around], objects) == expected


def test_a_stack_of_the_rest_hides_no_other() -> None:
    rest = reserve("stack", 0x2000_4000, 0x1000, elastic=True)
    assert hits([rest, HEAP], [INSIDE], VALUES) == [("heap", ".noinit", Span(0x2000_4F00, 0x100))]


def test_a_stored_section_that_has_only_a_piece_of_a_stack_is_none_of_it() -> None:
    piece = placed(".stack", 0x2000_4800, 0x1000, stored=True)
    assert hits([STACK], [piece]) == [("stack", ".stack", Span(0x2000_4800, 0x800))]


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        pytest.param(
            [STACK, reserve("heap", 0x2000_4F00, 0x200)],
            [("stack", "heap heap", Span(0x2000_4F00, 0x100))],
            id="a heap in a stack, said once",
        ),
        pytest.param(
            [STACK, reserve("stack", 0x2000_3F00, 0x200, name="irq")],
            [("stack", "stack irq", Span(0x2000_4000, 0x100))],
            id="two stacks, said once",
        ),
        pytest.param([STACK, REST], [], id="a heap of the rest ends where the stack begins"),
        pytest.param(
            [reserve("heap", 0x2000_4000, 64), reserve("heap", 0x2000_4000, 64)], [], id="two heaps"
        ),
        pytest.param([STACK, reserve("heap", 0x2000_5000, 16)], [], id="side by side"),
    ],
)
def test_stacks_and_heaps_that_share_bytes(items: list[Reservation], expected: list[Hit]) -> None:
    assert hits(items) == expected


# The same 64 KiB, seen from 0x20000000 and from 0x10000000.
SEEN_TWICE = Part(
    "X", "Cortex-M4", (MemoryBank("SRAM", "ram", RAM.span, aliases=(0x1000_0000,)),), "", HERE
)


@pytest.mark.parametrize(
    ("items", "placements", "expected"),
    [
        pytest.param(
            [STACK],
            [placed(".ccm", 0x1000_4F00, 0x200, CCM)],
            [("stack", ".ccm", Span(0x1000_4F00, 0x100))],
            id="a section in the other view",
        ),
        pytest.param([STACK], [placed(".ccm", 0x1000_5000, 16, CCM)], [], id="one beside it"),
        pytest.param([REST], [placed(".ccm", 0x1000_4000, 16, CCM)], [], id="a heap of the rest"),
        pytest.param(
            [STACK, reserve("heap", 0x1000_3F00, 0x200)],
            [],
            [("stack", "heap heap", Span(0x1000_4000, 0x100))],
            id="a heap in the other view, said once",
        ),
        pytest.param(
            [STACK, reserve("heap", 0x1000_3F00, 0x200, elastic=True)],
            [],
            [],
            id="a heap of the rest in the other view",
        ),
    ],
)
def test_the_same_memory_at_another_address(
    items: list[Reservation], placements: list[Placement], expected: list[Hit]
) -> None:
    assert hits(items, placements, part=SEEN_TWICE) == expected
    assert hits(items, placements) == []


def test_the_largest_free_run_is_the_largest_of_all_regions() -> None:
    runs = [RamLeft(RAM, Span(0x2000_0000, 8)), RamLeft(CCM, Span(0x1000_0000, 16))]
    assert margins(layout(), [], runs, []).largest_free == Span(0x1000_0000, 16)
    assert margins(layout(), [], [], []).largest_free is None
