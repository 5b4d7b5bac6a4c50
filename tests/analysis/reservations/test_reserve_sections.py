"""Output sections that are a stack: which of their bytes are, by the labels that lie in them.

The section is the 0x400 bytes from 0x20008000; RAM is 64 KiB from 0x20000000. A script rounds up to
fewer than 16 bytes, so that many may lie in front of the first label and behind the last one.
"""

import pytest

from mapinspect.analysis.reservations.find import reservations_of
from mapinspect.analysis.reservations.layout import Block, Label, Layout, Variables
from mapinspect.model.image import Evidence, Region, Span
from mapinspect.model.reservation import Reservation

HERE = Evidence("app.map", 7, "")
RAM = Region("RAM", Span(0x2000_0000, 0x1_0000), "xrw", HERE)
HIGH = Region("HIGH", Span(0x2001_0000, 0x1_0000), "xrw", HERE)
CODE = Region("CODE", Span(0x1FFF_0000, 0x1_0000), "xr", HERE)
FAR = Region("FAR", Span(0x3000_0000, 0x1_0000), "xrw", HERE)
START, SIZE = 0x2000_8000, 0x400
WHOLE = (0, SIZE)


def stacks(
    labels: dict[str, int], sections: tuple[Block, ...] = (), regions: tuple[Region, ...] = (RAM,)
) -> tuple[Reservation, ...]:
    known = {name: Label(name, value, HERE) for name, value in labels.items()}
    values = list(labels.values())
    found = reservations_of(Layout(known, values, sections, Variables("", [], [], []), regions))
    return found.of_kind("stack")


@pytest.mark.parametrize(
    ("labels", "bounds"),
    [
        pytest.param((), WHOLE, id="none"),
        pytest.param((8,), WHOLE, id="one"),
        pytest.param((8, 0x3F8), (8, 0x3F0), id="two"),
        pytest.param((4, 0x200, 0x3FC), (4, 0x3F8), id="the first and the last of three"),
        pytest.param((0, SIZE), WHOLE, id="the first byte and the end"),
        pytest.param((15, SIZE), (15, SIZE - 15), id="15 bytes in front"),
        pytest.param((16, SIZE), WHOLE, id="16 in front are no rounding"),
        pytest.param((0, SIZE - 15), (0, SIZE - 15), id="15 bytes behind"),
        pytest.param((0, SIZE - 16), WHOLE, id="16 behind are no rounding"),
        pytest.param((-1, 8), WHOLE, id="one of them a byte in front of the section"),
        pytest.param((8, SIZE + 1), WHOLE, id="one of them a byte behind it"),
    ],
)
def test_labels_bound_the_stack_in_its_section(
    labels: tuple[int, ...], bounds: tuple[int, int]
) -> None:
    section = Block(".stack", Span(START, SIZE), HERE, writable=True)
    marks = {f"mark_{at}": START + offset for at, offset in enumerate(labels)}
    (stack,) = stacks(marks, (section,))
    assert stack.place is not None
    assert (stack.place.start - START, stack.place.size) == bounds


@pytest.mark.parametrize(
    ("bottom", "top", "regions", "size"),
    [
        pytest.param(0x2000_F000, 0x2001_1000, (RAM, HIGH, FAR), 0x2000, id="two RAMs that touch"),
        pytest.param(0x2000_F000, 0x2001_1000, (RAM, FAR), None, id="past the only one"),
        pytest.param(0x1FFF_F000, 0x2000_1000, (CODE, RAM, FAR), None, id="Flash and RAM"),
    ],
)
def test_a_stack_lies_in_ram_that_touches(
    bottom: int, top: int, regions: tuple[Region, ...], size: int | None
) -> None:
    found = stacks({"__StackLimit": bottom, "__StackTop": top}, regions=regions)
    assert [stack.bytes for stack in found] == ([] if size is None else [size])


@pytest.mark.parametrize(
    ("counted", "kept"),
    [
        pytest.param(True, 0x2000_1000, id="bytes that the image keeps"),
        pytest.param(False, 0x2000_FC00, id="a section that is only measured keeps none"),
    ],
)
def test_a_check_section_keeps_what_it_holds(counted: bool, kept: int) -> None:
    check = Block(
        "._user_heap_stack", Span(0x2000_1000, 0x400), HERE, writable=True, counted=counted
    )
    (stack,) = stacks({"_estack": 0x2001_0000, "_Min_Stack_Size": 0x400}, (check,))
    assert stack.span == Span(kept, 0x400)
    assert stack.place == Span(0x2000_FC00, 0x400)
