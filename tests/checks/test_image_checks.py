"""Checks of what an image does and where its stacks and heaps lie: both sides of each line."""

from dataclasses import replace

import pytest

from mapinspect.checks.constants_in_ram import constants_in_ram
from mapinspect.checks.data_not_stored import data_not_stored
from mapinspect.checks.dma_unreachable import dma_unreachable
from mapinspect.checks.free_block_too_small import free_block_too_small
from mapinspect.checks.heap_reachable import heap_reachable
from mapinspect.checks.region_beyond_part import region_beyond_part
from mapinspect.checks.section_orphaned import section_orphaned
from mapinspect.checks.stack_collision import stack_collision
from mapinspect.checks.stack_misplaced import stack_misplaced
from mapinspect.checks.stacks_unproven import stacks_unproven
from mapinspect.checks.static_constructors import static_constructors
from mapinspect.model.finding import Outcome, Severity, Status
from mapinspect.model.habits import Collision, Habits, Margins
from mapinspect.model.image import Evidence, Span
from mapinspect.model.inspection import Inspection, Located, PlacedSection
from mapinspect.model.measurement import Build, Measurement, Run, Weighed
from mapinspect.model.part import MemoryBank, Part
from mapinspect.model.reservation import Neighbour, Reservation
from tests.builders import (
    FLASH,
    RAM,
    arena,
    bss,
    copy,
    data,
    inspection,
    located,
    map_facts,
    model,
    region_row,
    section,
    table,
    text,
)

HERE = Evidence("app.elf", None, "…")
STORED = data(0x600)


def facts(**changes: object) -> Inspection:
    return replace(inspection(text(), STORED), **changes)


def said(check, found: Inspection) -> tuple[list[Status], list[Severity]]:
    outcomes: list[Outcome] = list(check(found))
    findings = [finding.severity for outcome in outcomes for finding in outcome.findings]
    return [outcome.status for outcome in outcomes], findings


def message(check, found: Inspection) -> str:
    return "; ".join(item.message for outcome in check(found) for item in outcome.findings)


HOLDS, BROKEN, NOT_CLAIMED = [Status.HOLDS], [Status.BROKEN], [Status.NOT_CLAIMED]
WARNING, INFORMATION, ERROR = [Severity.WARNING], [Severity.INFORMATION], [Severity.ERROR]


# heap-reachable and static-constructors

MALLOC = (located("malloc", text(), size=64), located("_Znwj", text(), 64, size=8))
REQUEST = (Evidence("app.map", 9, "node.o asks for malloc"),)
NO_HEAP = replace(table(), heap="none")


def test_an_allocator_is_information_until_the_table_promises_none() -> None:
    found = facts(habits=Habits(allocators=MALLOC, requests=REQUEST))
    assert said(heap_reachable, found) == (NOT_CLAIMED, INFORMATION)
    assert "malloc, _Znwj" in message(heap_reachable, found)
    assert "node.o asks for malloc" in message(heap_reachable, found)
    assert said(heap_reachable, replace(found, table=NO_HEAP)) == (BROKEN, ERROR)


def test_the_promise_is_kept_by_an_image_that_allocates_nothing() -> None:
    assert said(heap_reachable, facts(table=NO_HEAP)) == (HOLDS, [])
    assert said(heap_reachable, facts()) == (NOT_CLAIMED, [])


def test_the_promise_cannot_be_judged_without_symbols() -> None:
    found = facts(table=NO_HEAP)
    stripped = replace(found, elf=replace(found.elf, stripped=True))
    assert said(heap_reachable, stripped) == ([Status.UNDECIDED], [Severity.UNDECIDED])
    assert said(heap_reachable, replace(stripped, table=table())) == (NOT_CLAIMED, [])


@pytest.mark.parametrize(
    ("constructors", "allocators", "expected"),
    [
        pytest.param((), MALLOC, [], id="no constructor"),
        pytest.param(("_GLOBAL__sub_I_x",), (), INFORMATION, id="one that cannot allocate"),
        pytest.param(("_GLOBAL__sub_I_x",), MALLOC, WARNING, id="one that may"),
    ],
)
def test_constructors_warn_where_something_allocates(
    constructors: tuple[str, ...], allocators: tuple, expected: list[Severity]
) -> None:
    habits = Habits(constructors=constructors, allocators=allocators)
    assert said(static_constructors, facts(habits=habits)) == (HOLDS, expected)


# constants-in-ram


def variable(name: str, size: int = 512) -> Habits:
    return Habits(constants=(located(name, STORED, size=size),))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("mel_filters", WARNING),
        ("kSineTable", WARNING),
        ("crc32_lut", WARNING),
        ("network_state", INFORMATION),
        ("tablet_driver", INFORMATION),
    ],
)
def test_a_name_that_speaks_of_a_table_warns(name: str, expected: list[Severity]) -> None:
    statuses, findings = said(constants_in_ram, facts(habits=variable(name)))
    assert findings == expected
    assert set(statuses) == {Status.HOLDS}


def test_weights_arenas_and_stacks_have_checks_of_their_own() -> None:
    place = located("mel_table", STORED, size=512)
    habits = Habits(constants=(place,))
    for other in (
        {"models": (model(copy(place)),)},
        {"arenas": (arena(place),)},
        {"reservations": (stack(place.span),)},
    ):
        assert said(constants_in_ram, facts(habits=habits, **other))[1] == []


@pytest.mark.parametrize(("size", "expected"), [(255, []), (256, WARNING)])
def test_few_bytes_of_copied_constants_are_not_worth_a_word(
    size: int, expected: list[Severity]
) -> None:
    habits = Habits(copied_constants=(located(".rodata.str", STORED, size=size),))
    assert said(constants_in_ram, facts(habits=habits))[1] == expected


# section-orphaned


@pytest.mark.parametrize(
    ("name", "expected"),
    [(".model_data", WARNING), (".note.gnu.property", []), (".ARM.attributes", [])],
)
def test_an_orphan_warns_with_its_place(name: str, expected: list[Severity]) -> None:
    home = section(name, FLASH.span.start + 0x800, 52)
    found = facts(orphans=(located(name, home, size=52),), map=map_facts())
    assert said(section_orphaned, found) == (HOLDS, expected)
    if expected:
        assert "(52 bytes)" in message(section_orphaned, found)
        assert "FLASH at 0x08000800" in message(section_orphaned, found)


def test_without_a_map_nothing_is_said_of_orphans() -> None:
    assert said(section_orphaned, facts()) == (NOT_CLAIMED, [])


# data-not-stored

LOST = section(".data", RAM.span.start + 0x800, 64, writable=True)


@pytest.mark.parametrize(
    ("home", "entry", "expected"),
    [
        pytest.param(LOST, FLASH.span.start, (HOLDS, WARNING), id="stored only where it runs"),
        pytest.param(STORED, FLASH.span.start, (HOLDS, []), id="stored in Flash"),
        pytest.param(LOST, RAM.span.start, (NOT_CLAIMED, []), id="an image that runs from RAM"),
        pytest.param(bss(64), FLASH.span.start, ([], []), id="without contents"),
        pytest.param(
            data(64, lma=RAM.span.start), FLASH.span.start, (HOLDS, WARNING), id="stored in RAM"
        ),
    ],
)
def test_initial_values_must_lie_in_flash(
    home: PlacedSection, entry: int, expected: object
) -> None:
    found = inspection(text(), home)
    found = replace(found, elf=replace(found.elf, entry=entry))
    assert said(data_not_stored, found) == expected


def test_values_that_no_flash_holds_are_lost() -> None:
    found = inspection(text(), LOST)
    found = replace(found, elf=replace(found.elf, entry=FLASH.span.start))
    found = replace(found, habits=Habits(valued=frozenset({LOST.ordinal})))
    assert said(data_not_stored, found)[1] == ERROR


# stacks


def stack(
    place: Span | None = None,
    *,
    name: str = "main",
    below: Neighbour | None = None,
    size: int = 256,
) -> Reservation:
    place = place or Span(RAM.span.end - size, size)
    return Reservation("stack", name, place.size, "test", False, place, HERE, below=below)


def heap(convention: str, size: int = 512, *, elastic: bool = True) -> Reservation:
    place = Span(RAM.span.start + 0xA00, size)
    evidence = Evidence("app.elf", None, f"from end {place.start:#x} to {place.end:#x}")
    return Reservation("heap", "C library", size, convention, elastic, place, evidence)


def test_something_in_a_stack_breaks() -> None:
    hit = Collision(stack(), ".persist", Span(RAM.span.end - 64, 64), HERE)
    found = facts(reservations=(stack(),), margins=Margins(collisions=(hit,)))
    assert said(stack_collision, found) == (BROKEN, ERROR)
    assert ".persist lies in 64 bytes of the stack main" in message(stack_collision, found)


@pytest.mark.parametrize(
    ("room", "expected"),
    [
        pytest.param(None, (NOT_CLAIMED, []), id="nothing says where the stack is"),
        pytest.param(1, (HOLDS, WARNING), id="one byte is left: only the table can ask for more"),
        pytest.param(0, (BROKEN, ERROR), id="not a byte is left"),
    ],
)
def test_a_stack_that_nothing_reserves_needs_a_byte(room: int | None, expected: object) -> None:
    assert said(stack_collision, facts(margins=Margins(room=room))) == expected


@pytest.mark.parametrize(
    ("convention", "habits", "expected"),
    [
        pytest.param("sbrk", Habits(allocators=MALLOC, sbrk=("_sbrk",)), WARNING, id="no limit"),
        pytest.param("CMSIS", Habits(allocators=MALLOC, sbrk=("_sbrk",)), [], id="__HeapLimit"),
        pytest.param("sbrk", Habits(sbrk=("_sbrk",)), [], id="nothing allocates"),
        pytest.param("sbrk", Habits(allocators=MALLOC), [], id="an allocator of its own memory"),
    ],
)
def test_a_heap_without_a_limit_warns(
    convention: str, habits: Habits, expected: list[Severity]
) -> None:
    found = facts(reservations=(stack(), heap(convention)), habits=habits)
    statuses, findings = said(stack_collision, found)
    assert (set(statuses), findings) == ({Status.HOLDS}, expected)


@pytest.mark.parametrize(
    ("size", "allocators", "expected"),
    [
        pytest.param(0x500, MALLOC, [], id="ends where the stack begins"),
        pytest.param(0x501, MALLOC, WARNING, id="ends in the stack"),
        pytest.param(0x501, (), [], id="nobody allocates"),
    ],
)
def test_a_heap_that_may_grow_into_a_stack_warns(
    size: int, allocators: tuple[Located, ...], expected: list[Severity]
) -> None:
    """The stack takes the last 0x100 bytes of RAM, the heap begins 0x600 bytes before its end."""
    assert RAM.span.size == 0x1000
    found = facts(reservations=(stack(), heap("CMSIS", size)), habits=Habits(allocators=allocators))
    assert said(stack_collision, found)[1] == expected


@pytest.mark.parametrize(
    ("gap", "guards", "expected"),
    [
        pytest.param(0, (), INFORMATION, id="touching"),
        pytest.param(63, (), INFORMATION, id="a gap that one call crosses"),
        pytest.param(64, (), [], id="a gap"),
        pytest.param(0, ("__stack_chk_fail",), [], id="a guard is linked"),
    ],
)
def test_what_an_overflow_hits_is_information(
    gap: int, guards: tuple[str, ...], expected: list[Severity]
) -> None:
    below = Neighbour("scores", Span(RAM.span.start, 64), gap)
    found = facts(reservations=(stack(below=below),), habits=Habits(guards=guards))
    assert said(stack_collision, found) == (HOLDS, expected)


@pytest.mark.parametrize(
    ("place", "machine", "expected"),
    [
        pytest.param(Span(RAM.span.end - 256, 256), "ARM", HOLDS, id="at the end of RAM"),
        pytest.param(Span(RAM.span.end - 260, 256), "ARM", BROKEN, id="4 bytes below"),
        pytest.param(Span(RAM.span.end - 264, 256), "ARM", HOLDS, id="8 bytes below"),
        pytest.param(Span(RAM.span.end - 264, 256), "RISCV", BROKEN, id="8 bytes on RISC-V"),
        pytest.param(Span(RAM.span.end - 260, 256), "AVR", HOLDS, id="AVR wants nothing"),
        pytest.param(Span(RAM.span.end - 128, 256), "ARM", BROKEN, id="half outside"),
        pytest.param(Span(FLASH.span.start, 256), "ARM", BROKEN, id="in Flash"),
    ],
)
def test_where_a_stack_may_lie(place: Span, machine: str, expected: list[Status]) -> None:
    found = facts(reservations=(stack(place),))
    found = replace(found, elf=replace(found.elf, machine=machine))
    assert said(stack_misplaced, found)[0] == expected


def test_stacks_of_tasks_are_aligned_by_their_rtos() -> None:
    found = facts(reservations=(stack(Span(RAM.span.start + 4, 254), name="camera"),))
    assert said(stack_misplaced, found) == (HOLDS, [])


def test_unmeasured_stacks_are_named_and_warn_once_others_are_measured() -> None:
    two = (stack(), stack(Span(RAM.span.start, 128), name="camera"))
    assert said(stacks_unproven, facts(reservations=two[:1])) == (NOT_CLAIMED, [])
    assert said(stacks_unproven, facts(reservations=two)) == (NOT_CLAIMED, INFORMATION)
    peak = Measurement("stack.peak", "stack", "main", 9, Run(), HERE)
    measured = (Weighed(peak, Build.SAME, "main", 256, span=two[0].place),)
    found = facts(reservations=two, measured=measured, habits=Habits(thread_local=12))
    assert said(stacks_unproven, found) == (HOLDS, WARNING)
    text_ = message(stacks_unproven, found)
    assert "1 stacks of 128 bytes were not measured: camera 128" in text_
    assert "12 thread-local bytes" in text_
    both = (*measured, Weighed(peak, Build.SAME, "camera", 128, span=two[1].place))
    assert said(stacks_unproven, facts(reservations=two, measured=both)) == (HOLDS, [])


# free-block-too-small


@pytest.mark.parametrize(
    ("free", "expected"), [(1000, HOLDS), (999, BROKEN)], ids=["just fits", "one byte short"]
)
def test_an_arena_that_no_array_holds_needs_one_free_block(
    free: int, expected: list[Status]
) -> None:
    run = Margins(largest_free=Span(RAM.span.start, free))
    pointer = arena(located("tensor_arena", bss(64), size=4), needed=1000)
    found = facts(arenas=(pointer,), margins=run)
    assert said(free_block_too_small, found)[0] == expected
    asked = replace(arena(needed=10), size_constant=(1000, HERE))
    assert said(free_block_too_small, replace(found, arenas=(asked,)))[0] == expected
    array = arena(located("tensor_arena", bss(64), size=64), needed=1000)
    for other in (array, arena(needed=1000)):  # a name that is not found may be misspelt
        assert said(free_block_too_small, replace(found, arenas=(other,)))[0] == NOT_CLAIMED


def test_the_largest_heap_counts_where_heaps_are_set_aside() -> None:
    run = Margins(largest_free=Span(RAM.span.start, 4000))
    heaps = (heap("CMSIS", 400, elastic=False), heap("CMSIS", 999, elastic=False))
    pointer = arena(located("tensor_arena", bss(64), size=4), needed=1000)
    found = facts(arenas=(pointer,), margins=run, reservations=heaps)
    assert said(free_block_too_small, found)[0] == BROKEN
    grown = (replace(heaps[0], grows_to=1000),)
    assert said(free_block_too_small, replace(found, reservations=grown))[0] == HOLDS


# region-beyond-part

BANKS = (
    MemoryBank("FLASH", "flash", FLASH.span),
    MemoryBank("SRAM1", "ram", Span(RAM.span.start, 0x800)),
    MemoryBank("SRAM2", "ram", Span(RAM.span.start + 0x800, 0x800)),
    MemoryBank("CCM", "ram", Span(0x1000_0000, 0x4000)),
)
PART = Part("TEST32", "Cortex-M4", BANKS, "a test", HERE)


def with_banks(*banks: MemoryBank, **changes: object) -> Inspection:
    return facts(part=replace(PART, banks=banks), **changes)


def test_a_region_may_span_banks_that_touch() -> None:
    statuses, findings = said(region_beyond_part, with_banks(*BANKS[:3]))
    assert (set(statuses), findings) == ({Status.HOLDS}, [])


def test_a_region_past_its_bank_breaks_with_the_bytes() -> None:
    found = with_banks(*BANKS[:2])
    assert said(region_beyond_part, found)[1] == ERROR
    assert "RAM ends at 0x20001000, 2048 bytes past SRAM1 of TEST32" in message(
        region_beyond_part, found
    )


@pytest.mark.parametrize(
    ("most", "expected"),
    [
        pytest.param(RAM.span.size, WARNING, id="a setting makes the bank as large"),
        pytest.param(RAM.span.size - 1, ERROR, id="no setting makes it as large"),
    ],
)
def test_a_region_of_the_size_that_a_setting_gives(most: int, expected: list[Severity]) -> None:
    found = with_banks(BANKS[0], replace(BANKS[1], most=most))
    assert said(region_beyond_part, found)[1] == expected


def test_a_region_where_the_part_has_nothing_warns() -> None:
    assert said(region_beyond_part, with_banks(BANKS[0]))[1] == WARNING


def test_memory_outside_the_part_is_known_where_the_table_says_so() -> None:
    row = replace(region_row("RAM"), kind="psram")
    found = with_banks(BANKS[0], table=replace(table(), regions=(row,)))
    assert said(region_beyond_part, found)[1] == []


def test_a_part_without_memory_where_the_image_is_stored_is_not_the_images() -> None:
    statuses, _ = said(region_beyond_part, with_banks(BANKS[1], BANKS[2]))
    assert Status.UNDECIDED in statuses


def test_a_flash_region_in_ram_breaks() -> None:
    flash = replace(BANKS[0], kind="ram")
    assert said(region_beyond_part, with_banks(flash, *BANKS[1:3]))[1] == ERROR


def test_variables_in_a_bank_of_flash_break() -> None:
    found = with_banks(BANKS[0], replace(BANKS[1], kind="flash"), replace(BANKS[2], kind="flash"))
    found = replace(found, usages=inspection(text(), bss(64)).usages)
    assert said(region_beyond_part, found)[1] == ERROR
    assert "RAM holds .bss, which start-up writes, but SRAM1 of TEST32 is flash" in message(
        region_beyond_part, found
    )


@pytest.mark.parametrize(
    ("name", "attributes", "bank", "expected"),
    [
        pytest.param("FLASH", "xrw", "flash", "flash", id="Flash that a script calls writable"),
        pytest.param("iram0_0_seg", "xr", "ram", "sram", id="RAM for code"),
        pytest.param("iram0_0_seg", "xr", None, "sram", id="RAM for code, the part unknown"),
        pytest.param("iram0_2_seg", "xr", "external", "flash", id="ESP-IDF's cached Flash"),
        pytest.param("iram0_2_seg", "xr", None, "flash", id="the same, the part unknown"),
        pytest.param("extern_ram_seg", "xrw", "external", "psram", id="PSRAM behind a window"),
        pytest.param("PROGRAM", "xr", None, "flash", id="a name that only ends like RAM"),
        pytest.param("DATA_EEPROM", "rw", None, "eeprom", id="EEPROM by its name"),
        pytest.param("NV", "rw", "eeprom", "eeprom", id="EEPROM by the part"),
        pytest.param("lock", "rw", None, "sram", id="AVR's name elsewhere"),
        pytest.param("FRAM", "rwx", None, "sram", id="RAM that keeps its bytes"),
        pytest.param("X", "", None, None, id="nothing says"),
        pytest.param("X", "", "ram", "sram", id="only the part says"),
    ],
)
def test_what_memory_a_region_is(
    name: str, attributes: str, bank: str | None, expected: str | None
) -> None:
    """Names and attributes: ESP-IDF's memory.ld; scripts of STM32 and GD32 projects."""
    region = replace(FLASH, name=name, attributes=attributes)
    part = replace(PART, banks=(replace(BANKS[0], kind=bank),)) if bank else None
    assert facts(regions=(region,), part=part).kind(name) == expected


def test_an_unused_bank_is_one_line_of_information() -> None:
    found = with_banks(*BANKS)
    assert said(region_beyond_part, found)[1] == INFORMATION
    assert "no memory region covers CCM (16384 bytes)" in message(region_beyond_part, found)
    assert said(region_beyond_part, facts()) == (NOT_CLAIMED, [])


@pytest.mark.parametrize(("more", "expected"), [(0, []), (1, ERROR)])
def test_what_a_linker_may_not_place_breaks(more: int, expected: list[Severity]) -> None:
    used = facts().usage("RAM").used
    limited = replace(BANKS[1], span=RAM.span, static_limit=used - more)
    assert said(region_beyond_part, with_banks(BANKS[0], limited))[1] == expected


# dma-unreachable


@pytest.mark.parametrize(
    ("dma", "expected"),
    [(True, (HOLDS, [])), (False, (HOLDS, WARNING)), (None, ([], []))],
    ids=["reached", "out of reach", "not known"],
)
def test_a_buffer_for_dma(dma: bool | None, expected: object) -> None:
    bank = replace(BANKS[1], span=RAM.span, dma=dma)
    buffers = Habits(dma_buffers=(located("adc_dma_buffer", bss(64), size=64),))
    assert said(dma_unreachable, with_banks(bank, habits=buffers)) == expected
