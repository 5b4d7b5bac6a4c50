"""The stack's start that an M-profile core loads at reset, from images made byte by byte.

Source: Armv7-M ARM, B1.5.3: word 0 of the vector table is the stack pointer, word 1 the reset
handler with its lowest bit set.
"""

import struct
from dataclasses import replace

import pytest

from mapinspect.analysis.reservations.layout import Label, Layout, Variables
from mapinspect.analysis.stack_start import stack_start
from mapinspect.model.elf_file import ElfFile
from mapinspect.model.habits import StackStart
from mapinspect.model.image import Evidence, Region, Span
from mapinspect.model.part import MemoryBank, Part
from mapinspect.readers.elf import read_elf
from tests.elf_builder import (
    ElfSectionSpec,
    ElfSymbolSpec,
    bss,
    build_elf,
    text,
)

HERE = Evidence("app.elf", None, "")
RAM = Region("RAM", Span(0x2000_0000, 0x1_0000), "xrw", HERE)
TABLE, CODE = 0x0800_0000, 0x0800_0400  # addresses; the code has 16 bytes
RESET = CODE | 1
TOP = 0x2000_8000
PROFILE = {7: ord("M")}  # Tag_CPU_arch_profile


def words(*values: int, order: str = "<") -> bytes:
    return struct.pack(f"{order}{len(values)}I", *values)


def image(
    *sections: ElfSectionSpec, symbols: tuple[ElfSymbolSpec, ...] = (), **how: object
) -> ElfFile:
    code = text(bytes(16), vma=CODE)
    content = build_elf(sections=[*sections, code, bss(16)], symbols=symbols, **how)
    return replace(read_elf("app.elf", content), arm_attributes=PROFILE)


def vectors(*values: int, name: str = ".isr_vector", vma: int = TABLE) -> ElfSectionSpec:
    return text(words(*values), vma=vma, name=name)


def found(
    elf: ElfFile | None, labels: dict[str, int] | None = None, part: Part | None = None
) -> StackStart | None:
    known = {name: Label(name, value, HERE) for name, value in (labels or {}).items()}
    return stack_start(elf, Layout(known, [], (), Variables("", [], [], []), (RAM,)), part)


def loaded(elf: ElfFile) -> int | None:
    start = found(elf)
    return None if start is None else start.address


@pytest.mark.parametrize(
    ("table", "address"),
    [
        pytest.param((TOP, RESET), TOP, id="two words are a table"),
        pytest.param((TOP, RESET, 0, 0), TOP, id="more words follow"),
        pytest.param((TOP,), None, id="one word is none"),
        pytest.param((1, RESET), 1, id="the least pointer"),
        pytest.param((0, RESET), None, id="no pointer"),
        pytest.param((0xFFFF_FFFE, RESET), 0xFFFF_FFFE, id="the largest pointer"),
        pytest.param((0xFFFF_FFFF, RESET), None, id="erased Flash"),
        pytest.param((TOP, CODE), None, id="a handler without the Thumb bit"),
        pytest.param((TOP, CODE + 15), TOP, id="a handler at the last byte of the code"),
        pytest.param((TOP, CODE + 17), None, id="a handler behind the code"),
        pytest.param((TOP, CODE - 1), None, id="a handler in front of the code"),
        pytest.param((TOP, 0x2000_1001), None, id="a handler in RAM that is not executable"),
    ],
)
def test_a_table_is_a_pointer_and_a_handler(table: tuple[int, ...], address: int | None) -> None:
    assert loaded(image(vectors(*table))) == address


@pytest.mark.parametrize(
    "name",
    [".isr_vector", ".vectors", "vector_table", ".interrupt_vectors", "__Vectors", "gpfn_vec"],
)
def test_names_of_tables(name: str) -> None:
    assert loaded(image(vectors(TOP, RESET, name=name))) == TOP
    assert loaded(image(vectors(TOP, RESET, name=f"{name}_size"))) is None


def test_only_microcontrollers_load_it() -> None:
    elf = image(vectors(TOP, RESET))
    assert loaded(replace(elf, arm_attributes={7: ord("A")})) is None
    assert loaded(replace(elf, arm_attributes={})) is None
    assert loaded(replace(elf, machine="RISCV")) is None


def test_a_section_that_is_not_loaded_is_no_table() -> None:
    assert loaded(image(ElfSectionSpec(".vectors", words(TOP, RESET), flags=0))) is None


def test_a_big_endian_table_is_read_as_such() -> None:
    table = text(words(TOP, RESET, order=">"), vma=TABLE, name=".isr_vector")
    assert loaded(image(table, big_endian=True)) == TOP


def test_a_symbol_inside_a_section_is_a_table() -> None:
    whole = text(words(*(1,) * 32, TOP, RESET), vma=TABLE, name=".rodata")
    named = ElfSymbolSpec("__isr_vector", TABLE + 128, 8, section=".rodata")
    assert loaded(image(whole, symbols=(named,))) == TOP
    assert loaded(image(whole)) is None
    empty = ElfSymbolSpec("__isr_vector", 0x2000_1000, 8, section=".bss")
    absolute = ElfSymbolSpec("__Vectors", TABLE + 128, 8)
    other = ElfSymbolSpec("vector_of_floats", TABLE + 128, 8, section=".rodata")
    assert loaded(image(whole, symbols=(empty, absolute, other))) is None


def test_a_table_that_runs_elsewhere_than_it_is_stored_is_read_by_where_it_runs() -> None:
    table = ElfSectionSpec(".vectors", words(TOP, RESET), 0x2000_0000, TABLE)
    assert loaded(image(table)) == TOP


def test_of_several_tables_that_of_the_entry_counts_and_then_the_first() -> None:
    """A boot loader's table may lie in front of the image's own."""
    other = text(bytes(16), vma=0x0800_0800, name=".text2")
    tables = (
        vectors(0x2000_4000, 0x0800_0801, name=".isr_vector"),
        vectors(TOP, RESET, name=".vectors", vma=0x0800_0100),
    )
    assert loaded(image(*tables, other, entry=RESET)) == TOP
    assert loaded(image(*tables, other, entry=CODE)) == TOP
    assert loaded(image(*tables, other, entry=0x0800_0801)) == 0x2000_4000
    assert loaded(image(*tables, other, entry=0)) == 0x2000_4000


BANK = MemoryBank("SRAM1", "ram", Span(0x2000_0000, 0x8000))
PART = Part("X", "Cortex-M4", (BANK,), "a test", HERE)


def test_the_start_is_where_the_byte_below_it_lies() -> None:
    elf = image(vectors(TOP, RESET))
    start = found(elf, {"_estack": 0x2000_4000}, PART)
    assert start is not None
    assert (start.address, start.regions, start.bank, start.is_loaded) == (
        TOP,
        ("RAM",),
        "SRAM1",
        True,
    )
    above = found(image(vectors(0x2001_0002, RESET)), {}, PART)
    assert above is not None
    assert (above.regions, above.bank) == ((), None)
    end = found(image(vectors(0x2001_0000, RESET)))
    assert end is not None
    assert (end.regions, end.bank) == (("RAM",), None)
    base = found(image(vectors(0x2000_0000, RESET)))
    assert base is not None
    assert base.regions == ()


def test_a_label_counts_where_nothing_is_loaded() -> None:
    start = found(None, {"_estack": 0x2000_4000})
    assert start is not None
    assert (start.address, start.is_loaded) == (0x2000_4000, False)
    assert found(None) is None
    assert found(image(vectors(TOP))) is None
