"""Stacks and heaps of linked images, one per convention.

Expected values: the ``reservation`` part of each case's truth.json (symbol values read by nm), and
for what that leaves out the numbers in the case's link.ld and sources, written out here.
"""

import json
from pathlib import Path

import pytest

from mapinspect.analysis.regions import map_regions
from mapinspect.analysis.reservations.find import reservations_of
from mapinspect.analysis.reservations.layout import Layout, joined, layout_of_elf
from mapinspect.analysis.reservations.map_layout import layout_of_map
from mapinspect.model.image import Evidence, Region, Span
from mapinspect.model.reservation import Reservations
from mapinspect.readers.elf import read_elf
from mapinspect.readers.gnu_map import read_map

FIXED, ELASTIC = False, True
Row = tuple[str, str, int, str, bool]

# Every stack and heap of each case; the rows that truth.json adds up come first in each kind.
EXPECTED: dict[str, list[Row]] = {
    "sh_avr_like": [],
    "sh_chibios": [
        ("stack", "main", 0x400, "ChibiOS", FIXED),
        ("stack", "process", 0x600, "ChibiOS", FIXED),
        ("heap", "core", 17912, "ChibiOS", ELASTIC),
    ],
    "sh_cmsis_gcc": [
        ("stack", "main", 0x500, "CMSIS", FIXED),
        ("heap", "C library", 0xC00, "CMSIS", FIXED),
    ],
    "sh_cmsis_old_startup": [
        ("stack", "main", 0x600, "CMSIS", FIXED),
        ("heap", "C library", 0x280, "CMSIS", FIXED),
    ],
    "sh_esp_idf": [
        ("stack", "xMainTaskStack", 3584, "FreeRTOS task stack", FIXED),
        ("heap", "C library", 16888, "ESP-IDF: _heap_start", ELASTIC),
    ],
    "sh_freertos": [
        ("stack", "xTimerStack", 4 * 256, "FreeRTOS task stack", FIXED),
        ("stack", "xIdleStack", 4 * 128, "FreeRTOS task stack", FIXED),
        ("heap", "ucHeap", 4096, "FreeRTOS heap_1, heap_2 or heap_4", FIXED),
    ],
    "sh_freescale_initial_sp": [
        ("stack", "main", 0x300, "size constant", FIXED),
        ("heap", "C library", 0x100, "size constant", FIXED),
    ],
    "sh_kinetis_ksdk": [
        ("stack", "main", 0x800, "CMSIS", FIXED),
        ("heap", "C library", 0x400, "CMSIS", FIXED),
    ],
    "sh_mcuxpresso": [
        ("stack", "main", 0x1000, "MCUXpresso", FIXED),
        ("heap", "C library", 0x400, "MCUXpresso", FIXED),
    ],
    "sh_microchip_sam": [
        ("stack", "main", 0x400, "ASF, RT-Thread", FIXED),
        ("heap", "C library", 0x200, "ASF", FIXED),
    ],
    "sh_newlib_sbrk": [("heap", "C library", 20472, "sbrk", ELASTIC)],
    "sh_picolibc": [
        ("stack", ".stack", 0x400, "output section", FIXED),
        ("heap", ".heap", 0x200, "output section", FIXED),
    ],
    "sh_picolibc_used": [
        ("stack", ".stack", 0x400, "output section", FIXED),
        ("heap", ".heap", 0x200, "output section", FIXED),
    ],
    "sh_riscv_gd32": [
        ("stack", ".stack", 2048, "output section", FIXED),
        ("heap", "C library", 18424, "Nuclei, SiFive: _heap_end", ELASTIC),
    ],
    "sh_rp2040": [
        ("stack", "core 0", 2048, "pico-sdk", FIXED),
        ("stack", "core 1", 1024, "pico-sdk", FIXED),
        ("heap", "C library", 2048, "CMSIS", FIXED),
    ],
    "sh_rust_cortex_m": [("stack", "main", 20476, "cortex-m-rt", ELASTIC)],
    "sh_stm32cube": [
        ("stack", "main", 0x400, "STM32Cube", FIXED),
        ("heap", "C library", 0x200, "STM32Cube", FIXED),
    ],
    "sh_threadx_nuttx": [
        ("stack", ".idle_stack", 0x400, "output section", FIXED),
        ("heap", "._threadx_heap", 0x804, "output section", FIXED),
    ],
    "sh_zephyr": [
        ("stack", "z_main_stack", 1024, "Zephyr thread stack", FIXED),
        ("stack", "z_interrupt_stacks", 512, "Zephyr thread stack", FIXED),
        ("stack", "z_idle_stacks", 320, "Zephyr thread stack", FIXED),
        ("stack", "my_thread_stack", 768, "variable named as a stack", FIXED),
        ("heap", "kheap__system_heap", 512, "Zephyr k_heap", FIXED),
    ],
}
# How many rows of a kind the truth adds up, where not all: the limits in link_cases/README.md.
COUNTED_ROWS = {("sh_rp2040", "stack"): 1, ("sh_zephyr", "stack"): 1}

OTHER_LINKERS = {
    "sh_avr_like": ("2.43.90", "2.47"),
    "sh_riscv_gd32": ("2.44", "2.47"),
    "sh_esp_idf": ("2.35.2", "2.44", "2.45.50"),
}
CASES = [
    pytest.param(name, variant, id=f"{name} by ld {variant or '2.40'}")
    for name in EXPECTED
    for variant in ("", *OTHER_LINKERS.get(name, ("2.35.2", "2.44", "2.47")))
]


def case_folder(shared: Path, name: str, variant: str) -> Path:
    folder = shared / "link_cases" / name
    return folder / "variants" / variant if variant else folder


def regions_of(truth: dict[str, object]) -> tuple[Region, ...]:
    rows = truth["memory_regions"]
    assert isinstance(rows, dict)
    return tuple(
        Region(name, Span(row[0], row[1]), row[2] if len(row) > 2 else "", Evidence("m", 1, ""))
        for name, row in rows.items()
        if name != "*default*"
    )


def rows_of(found: Reservations) -> list[Row]:
    return [(i.kind, i.name, i.bytes, i.convention, i.elastic) for i in found.items]


def equal_truth(name: str, found: Reservations, truth: dict[str, object]) -> None:
    said = truth["reservation"]
    assert isinstance(said, dict)
    for kind in ("stack", "heap"):
        expected = [row[1] for row in EXPECTED[name] if row[0] == kind]
        counted = expected[: COUNTED_ROWS.get((name, kind), len(expected))]
        sizes = [item.bytes for item in found.of_kind(kind) if item.name in counted]
        assert (sum(sizes) or None) == said[kind]["size"], kind


@pytest.mark.parametrize("known_regions", [True, False], ids=["with regions", "without regions"])
@pytest.mark.parametrize(("name", "variant"), CASES)
def test_the_elf_alone_gives_every_stack_and_heap(
    shared: Path, name: str, variant: str, known_regions: bool
) -> None:
    folder = case_folder(shared, name, variant)
    truth = json.loads((folder / "truth.json").read_text())
    elf = read_elf("case.elf", (folder / "case.elf").read_bytes())
    found = reservations_of(layout_of_elf(elf, regions_of(truth) if known_regions else ()))
    assert sorted(rows_of(found)) == sorted(EXPECTED[name])
    equal_truth(name, found, truth)


# A map names no static: the thread's stack is only an unnamed input section, told as such.
NOT_IN_A_MAP = {"sh_zephyr": {"my_thread_stack"}}
MAP_CASES = [*CASES, pytest.param("sh_riscv_gd32", "2.32", id="sh_riscv_gd32 by ld 2.32")]


def map_layout(folder: Path) -> Layout:
    link_map = read_map("case.map", (folder / "case.map").read_bytes())
    return layout_of_map(link_map, map_regions(link_map, 32))


@pytest.mark.parametrize(("name", "variant"), MAP_CASES)
def test_the_map_alone_gives_every_stack_and_heap_it_names(
    shared: Path, name: str, variant: str
) -> None:
    folder = case_folder(shared, name, variant)
    found = reservations_of(map_layout(folder))
    unnamed = NOT_IN_A_MAP.get(name, set())
    assert sorted(rows_of(found)) == sorted(r for r in EXPECTED[name] if r[1] not in unnamed)
    truth = json.loads((folder / "truth.json").read_text())
    if "reservation" in truth:
        equal_truth(name, found, truth)
    assert all(item.evidence.line for item in found.items)


@pytest.mark.parametrize("name", EXPECTED)
def test_elf_and_map_together_say_what_the_elf_says(shared: Path, name: str) -> None:
    folder = case_folder(shared, name, "")
    elf = read_elf("case.elf", (folder / "case.elf").read_bytes())
    both = joined(layout_of_elf(elf), map_layout(folder))
    assert sorted(rows_of(reservations_of(both))) == sorted(EXPECTED[name])


def found_in(shared: Path, name: str) -> Reservations:
    folder = case_folder(shared, name, "")
    elf = read_elf("case.elf", (folder / "case.elf").read_bytes())
    truth = json.loads((folder / "truth.json").read_text())
    return reservations_of(layout_of_elf(elf, regions_of(truth)))


# Addresses from each case's nm.txt and readelf.txt.
@pytest.mark.parametrize(
    ("case", "kept", "runs_at", "below"),
    [
        pytest.param(
            "sh_stm32cube/main",
            0x2000_0208,
            0x2000_4C00,
            ("heap C library", 0x4C00 - 0x208),
            id="the stack is at the end of RAM, its check behind the variables",
        ),
        pytest.param(
            "sh_kinetis_ksdk/main",
            0x2000_0408,
            0x2000_4800,
            ("heap C library", 0x4800 - 0x408),
            id="the same with sections of their own",
        ),
        pytest.param("sh_cmsis_gcc/main", 0x2000_4B00, None, ("heap C library", 0x3EF8), id="top"),
        pytest.param("sh_chibios/process", 0x2000_0408, None, ("stack main", 0), id="two stacks"),
        pytest.param("sh_riscv_gd32/.stack", 0x2000_4800, None, ("heap C library", 0), id="heap"),
        pytest.param("sh_microchip_sam/main", 0x2000_0008, None, ("d", 4), id="below the heap"),
        pytest.param("sh_rp2040/core 0", 0x2004_1000, 0x2004_1800, None, id="a bank of its own"),
        pytest.param(
            "sh_zephyr/z_idle_stacks", 0x2000_0618, None, ("z_interrupt_stacks", 0), id="z"
        ),
    ],
)
def test_a_stack_says_where_it_lies_and_what_it_would_overwrite(
    shared: Path, case: str, kept: int, runs_at: int | None, below: tuple[str, int] | None
) -> None:
    name, stack = case.split("/")
    (item,) = [item for item in found_in(shared, name).items if item.name == stack]
    assert item.span == Span(kept, item.bytes)
    assert item.runs_at == (None if runs_at is None else Span(runs_at, item.bytes))
    assert (item.below and (item.below.name, item.below.gap)) == below


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        # Region end minus the end of .bss (nm: _ebss); AVR's RAM ends at 0x800900.
        pytest.param("sh_avr_like", {"RAM": 0x80_0900 - 0x80_0104}, id="nothing reserved, AVR"),
        pytest.param("sh_freertos", {"RAM": 0x2000_5000 - 0x2000_1608}, id="only tasks' stacks"),
        pytest.param("sh_newlib_sbrk", {"RAM": 0x2000_5000 - 0x2000_0004}, id="nothing reserved"),
        pytest.param("sh_cmsis_gcc", {"RAM": 0x2000_4B00 - 0x2000_0C08}, id="heap to stack"),
        pytest.param(
            "sh_rp2040",
            {"RAM": 0x2004_0000 - 0x2000_0808, "SCRATCH_X": 3072, "SCRATCH_Y": 2048},
            id="each bank apart",
        ),
    ],
)
def test_the_ram_left_is_told_for_every_bank(
    shared: Path, name: str, expected: dict[str, int]
) -> None:
    left = {item.region.name: item.span.size for item in found_in(shared, name).left}
    assert {bank: left[bank] for bank in expected} == expected
    assert "FLASH" not in left


def test_a_least_heap_says_what_it_may_grow_to(shared: Path) -> None:
    (cube,) = found_in(shared, "sh_stm32cube").of_kind("heap")
    assert cube.grows_to == 0x2000_4C00 - 0x2000_0008
    (pico,) = found_in(shared, "sh_picolibc_used").of_kind("heap")
    assert pico.grows_to == 0x2000_4C00 - 0x2000_0010
    (fixed,) = found_in(shared, "sh_cmsis_gcc").of_kind("heap")
    assert fixed.grows_to is None
