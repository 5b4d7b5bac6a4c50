"""Stacks and heaps of a stated size: where they are, how far they may grow, what is left.

RAM is 64 KiB from 0x20000000; every figure is a difference of the addresses that a test names.
"""

import pytest

from mapinspect.analysis.reservations.find import reservations_of
from mapinspect.analysis.reservations.layout import Block, Label, Layout, Variables
from mapinspect.model.image import Evidence, Region, Span
from mapinspect.model.reservation import Reservation, Reservations

HERE = Evidence("app.map", 7, "")
RAM = Region("RAM", Span(0x2000_0000, 0x1_0000), "xrw", HERE)
CCM = Region("CCM", Span(0x1000_0000, 0x1_0000), "xrw", HERE)
Named = dict[str, tuple[int, int]]
TOP = 0x2001_0000
CUBE = {"_estack": TOP, "_Min_Stack_Size": 0x400, "_Min_Heap_Size": 0x200, "_end": 0x2000_1000}
KEPT: Named = {".bss": (0x2000_0000, 0x1000), "._user_heap_stack": (0x2000_1000, 0x600)}


def found(labels: dict[str, int], sections: Named | None = None, objects: Named | None = None,
          regions: tuple[Region, ...] = (CCM, RAM)) -> Reservations:  # fmt: skip
    known = {name: Label(name, value, HERE) for name, value in labels.items()}
    blocks = tuple(
        Block(name, Span(*span), HERE, writable=True) for name, span in (sections or {}).items()
    )
    named = objects or {}
    starts, sizes = [span[0] for span in named.values()], [span[1] for span in named.values()]
    variables = Variables("", list(named), starts, sizes)
    return reservations_of(Layout(known, list(labels.values()), blocks, variables, regions))


def one(all_: Reservations, kind: str) -> Reservation:
    (item,) = all_.of_kind(kind)
    return item


def test_cube_keeps_bytes_behind_the_variables_for_what_lies_elsewhere() -> None:
    every = found(CUBE, KEPT)
    stack, heap = one(every, "stack"), one(every, "heap")
    assert (stack.bytes, stack.place) == (0x400, Span(TOP - 0x400, 0x400))
    assert stack.span == Span(0x2000_1200, 0x400)  # behind the heap's bytes
    assert (heap.bytes, heap.place) == (0x200, Span(0x2000_1000, 0x200))
    assert heap.grows_to == TOP - 0x400 - 0x2000_1000
    assert (stack.grows_to, heap.below) == (None, None)
    (ccm, left) = every.left
    assert ccm.span == CCM.span
    assert left.span == Span(0x2000_1200, TOP - 0x400 - 0x2000_1200)


def test_a_check_in_another_region_keeps_nothing() -> None:
    elsewhere = {".bss": KEPT[".bss"], "._user_heap_stack": (0x1000_0000, 0x600)}
    stack = one(found(CUBE, elsewhere), "stack")
    assert stack.span == stack.place == Span(TOP - 0x400, 0x400)


@pytest.mark.parametrize(
    ("size", "kept"),
    [
        pytest.param(0x600, 0x2000_1200, id="just as large as both"),
        pytest.param(0x5FF, TOP - 0x400, id="a byte too small for the stack behind the heap"),
        pytest.param(0x3FF, TOP - 0x400, id="too small for the stack alone"),
    ],
)
def test_a_check_section_keeps_a_stack_only_where_it_fits(size: int, kept: int) -> None:
    sections = {".bss": KEPT[".bss"], "._user_heap_stack": (0x2000_1000, size)}
    stack = one(found(CUBE, sections), "stack")
    assert stack.span is not None
    if size == 0x5FF:  # the heap's 0x200 bytes do not fit in front of it: what is spare does
        assert stack.span == Span(0x2000_1000 + 0x1FF, 0x400)
    else:
        assert stack.span.start == kept


def test_sizes_that_no_memory_holds_are_addresses() -> None:
    for size, there in ((0x1_0000, True), (0x1_0001, False)):
        every = found({"_Min_Stack_Size": size})
        assert bool(every.items) == there


PICOLIBC = {"__stack": TOP}


@pytest.mark.parametrize(
    ("section", "place"),
    [
        pytest.param((0x2000_1000, 0x400), (TOP - 0x400, 0x400), id="kept behind the variables"),
        pytest.param((TOP - 0x400, 0x400), (TOP - 0x400, 0x400), id="kept where it runs"),
        pytest.param((TOP - 0x410, 0x400), (TOP - 0x410, 0x400), id="padding behind it"),
        pytest.param((TOP - 0x411, 0x400), (TOP - 0x400, 0x400), id="more than padding behind it"),
        pytest.param((0x1000_0000, 0x400), (0x1000_0000, 0x400), id="kept in another region"),
    ],
)
def test_a_stack_lies_below_its_top(section: tuple[int, int], place: tuple[int, int]) -> None:
    every = found(PICOLIBC, {".stack": section})
    assert one(every, "stack").place == Span(*place)


@pytest.mark.parametrize(
    ("labels", "objects", "most"),
    [
        pytest.param({}, {}, TOP - 0x400 - 0x2000_1000, id="up to the stack"),
        pytest.param(
            {}, {"worker_stack": (0x2000_8000, 0x400)}, 0x7000, id="up to the first stack above it"
        ),
        pytest.param(
            {},
            {"worker_stack": (0x2000_0800, 0x400)},
            TOP - 0x400 - 0x2000_1000,
            id="one below it is no limit",
        ),
        pytest.param({"_Min_Stack_Size": 0}, {}, TOP - 0x2000_1000, id="up to the stack's top"),
        pytest.param(
            {"_estack": 0x1000_8000}, {}, TOP - 0x2000_1000, id="a stack elsewhere is no limit"
        ),
    ],
)
def test_a_least_heap_may_grow(labels: dict[str, int], objects: Named, most: int) -> None:
    every = found(CUBE | labels, {".bss": KEPT[".bss"]}, objects)
    assert one(every, "heap").grows_to == most


def test_what_lies_below_a_stack_is_no_check_of_itself() -> None:
    kept = one(found(CUBE, KEPT, {"last": (0x2000_0FF0, 16)}), "stack").below
    assert kept is not None
    assert (kept.name, kept.span.end) == ("heap C library", 0x2000_1200)
    bare = one(found({"_estack": TOP, "_Min_Stack_Size": 0x400}, KEPT), "stack").below
    assert bare is not None
    assert (bare.name, bare.gap) == (".bss", TOP - 0x400 - 0x2000_1000)
