"""Stacks and heaps that leave their memory, and heaps that meet a section, by labels alone.

RAM is 64 KiB from 0x20000000, HIGH 64 KiB behind it, FLASH 64 KiB from 0x08000000; the expected
figures are differences of the addresses that each test names.
"""

import pytest

from mapinspect.analysis.reservations.bounded import bounded
from mapinspect.analysis.reservations.layout import Block, Label, Layout, Variables
from mapinspect.analysis.reservations.strays import strays
from mapinspect.model.image import Evidence, Region, Span
from mapinspect.model.reservation import Reservation

HERE = Evidence("app.map", 7, "")
FLASH = Region("FLASH", Span(0x0800_0000, 0x1_0000), "xr", HERE)
RAM = Region("RAM", Span(0x2000_0000, 0x1_0000), "xrw", HERE)
HIGH = Region("HIGH", Span(0x2001_0000, 0x1_0000), "xrw", HERE)
FAR = Region("FAR", Span(0x2003_0000, 0x1_0000), "xrw", HERE)
Named = dict[str, tuple[int, int]]


def layout(
    labels: dict[str, int],
    regions: tuple[Region, ...] = (FLASH, RAM),
    sections: Named | None = None,
    objects: Named | None = None,
    *,
    counted: bool = True,
) -> Layout:
    known = {name: Label(name, value, HERE) for name, value in labels.items()}
    blocks = tuple(
        Block(name, Span(*span), HERE, writable=True, counted=counted)
        for name, span in (sections or {}).items()
    )
    named = objects or {}
    starts, sizes = [span[0] for span in named.values()], [span[1] for span in named.values()]
    return Layout(known, [], blocks, Variables("", list(named), starts, sizes), regions)


def heap(bottom: int, top: int) -> dict[str, int]:
    return {"__HeapBase": bottom, "__HeapLimit": top}


@pytest.mark.parametrize(
    ("labels", "regions", "expected"),
    [
        pytest.param(heap(0x2000_1000, 0x2001_0000), (FLASH, RAM), None, id="to the end of RAM"),
        pytest.param(
            heap(0x2000_1000, 0x2001_0001), (FLASH, RAM), ("RAM", 0x2001_0000, 1), id="a byte past"
        ),
        pytest.param(
            heap(0x1FFF_FFF0, 0x2000_1000), (FLASH, RAM), ("RAM", 0x1FFF_FFF0, 16), id="in front"
        ),
        pytest.param(
            heap(0x2000_0000, 0x2001_0001), (FLASH, RAM), ("RAM", 0x2001_0000, 1), id="all and more"
        ),
        pytest.param(
            heap(0x1FFF_FFF0, 0x2000_0001),
            (FLASH, RAM),
            ("RAM", 0x1FFF_FFF0, 16),
            id="its last byte is the first of RAM",
        ),
        pytest.param(
            heap(0x1FFF_FFF0, 0x2001_0000),
            (FLASH, RAM),
            ("RAM", 0x1FFF_FFF0, 16),
            id="its last byte is the last of RAM",
        ),
        pytest.param(heap(0x2000_1000, 0x2002_0000), (RAM, HIGH), None, id="over two in one run"),
        pytest.param(
            heap(0x2000_1000, 0x2002_0008),
            (HIGH, RAM),
            ("RAM", 0x2002_0000, 8),
            id="past the second of a run",
        ),
        pytest.param(
            heap(0x2000_1000, 0x2003_8000),
            (RAM, FAR),
            ("RAM", 0x2001_0000, 0x2_0000),
            id="over the gap between two",
        ),
        pytest.param(
            heap(0x2001_8000, 0x2003_8000),
            (RAM, FAR),
            ("FAR", 0x2001_8000, 0x1_8000),
            id="from the gap into the second",
        ),
        pytest.param(heap(0x3000_0000, 0x3000_1000), (FLASH, RAM), None, id="wholly elsewhere"),
        pytest.param(heap(0x0800_1000, 0x0801_1000), (FLASH, RAM), None, id="past Flash: no RAM"),
        pytest.param(heap(0x2000_1000, 0x2000_1000), (FLASH, RAM), None, id="empty"),
        pytest.param(heap(0x2001_8000, 0x2000_1000), (FLASH, RAM), None, id="upside down"),
        pytest.param(heap(0, 0x2000_1000), (FLASH, RAM), None, id="a label without a value"),
        pytest.param(
            heap(1, 0x2000_1000), (FLASH, RAM), ("RAM", 1, 0x07FF_FFFF), id="from address 1"
        ),
        pytest.param({"__HeapBase": 0x2000_1000}, (FLASH, RAM), None, id="only the bottom"),
        pytest.param({"__HeapLimit": 0x2003_0000}, (FLASH, RAM), None, id="only the top"),
        pytest.param(heap(0x2000_1000, 0x2003_0000), (), None, id="no region is known"),
        pytest.param(
            {"_heap_start": 0x2000_1000, "_heap_end": 0x2003_0000},
            (FLASH, RAM),
            None,
            id="ESP-IDF's heap goes on to the chip's end",
        ),
        pytest.param(
            {"__StackLimit": 0x1FFF_FF00, "__StackTop": 0x2000_1000},
            (FLASH, RAM),
            ("RAM", 0x1FFF_FF00, 0x100),
            id="a stack",
        ),
    ],
)
def test_what_leaves_its_memory(
    labels: dict[str, int], regions: tuple[Region, ...], expected: tuple[str, int, int] | None
) -> None:
    found = [
        (item.other, item.span.start, item.span.size) for item in strays(layout(labels, regions))
    ]
    assert found == ([expected] if expected else [])


def test_a_stray_is_the_whole_reserve_and_hides_no_other() -> None:
    both = heap(0x2000_1000, 0x2003_0000) | {"__StackLimit": 0x1FFF_0000, "__StackTop": 0x2000_1000}
    first, second = strays(layout(both))
    assert (first.reserve.kind, first.reserve.bytes) == ("stack", 0x1_1000)
    assert (second.reserve.kind, second.reserve.bytes) == ("heap", 0x2_F000)
    assert second.reserve.place == Span(0x2000_1000, 0x2_F000)


START = 0x2000_1000
BLOCK = {".noinit": (0x2000_3000, 0x100)}
KEPT = {"kept": (0x2000_3000, 0x10)}


def item(
    size: int, *, kind: str = "heap", elastic: bool = False, grows_to: int | None = None
) -> Reservation:
    place = Span(START, size)
    return Reservation(kind, "x", size, "test", elastic, place, HERE, grows_to=grows_to)


Answer = tuple[int, int | None, str | None]


def answer(
    reserve: Reservation,
    sections: Named = BLOCK,
    objects: Named = KEPT,
    *,
    counted: bool = True,
) -> Answer:
    found = bounded(layout({}, (RAM,), sections, objects, counted=counted), reserve)
    return found.bytes, found.grows_to, found.grows_over


@pytest.mark.parametrize(
    ("reserve", "expected"),
    [
        pytest.param(
            item(0x4000, elastic=True), (0x2000, None, ".noinit"), id="the rest is up to a section"
        ),
        pytest.param(item(0x2001, elastic=True), (0x2000, None, ".noinit"), id="by a byte"),
        pytest.param(item(0x2000, elastic=True), (0x2000, None, None), id="which it only touches"),
        pytest.param(
            item(0x400, grows_to=0x4000), (0x400, 0x2000, ".noinit"), id="what it may become is cut"
        ),
        pytest.param(item(0x400, grows_to=0x2000), (0x400, 0x2000, None), id="nothing to cut"),
        pytest.param(
            item(0x2000, grows_to=0x4000), (0x2000, 0x2000, ".noinit"), id="to what it has"
        ),
        pytest.param(
            item(0x2001, grows_to=0x4000), (0x2001, 0x4000, None), id="not what lies in its bytes"
        ),
        pytest.param(item(0x4000), (0x4000, None, None), id="a fixed size stays"),
        pytest.param(
            item(0x4000, kind="stack", elastic=True), (0x4000, None, None), id="a stack stays"
        ),
    ],
)
def test_a_heap_grows_up_to_the_first_section(reserve: Reservation, expected: Answer) -> None:
    assert answer(reserve) == expected


@pytest.mark.parametrize(
    ("sections", "objects", "counted", "expected"),
    [
        pytest.param(
            {".b": (0x2000_4000, 16), **BLOCK},
            {"b": (0x2000_4000, 4), **KEPT},
            True,
            (0x2000, None, ".noinit"),
            id="the lowest of two",
        ),
        pytest.param(BLOCK, {}, True, (0x6000, None, None), id="an empty one is no wall"),
        pytest.param(
            BLOCK,
            {"before": (0x2000_2FF0, 16)},
            True,
            (0x6000, None, None),
            id="nor one that a variable only touches",
        ),
        pytest.param(
            BLOCK,
            {"into": (0x2000_2FF1, 16)},
            True,
            (0x2000, None, ".noinit"),
            id="but one that a variable reaches into",
        ),
        pytest.param(BLOCK, KEPT, False, (0x6000, None, None), id="one that takes no memory"),
        pytest.param(
            {".noinit": (START, 0x100)},
            {"kept": (START, 16)},
            True,
            (0x6000, None, None),
            id="one at its start",
        ),
        pytest.param(
            {".noinit": (START + 1, 0x100)},
            {"kept": (START + 1, 16)},
            True,
            (1, None, ".noinit"),
            id="one behind its first byte",
        ),
    ],
)
def test_only_a_section_that_holds_something_stops_a_heap(
    sections: Named, objects: Named, expected: Answer, *, counted: bool
) -> None:
    reserve = item(0x6000, elastic=True)
    assert answer(reserve, sections, objects, counted=counted) == expected


def test_a_heap_without_a_place_stays() -> None:
    nowhere = Reservation("heap", "x", 64, "test", False, None, HERE)
    assert bounded(layout({}, (RAM,), BLOCK, KEPT), nowhere) is nowhere


def test_what_is_cut_is_kept_where_it_lies() -> None:
    found = bounded(layout({}, (RAM,), BLOCK, KEPT), item(0x4000, elastic=True))
    assert (found.span, found.runs_at) == (Span(START, 0x2000), None)
