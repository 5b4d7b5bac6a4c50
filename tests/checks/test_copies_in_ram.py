"""What start-up copies: constants that take up RAM, initial values and where they are stored."""

from dataclasses import replace

import pytest

from mapinspect.checks.constants_in_ram import constants_in_ram
from mapinspect.checks.data_not_stored import data_not_stored
from mapinspect.checks.dma_unreachable import dma_unreachable
from mapinspect.model.embedded import EmbeddedModel
from mapinspect.model.finding import Severity, Status
from mapinspect.model.habits import Habits
from mapinspect.model.image import Evidence, Span
from mapinspect.model.inspection import Inspection
from mapinspect.model.part import MemoryBank, Part
from mapinspect.model.reservation import Reservation
from mapinspect.model.runtime import Recognised
from tests.builders import FLASH, RAM, bss, data, inspection, located, section, text

HERE = Evidence("app.elf", None, "")
STORED = data(0x600)
TABLE = located("mel_table", STORED, size=512)


def facts(**changes: object) -> Inspection:
    return replace(inspection(text(), STORED), **changes)


def told(found: Inspection) -> list[str]:
    return [item.message for outcome in constants_in_ram(found) for item in outcome.findings]


def test_a_table_is_named_with_both_of_its_memories() -> None:
    assert told(facts(habits=Habits(constants=(TABLE,)))) == [
        "mel_table (512 bytes) lies in RAM with its value in FLASH as well"
    ]
    unknown = replace(TABLE, load_region=None)
    assert told(facts(habits=Habits(constants=(unknown,)))) == ["mel_table (512 bytes) lies in RAM"]


@pytest.mark.parametrize(
    "place",
    [
        pytest.param(located("mel_table", text(), size=512), id="in Flash"),
        pytest.param(replace(TABLE, region=None), id="in no region"),
    ],
)
def test_only_what_lies_in_ram_takes_it_up(place: object) -> None:
    assert told(facts(habits=Habits(constants=(place,)))) == []


RECOGNISED = Recognised(
    "weights", "mel_table", ("mel_table",), TABLE.span, ".data", "x", "high", (), False, HERE
)


@pytest.mark.parametrize(
    "known",
    [
        pytest.param({"embedded": (EmbeddedModel(TABLE, (), None, "", None),)}, id="a model"),
        pytest.param({"recognised": (RECOGNISED,)}, id="recognised weights"),
        pytest.param(
            {
                "reservations": (
                    Reservation("heap", "x", 9, "test", False, None, HERE),
                    Reservation("stack", "x", 512, "test", False, TABLE.span, HERE),
                )
            },
            id="a stack, beside a heap without a place",
        ),
    ],
)
def test_what_another_check_speaks_of_is_left_to_it(known: dict[str, object]) -> None:
    assert told(facts(habits=Habits(constants=(TABLE,)), **known)) == []


def test_the_first_five_others_are_named_with_the_bytes_of_all() -> None:
    others = tuple(located(f"state_{n}", STORED, size=300 - n) for n in range(6))
    (message,) = told(facts(habits=Habits(constants=others)))
    total = 300 + 299 + 298 + 297 + 296 + 295
    assert message.startswith(f"{total} bytes of initialised variables")
    assert message.endswith(": state_0 300, state_1 299, state_2 298, state_3 297, state_4 296")


def test_a_table_is_not_told_again_among_the_others() -> None:
    both = (TABLE, located("state", STORED, size=300))
    first, second = told(facts(habits=Habits(constants=both)))
    assert first.startswith("mel_table (512 bytes)")
    assert second.startswith("300 bytes of initialised variables")


def test_without_an_elf_no_constant_is_looked_for() -> None:
    assert [item.status for item in constants_in_ram(facts(elf=None))] == [Status.NOT_CLAIMED]


LOST = section(".data", RAM.span.start + 0x800, 64, writable=True)


def starting(found: Inspection, entry: int) -> Inspection:
    assert found.elf is not None
    return replace(found, elf=replace(found.elf, entry=entry))


def test_values_that_are_lost_break_the_claim() -> None:
    found = starting(inspection(text(), LOST), FLASH.span.start)
    (outcome,) = data_not_stored(replace(found, habits=Habits(valued=frozenset({LOST.ordinal}))))
    assert outcome.status is Status.BROKEN
    assert [item.message for item in outcome.findings] == [
        ".data (64 bytes) runs in RAM and is stored there, not in Flash"
    ]


def test_without_an_elf_no_start_is_known() -> None:
    found = replace(inspection(text(), LOST), elf=None)
    assert [item.status for item in data_not_stored(found)] == [Status.NOT_CLAIMED]


@pytest.mark.parametrize(
    ("entry", "statuses"),
    [
        pytest.param(FLASH.span.end - 1, [Status.HOLDS], id="in the last byte of Flash"),
        pytest.param(FLASH.span.end, [Status.NOT_CLAIMED], id="behind it"),
    ],
)
def test_only_a_program_that_starts_in_flash_copies(entry: int, statuses: list[Status]) -> None:
    found = starting(inspection(text(), LOST), entry)
    assert [item.status for item in data_not_stored(found)] == statuses


def test_a_load_image_in_no_region_is_stored_nowhere() -> None:
    found = starting(inspection(text(), data(64, lma=0x9000_0000)), FLASH.span.start)
    (outcome,) = data_not_stored(found)
    assert [item.severity for item in outcome.findings] == [Severity.WARNING]


def test_initial_values_without_a_place_are_lost_in_flash_only_perhaps() -> None:
    lost = located(".data.x", bss(64), size=64)
    nowhere = replace(lost, region=None)
    for place, status in ((lost, Status.BROKEN), (nowhere, Status.HOLDS)):
        (outcome, *_) = data_not_stored(facts(habits=Habits(lost_values=(place,))))
        assert outcome.status is status
        assert "holds 64 bytes of initial values" in outcome.findings[0].message


def test_a_buffer_in_no_bank_is_not_judged_and_hides_no_other() -> None:
    bank = MemoryBank("CCM", "ram", Span(0x1000_0000, 0x1000), dma=False)
    part = Part("X", "Cortex-M4", (bank,), "a test", HERE)
    inside = section(".ccm", 0x1000_0000, 64, stored=False)
    buffers = (located("adc_buffer", bss(64)), located("dac_buffer", inside))
    found = facts(part=part, habits=Habits(dma_buffers=buffers))
    (outcome,) = dma_unreachable(found)
    assert outcome.findings[0].message == (
        "dac_buffer (64 bytes) lies in CCM, which DMA does not reach"
    )
    for claim in (replace(found, part=None), replace(found, habits=Habits())):
        assert [item.status for item in dma_unreachable(claim)] == [Status.NOT_CLAIMED]
