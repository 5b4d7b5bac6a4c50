"""What symbols and sections tell of an image's habits; names as toolchains write them."""

import struct
from pathlib import Path

import pytest

from mapinspect.analysis.inspect import Records, inspect
from mapinspect.model.budget import BudgetTable
from mapinspect.model.habits import Habits
from mapinspect.model.inspection import Inspection
from mapinspect.readers.elf import read_elf
from mapinspect.readers.gnu_map import read_map
from mapinspect.readers.parts import read_part
from tests.elf_builder import (
    STT_FUNC,
    ElfSectionSpec,
    ElfSymbolSpec,
    bss,
    build_elf,
    data,
    text,
)

BUILT = Path(__file__).parents[2] / "fixtures" / "built"
CODE, RAM = 0x0800_0000, 0x2000_0000


def image(*symbols: ElfSymbolSpec, sections: tuple[ElfSectionSpec, ...] = ()) -> Habits:
    """The habits of an ELF with these symbols, on a part whose CCM no DMA reaches."""
    given = sections or (text(bytes(64)), data(bytes(2048), vma=RAM), bss(512, vma=RAM + 0x1000))
    elf = read_elf("app.elf", build_elf(given, symbols))
    return inspect(Records(BudgetTable(""), elf, None, part=read_part("STM32F407xG"))).habits


def function(name: str, at: int = 0) -> ElfSymbolSpec:
    return ElfSymbolSpec(name, CODE + at, 4, section=".text", kind=STT_FUNC)


@pytest.mark.parametrize(
    ("name", "allocates"),
    [
        ("malloc", True),
        ("pvPortMalloc", True),
        ("_Znwj", True),  # operator new(unsigned int)
        ("_ZnajSt11align_val_t", True),  # operator new[](unsigned int, std::align_val_t)
        ("_ZnwmRKSt9nothrow_t", True),  # operator new(unsigned long, std::nothrow_t const&)
        ("_ZngRK3Big", False),  # operator-(Big const&)
        ("my_malloc_count", False),
        ("free", False),
    ],
)
def test_which_functions_allocate(name: str, allocates: bool) -> None:
    assert [item.name for item in image(function(name)).allocators] == [name] * allocates


@pytest.mark.parametrize(
    ("name", "size", "listed"),
    [
        ("mel_filters", 256, True),
        ("mel_filters", 255, False),
        ("impure_data", 1024, False),
        ("__malloc_av_", 1032, False),
    ],
)
def test_which_variables_could_be_constants(name: str, size: int, listed: bool) -> None:
    variable = ElfSymbolSpec(name, RAM, size, section=".data")
    assert [item.name for item in image(variable).constants] == [name] * listed


def test_zeroed_variables_are_no_constants() -> None:
    assert image(ElfSymbolSpec("lut", RAM + 0x1000, 512, section=".bss")).constants == ()


@pytest.mark.parametrize(
    ("name", "listed"),
    [
        ("adc_dma_buffer", True),
        ("DMA_RX_Buf", True),
        ("uartDmaBuffer", True),
        ("buffer_dma", True),
        ("hdma_usart1_rx", False),  # the handle of STM32Cube, no buffer
        ("dma_buffers_used", False),
        ("webdmabuf", False),
    ],
)
def test_which_names_are_buffers_for_dma(name: str, listed: bool) -> None:
    variable = ElfSymbolSpec(name, RAM + 0x1000, 64, section=".bss")
    assert [item.name for item in image(variable).dma_buffers] == [name] * listed


def table(name: str, *pointers: int) -> ElfSectionSpec:
    return ElfSectionSpec(name, struct.pack(f"<{len(pointers)}I", *pointers), CODE + 0x100)


CONSTRUCTORS = (function("frame_dummy"), function("_GLOBAL__sub_I_main", 8))


@pytest.mark.parametrize(
    ("section", "pointers", "expected"),
    [
        pytest.param(".init_array", (CODE + 1, CODE + 9), ("_GLOBAL__sub_I_main",), id="Thumb"),
        pytest.param(".ctors", (0xFFFF_FFFF, CODE + 8, 0), ("_GLOBAL__sub_I_main",), id="ctors"),
        pytest.param(".init_array.00100", (CODE + 0x20,), (f"{CODE + 0x20:#010x}",), id="no name"),
        pytest.param(".fini_array", (CODE + 8,), (), id="destructors"),
    ],
)
def test_which_functions_run_before_main(
    section: str, pointers: tuple[int, ...], expected: tuple[str, ...]
) -> None:
    sections = (text(bytes(64)), table(section, *pointers))
    assert image(*CONSTRUCTORS, sections=sections).constructors == expected


def test_a_constructor_table_inside_another_section_is_found_by_its_labels() -> None:
    labels = (
        ElfSymbolSpec("__init_array_start", CODE + 0x104, section=".rodata"),
        ElfSymbolSpec("__init_array_end", CODE + 0x108, section=".rodata"),
    )
    sections = (text(bytes(64)), table(".rodata", 7, CODE + 9, 7))
    found = image(*CONSTRUCTORS, *labels, sections=sections)
    assert found.constructors == ("_GLOBAL__sub_I_main",)


def built(case: str) -> Inspection:
    elf = read_elf("app.elf", (BUILT / case / "app.elf").read_bytes())
    link_map = read_map("app.map", (BUILT / case / "app.map").read_bytes())
    return inspect(Records(BudgetTable(""), elf, link_map))


def test_who_pulls_malloc_in_is_named_outside_the_library_first() -> None:
    # `arm-none-eabi-nm -u main.o` lists malloc; printf's _malloc_r comes from the library itself.
    texts = [item.text for item in built("arena-on-heap").habits.requests]
    assert texts[0] == "main.o asks for malloc"
    assert all("libc_nano.a(" in text for text in texts[1:])


def test_constructors_of_a_linked_image_are_those_that_nm_lists() -> None:
    assert built("cpp").habits.constructors == ("_GLOBAL__sub_I_main",)
    assert built("good").habits.constructors == ()


def test_constants_that_a_script_copies_to_ram() -> None:
    # avr-gcc keeps string constants in .data; the map has one .rodata of 4 bytes there.
    copied = built("avr").habits.copied_constants
    assert sum(item.span.size for item in copied) == 4
    assert built("good").habits.copied_constants == ()


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        ("good", []),
        ("lto", []),
        ("riscv32", []),
        ("weights-in-orphan-section", [".model_data"]),
        ("section-outside-regions", [".external_prompt"]),
    ],
)
def test_orphans_are_the_sections_without_a_statement(case: str, expected: list[str]) -> None:
    assert [item.name for item in built(case).orphans] == expected


def test_orphans_of_a_link_made_for_them(shared: Path) -> None:
    path = shared / "link_cases" / "arm_orphans" / "case.map"
    link_map = read_map("case.map", path.read_bytes())  # the link fails, and leaves its map
    found = inspect(Records(BudgetTable(""), None, link_map)).orphans
    # link.ld names .text, .data and .bss only; the sources add these.
    assert {item.name for item in found} == {
        ".orphan_code",
        ".orphan_ro",
        ".orphan_rw",
        "orphan_c_ident",
        ".bss.orphan",
    }


@pytest.mark.parametrize("case", ["good", "cpp", "os", "qemu", "riscv32", "avr", "two-models"])
def test_no_good_build_has_a_stack_in_its_way(case: str) -> None:
    margins = built(case).margins
    assert margins.collisions == ()
    assert margins.room is None or margins.room > 1000


def test_variables_in_the_place_of_a_stack_collide() -> None:
    (collision,) = built("stack-on-variables").margins.collisions
    # _estack is 0x4000 bytes into SRAM1, _Min_Stack_Size 0x1000: by the edited linker script.
    assert (collision.other, collision.span.start, collision.span.size) == (
        ".bss",
        RAM + 0x3000,
        0x1000,
    )
