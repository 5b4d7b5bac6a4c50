"""FreeRTOS' task lists, as the dialects of vTaskList print them."""

import pytest

from mapinspect.errors import InputError
from mapinspect.readers.measured.settings import Settings
from tests.readers.measured.test_logs import read, values

SIZES = {"main": 3584, "IDLE0": 1536, "IDLE1": 1536, "Tmr Svc": 2048}


def used(**unused: int) -> dict[str, int]:
    names = {"Tmr_Svc": "Tmr Svc"}
    return {
        f"stack.{names.get(key, key)}.peak": SIZES[names.get(key, key)] - free
        for key, free in unused.items()
    }


# ESP-IDF 5 with CONFIG_FREERTOS_VTASKLIST_INCLUDE_COREID: state, priority, core, unused, number.
CORE_BEFORE = """\
main           \tX\t1\t0\t980\t4\r
IDLE1          \tR\t0\t1\t1004\t6\r
IDLE0          \tR\t0\t0\t1016\t5\r
Tmr Svc        \tB\t1\t-1\t1100\t7\r
"""
# ESP-IDF 3 and 4: state, priority, unused, number, core.
CORE_BEHIND = """\
main           \tX\t1\t980\t4\t0
IDLE1          \tR\t0\t1004\t6\t1
IDLE0          \tR\t0\t1016\t5\t0
Tmr Svc        \tB\t1\t1100\t7\t-1
"""
# FreeRTOS 11 for several cores: state, priority, unused, number, affinity mask.
MASK = """\
main           \tX\t1\t980\t4\t0x1
IDLE1          \tR\t0\t1004\t6\t0x2
IDLE0          \tR\t0\t1016\t5\t0x1
Tmr Svc        \tB\t1\t1100\t7\t0x3
"""


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(CORE_BEFORE, id="core before the unused stack"),
        pytest.param(CORE_BEHIND, id="core behind the number"),
        pytest.param(MASK, id="affinity mask"),
        pytest.param("\x1b[0;32mI (5120) stats: " + CORE_BEFORE, id="with ESP-IDF's prefix"),
        pytest.param("[2026-03-01 12:00:01.250] " + CORE_BEHIND, id="with a terminal's time"),
        pytest.param(CORE_BEFORE.replace("\t", "   "), id="without tabs"),
    ],
)
def test_the_core_is_not_taken_for_the_unused_stack(text: str) -> None:
    found = values(read(text, Settings(1, SIZES)))
    assert found == used(main=980, IDLE1=1004, IDLE0=1016, Tmr_Svc=1100)


def test_a_row_that_could_be_either_is_read_as_the_others_are() -> None:
    both = "IDLE0          \tR\t0\t1\t600\t1\n"  # 1 unused of task 600, or 600 of task 1
    assert values(read(CORE_BEFORE + both, Settings(1, SIZES)))["stack.IDLE0.peak"] == 936
    with pytest.raises(InputError, match="IDLE0 has figures of which any may be") as caught:
        read(both, Settings(1, SIZES))
    assert caught.value.line == 1


def test_the_worst_of_several_lists_counts() -> None:
    later = CORE_BEFORE.replace("980", "312").replace("1100", "1200")
    found = values(read(CORE_BEFORE + "inference\n" + later, Settings(1, SIZES)))
    assert found == used(main=312, IDLE1=1004, IDLE0=1016, Tmr_Svc=1100)


@pytest.mark.parametrize(
    "row",
    [
        pytest.param("main\tX\t1\t98", id="cut before the number"),
        pytest.param("main\tX\t1", id="cut behind the priority"),
        pytest.param("main\tX\t1\t980\t4\t0\t123456\t<1%", id="columns of its own"),
    ],
)
def test_a_row_that_is_not_whole_is_refused(row: str) -> None:
    with pytest.raises(InputError, match="no whole row of vTaskList") as caught:
        read(f"stack_peak = 5\n{row}", Settings(1, SIZES))
    assert caught.value.line == 2


def test_a_row_that_lost_its_last_column_is_refused() -> None:
    with pytest.raises(InputError, match="give the whole list"):
        read(CORE_BEFORE + "main           \tX\t1\t0\t980\n", Settings(1, SIZES))


def test_any_row_may_show_that_the_unit_is_wrong() -> None:
    # 980 words were 3920 bytes, more than the stack has, though later rows would fit.
    later = CORE_BEFORE.replace("980", "300")
    with pytest.raises(InputError, match="3920 bytes unused of a stack of 3584"):
        read(CORE_BEFORE + later, Settings(4, {**SIZES, "IDLE0": 8000, "IDLE1": 8000,
                                               "Tmr Svc": 8000}))  # fmt: skip
