"""Conventions that no linked case has, from labels as the vendors' scripts and files set them."""

import pytest

from mapinspect.analysis.reservations.find import reservations_of
from mapinspect.analysis.reservations.layout import (
    Block,
    Label,
    Layout,
    Variables,
    joined,
    layout_of_elf,
)
from mapinspect.model.image import Evidence, Region, Span
from mapinspect.model.reservation import Reservations
from mapinspect.readers.elf import read_elf
from tests.elf_builder import STT_OBJECT, ElfSymbolSpec, bss, build_elf, text

HERE = Evidence("app.map", 7, "")
RAM = Region("RAM", Span(0x2000_0000, 0x1_0000), "xrw", HERE)
FLASH = Region("FLASH", Span(0x0800_0000, 0x10_0000), "xr", HERE)
Short = tuple[str, str, int, bool]


def layout(
    labels: dict[str, int],
    sections: dict[str, tuple[int, int]] | None = None,
    objects: dict[str, tuple[int, int]] | None = None,
    regions: tuple[Region, ...] = (FLASH, RAM),
) -> Layout:
    def blocks(named: dict[str, tuple[int, int]]) -> tuple[Block, ...]:
        return tuple(Block(name, Span(*span), HERE) for name, span in named.items())

    known = {name: Label(name, value, HERE) for name, value in labels.items()}
    variables = objects or {}
    starts, sizes = [span[0] for span in variables.values()], [s[1] for s in variables.values()]
    return Layout(
        known,
        list(labels.values()),
        blocks(sections or {}),
        Variables("app.elf", list(variables), starts, sizes),
        regions,
    )


def rows(found: Reservations) -> list[Short]:
    return [(i.kind, i.name, i.bytes, i.elastic) for i in found.items]


@pytest.mark.parametrize(
    ("labels", "sections", "expected"),
    [
        pytest.param(
            # pico-sdk's own script: __StackLimit is where the heap ends, in another bank.
            {"__StackBottom": 0x2000_F800, "__StackTop": 0x2001_0000, "__StackLimit": 0x2000_8000},
            {},
            [("stack", "core 0", 0x800, False)],
            id="pico-sdk beside CMSIS names",
        ),
        pytest.param(
            {"_sstack": 0x2000_0100, "_estack": 0x2000_0500, "_system_stack_size": 0x400},
            {".stack": (0x2000_0100, 0x400)},
            [("stack", "main", 0x400, False)],
            id="RT-Thread",
        ),
        pytest.param(
            {
                "Image$$ARM_LIB_STACK$$ZI$$Base": 0x2000_8000,
                "Image$$ARM_LIB_STACK$$ZI$$Limit": 0x2000_8400,
                "Image$$ARM_LIB_HEAP$$ZI$$Base": 0x2000_4000,
                "Image$$ARM_LIB_HEAP$$ZI$$Limit": 0x2000_8000,
            },
            {},
            [("stack", "main", 0x400, False), ("heap", "C library", 0x4000, False)],
            id="armlink",
        ),
        pytest.param(
            {"CSTACK$$Base": 0x2000_1000, "CSTACK$$Limit": 0x2000_1400},
            {"CSTACK": (0x2000_1000, 0x400), "HEAP": (0x2000_1400, 0x800)},
            [("stack", "main", 0x400, False), ("heap", "HEAP", 0x800, False)],
            id="IAR",
        ),
        pytest.param(
            {"__stack": 0x2000_0400, "__STACK_END": 0x2000_0800, "__STACK_SIZE": 0x400},
            {".stack": (0x2000_0400, 0x400), ".sysmem": (0x2000_0800, 0x100)},
            [("stack", "main", 0x400, False), ("heap", ".sysmem", 0x100, False)],
            id="TI",
        ),
        pytest.param(
            {"__irq_stack_base__": 0x2000_0000, "__irq_stack_end__": 0x2000_0100}
            | {"__main_stack_base__": 0x2000_0100, "__main_stack_end__": 0x2000_0300},
            {},
            [("stack", "irq", 0x100, False), ("stack", "main", 0x200, False)],
            id="ChibiOS with a stack for each mode",
        ),
        pytest.param(
            {"_stack_start": 0x2000_2000, "__ebss": 0x2000_9000},
            {},
            [("stack", "main", 0x2000, True)],
            id="cortex-m-rt with flip-link",
        ),
        pytest.param(
            # Cube's heap of 0 bytes: newlib still grows from _end to the stack.
            {
                "_Min_Heap_Size": 0,
                "_Min_Stack_Size": 0x400,
                "_estack": 0x2001_0000,
                "_end": 0x2000_1000,
            },
            {},
            [("stack", "main", 0x400, False), ("heap", "C library", 0xEC00, True)],
            id="STM32Cube without a least heap",
        ),
        pytest.param(
            {"_Min_Heap_Size": 0x200, "_Min_Stack_Size": 0x400, "_estack": 0x2001_0000},
            {"._user_heap_stack": (0x2000_1804, 0x604), "._threadx_heap": (0x2000_1000, 0x804)},
            [
                ("stack", "main", 0x400, False),
                ("heap", "._threadx_heap", 0x804, False),
                ("heap", "C library", 0x200, False),
            ],
            id="ThreadX on STM32Cube has both heaps",
        ),
        pytest.param(
            {"_heap_start": 0x2000_3000},
            {".dram0.heap_start": (0x2000_3000, 0)},
            [("heap", "C library", 0xD000, True)],
            id="ESP-IDF with only the start",
        ),
        pytest.param(
            {"__HeapBase": 0x2000_1000, "__HeapLimit": 0x2001_0000},
            {".heap": (0x2000_1000, 0xF000)},
            [("heap", "C library", 0xF000, True)],
            id="a heap to the end of its region is elastic",
        ),
        pytest.param(
            {"__HeapBase": 0x2000_1000, "__HeapLimit": 0x2001_0000, "__HEAP_SIZE": 0xF000},
            {},
            [("heap", "C library", 0xF000, False)],
            id="unless a constant fixes it",
        ),
    ],
)
def test_a_convention_is_recognised(
    labels: dict[str, int], sections: dict[str, tuple[int, int]], expected: list[Short]
) -> None:
    found = reservations_of(layout(labels, sections))
    assert rows(found) == expected
    # Only heaps grow, and only stacks overflow downwards.
    assert all(item.grows_to is None for item in found.of_kind("stack"))
    assert all(item.below is None for item in found.of_kind("heap"))


@pytest.mark.parametrize(
    "labels",
    [
        pytest.param({"__StackLimit": 0x2000_0400, "__StackTop": 0x2000_0400}, id="empty"),
        pytest.param({"__StackLimit": 0x2000_0500, "__StackTop": 0x2000_0400}, id="upside down"),
        pytest.param({"__StackLimit": 0x0800_0000, "__StackTop": 0x2000_0400}, id="across regions"),
        pytest.param({"__StackLimit": 0x3000_0000, "__StackTop": 0x3000_0400}, id="outside them"),
        pytest.param({"stack_size": 0x2000_0400}, id="an address called a size"),
        pytest.param({"_Min_Stack_Size": 0}, id="a size of nothing"),
        pytest.param({"_estack": 0x2001_0000}, id="only the top"),
        pytest.param(
            {"__stack": 0x2001_0000, "_stack": 0x2001_0000}, id="libopencm3: only the top"
        ),
    ],
)
def test_labels_that_reserve_nothing_give_nothing(labels: dict[str, int]) -> None:
    found = reservations_of(layout(labels, {".bss": (0x2000_0000, 0x100)}))
    assert rows(found) == []
    assert [left.span for left in found.left] == [Span(0x2000_0100, 0xFF00)]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        pytest.param("uxIdleTaskStack", "stack", id="FreeRTOS"),
        pytest.param("xStack.0", "stack", id="with a compiler's suffix"),
        pytest.param("_k_thread_stack_logging", "stack", id="Zephyr"),
        pytest.param("task_stack_mem", "stack", id="with a word for memory"),
        pytest.param("g_pui32Stack", "stack", id="Hungarian"),
        pytest.param("Stack_Mem", "stack", id="Keil start-up"),
        pytest.param("g_main_stack", "stack", id="Renesas FSP"),
        pytest.param("STACK1", "stack", id="capitals and a number"),
        pytest.param("irqStacks", "stack", id="several"),
        pytest.param("port_IntStack", "stack", id="ESP-IDF"),
        pytest.param("g_heap", "heap", id="Renesas FSP heap"),
        pytest.param("HEAP_MEM", "heap", id="embedded-alloc"),
        pytest.param("tx_app_byte_pool_buffer", "heap", id="ThreadX pool"),
        pytest.param("kheap_camera", "heap", id="Zephyr heap"),
        pytest.param("stack_size", None, id="a size"),
        pytest.param("pxStackPointer", None, id="a pointer"),
        pytest.param("heap_stats", None, id="figures about a heap"),
        pytest.param("__stack_chk_guard", None, id="a canary"),
        pytest.param("haystack", None, id="another word"),
        pytest.param("cheapest", None, id="another word with heap in it"),
        pytest.param("stack_protector_key", None, id="something behind it"),
        pytest.param("bt_stack_config", None, id="a protocol stack"),
    ],
)
def test_a_variable_is_a_stack_or_heap_by_the_words_of_its_name(
    name: str, kind: str | None
) -> None:
    found = reservations_of(layout({}, objects={name: (0x2000_0000, 512)}))
    assert [(item.kind, item.name, item.bytes) for item in found.items] == (
        [(kind, name, 512)] if kind else []
    )
    assert rows(reservations_of(layout({}, objects={name: (0x2000_0000, 63)}))) == []


def test_one_stack_is_listed_once_whatever_names_it() -> None:
    found = reservations_of(
        layout(
            {"__StackLimit": 0x2000_F000, "__StackTop": 0x2001_0000, "__STACK_SIZE": 0x1000},
            {".stack": (0x2000_F000, 0x1000)},
            {"main_stack": (0x2000_F000, 0x1000), "worker_stack": (0x2000_0000, 0x200)},
        )
    )
    assert rows(found) == [("stack", "worker_stack", 512, False), ("stack", "main", 4096, False)]


def test_what_an_overflow_hits_is_the_nearest_thing_below_in_the_same_region() -> None:
    found = reservations_of(
        layout(
            {"__StackLimit": 0x2000_0400, "__StackTop": 0x2000_0800},
            {".bss": (0x2000_0000, 0x3F0)},
            {"arena": (0x2000_0000, 0x3F0), "flag": (0x2000_03E0, 8), "later": (0x2000_0900, 4)},
        )
    )
    below = found.items[0].below
    assert below is not None
    assert (below.name, below.span, below.gap) == ("arena", Span(0x2000_0000, 0x3F0), 16)
    lowest = {"__StackLimit": 0x2000_0000, "__StackTop": 0x2000_0800}
    (item,) = reservations_of(layout(lowest, {".text": (0x0800_0000, 64)})).items
    assert item.below is None


def test_an_odd_stack_top_is_the_last_byte_of_memory_as_on_avr() -> None:
    found = reservations_of(layout({"__heap_start": 0x80_0200, "__stack": 0x80_08FF}, regions=()))
    assert rows(found) == [("heap", "C library", 0x700, True)]


def test_an_avr_stack_top_may_lack_the_offset_of_data() -> None:
    # avr-libc's crt sets __stack to RAMEND, 0x21ff on an ATmega2560; its script gives data 64 KiB.
    data_region = Region("data", Span(0x80_0200, 0xFFA0), "rw!x", HERE)
    found = reservations_of(layout({"_end": 0x80_0280, "__stack": 0x21FF}, regions=(data_region,)))
    assert rows(found) == [("heap", "C library", 0x2200 - 0x280, True)]


def test_a_constant_of_its_size_makes_a_heap_fixed() -> None:
    labels = {"_end": 0x2000_0000, "_heap_end": 0x2000_1000, "_Min_Heap_Size": 0x1000}
    assert rows(reservations_of(layout(labels))) == [("heap", "C library", 0x1000, False)]


def test_nuttx_keeps_the_label_in_a_constant() -> None:
    elf = read_elf(
        "nuttx.elf",
        build_elf(
            sections=[
                text(bytes.fromhex("00040020"), name=".rodata"),
                bss(0x200, vma=0x2000_0000),
            ],
            symbols=[
                ElfSymbolSpec(
                    "g_idle_topstack", 0x0800_0000, 4, section=".rodata", kind=STT_OBJECT
                ),
                ElfSymbolSpec("_ebss", 0x2000_0200, 0, section=".bss"),
            ],
        ),
    )
    assert rows(reservations_of(layout_of_elf(elf))) == [("stack", "idle", 0x200, False)]


def test_joined_layouts_believe_the_first() -> None:
    elf = layout({"__StackTop": 0x2000_0800}, {".bss": (0x2000_0000, 4)})
    linked = layout(
        {"__StackTop": 1, "__StackLimit": 0x2000_0400}, {".bss": (1, 2), ".heap": (3, 4)}
    )
    both = joined(elf, linked)
    assert {name: label.value for name, label in both.labels.items()} == {
        "__StackTop": 0x2000_0800,
        "__StackLimit": 0x2000_0400,
    }
    assert [(item.name, item.span) for item in both.sections] == [
        (".bss", Span(0x2000_0000, 4)),
        (".heap", Span(3, 4)),
    ]
