"""What a row about the heap can draw on, also where no section holds it."""

import pytest

from mapinspect.analysis.counting import Counted
from mapinspect.analysis.locate import Surroundings
from mapinspect.analysis.row_numbers import Estimates, row_numbers
from mapinspect.analysis.weighing import Peaks
from mapinspect.model.image import Evidence, Span
from mapinspect.model.reservation import Reservation
from mapinspect.readers.budget.reader import read_budget
from tests.builders import FLASH, RAM

PEAKS = Peaks((), ())
AROUND = Surroundings((), (FLASH, RAM), {}, None, None)


def heap(size: int, span: Span | None, *, elastic: bool = False) -> Reservation:
    place = Evidence("app.elf", None, "__HeapBase")
    return Reservation("heap", "C library", size, "CMSIS", elastic, span, place)


@pytest.mark.parametrize(
    ("row", "item", "linked", "available"),
    [
        pytest.param("", heap(640, Span(RAM.span.start, 640)), 640, 640, id="in a section"),
        pytest.param("", heap(640, Span(RAM.span.start, 640)), 0, 640, id="in no section"),
        pytest.param("", heap(640, None), 0, 640, id="only a size"),
        pytest.param("", heap(999, Span(RAM.span.start, 999), elastic=True), 0, 999, id="the rest"),
        pytest.param("region = 'RAM'", heap(640, Span(RAM.span.start, 640)), 0, 640, id="in RAM"),
        pytest.param("region = 'FLASH'", heap(640, Span(RAM.span.start, 640)), 0, 0, id="not here"),
        pytest.param("region = 'RAM'", heap(640, None), 0, 0, id="a size lies in no region"),
    ],
)
def test_a_heap_that_no_section_holds_counts_towards_its_minimum(
    row: str, item: Reservation, linked: int, available: int
) -> None:
    text = f"version = 1\n[[budget]]\nid = 'x'\nkind = 'heap'\nmin = 1\n{row}\n"
    table = read_budget("b.toml", text.encode())
    counts = {"x": Counted((Span(RAM.span.start, linked),) if linked else ())}
    (line,) = row_numbers(table, AROUND, counts, Estimates(None, None), (item,), peaks=PEAKS)
    assert (line.linked, line.available) == (linked, available)


def test_a_share_of_memory_that_is_not_known_is_no_number() -> None:
    text = "version = 1\n[[budget]]\nid = 'x'\nkind = 'static'\nlimit = '50%'\nmin = '10%'\n"
    table = read_budget("b.toml", text.encode())
    nowhere = Surroundings((), (), {}, None, None)
    (line,) = row_numbers(
        table, nowhere, {"x": Counted(())}, Estimates(None, None), (), peaks=PEAKS
    )
    assert (line.whole, line.limit, line.minimum) == (0, None, None)
