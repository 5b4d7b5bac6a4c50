"""What holds for any labels, sections and variables, however odd."""

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from mapinspect.analysis.reservations.find import reservations_of
from mapinspect.analysis.reservations.layout import Block, Label, Layout, Variables
from mapinspect.analysis.reservations.names import (
    GROWTH,
    HEAP_BOTTOMS,
    PAIRS,
    RUST_BOTTOMS,
    RUST_TOP,
    STACK_TOPS,
)
from mapinspect.model.image import Evidence, Region, Span

HERE = Evidence("app.map", 1, "")
NAMES = sorted(
    {name for pair in (*PAIRS, GROWTH) for name in (*pair.bottoms, *pair.tops)}
    | {*HEAP_BOTTOMS, *STACK_TOPS, *RUST_TOP, *RUST_BOTTOMS}
    | {"_Min_Stack_Size", "_Min_Heap_Size", "__stack_size", "__irq_stack_base__"}
    | {"__irq_stack_end__", "stack_size"}
)
SECTIONS = [".stack", ".heap", "._user_heap_stack", ".heap2stackfill", ".bss", ".stack_dummy"]
VARIABLES = ["ucHeap", "worker_stack", "tensor_arena", "kheap_a", "stack_size", "z_main_stack"]
ADDRESS = st.integers(0x2000_0000, 0x2000_0400) | st.sampled_from(
    [0, 0x400, 0x2001_0000, 2**64 - 1]
)
SPAN = st.builds(Span, st.integers(0x2000_0000, 0x2000_0400), st.integers(0, 0x300))


@st.composite
def layouts(draw: st.DrawFn) -> Layout:
    values = draw(st.dictionaries(st.sampled_from(NAMES), ADDRESS, max_size=8))
    sections = draw(st.dictionaries(st.sampled_from(SECTIONS), SPAN, max_size=4))
    variables = draw(st.dictionaries(st.sampled_from(VARIABLES), SPAN, max_size=4))
    regions = (Region("RAM", Span(0x2000_0000, 0x800), "xrw", HERE),) if draw(st.booleans()) else ()
    return Layout(
        {name: Label(name, value, HERE) for name, value in values.items()},
        list(values.values()),
        tuple(Block(n, s, HERE, True, draw(st.booleans())) for n, s in sections.items()),
        Variables(
            "app.elf",
            list(variables),
            [span.start for span in variables.values()],
            [span.size for span in variables.values()],
        ),
        regions,
    )


@settings(max_examples=500, deadline=None)
@given(layouts())
def test_every_reservation_is_real_once_and_within_its_region(layout: Layout) -> None:
    found = reservations_of(layout)
    for item in found.items:
        assert item.bytes > 0
        assert item.rests_on
        assert item.place is None or item.place.size == item.bytes
        assert item.grows_to is None or item.grows_to > item.bytes
        if item.below is not None:
            assert item.place is not None
            assert item.below.span.end + item.below.gap == item.place.start
        if layout.regions and item.convention not in ("output section",):
            assert item.place is None or layout.region_of(item.place) or item.name in VARIABLES
    for kind in ("stack", "heap"):
        places = sorted(item.place for item in found.of_kind(kind) if item.place)
        assert all(one.end <= other.start for one, other in pairwise(places))
    assert found == reservations_of(layout)


@settings(max_examples=200, deadline=None)
@given(layouts())
def test_what_is_left_overlaps_no_section_and_no_fixed_reservation(layout: Layout) -> None:
    found = reservations_of(layout)
    for left in found.left:
        assert left.region.span.contains(left.span)
        for item in found.items:
            if item.place is not None and not item.elastic:
                assert not left.span.overlap(item.place)
