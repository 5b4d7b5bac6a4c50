"""`mapinspect init` on sound firmware of the usual kinds: its table passes them at once.

Each image is linked here as a vendor's script would, so nothing but the tool's own idea of it can
be wrong. Sizes come from the sources below.
"""

import re
import tomllib
from pathlib import Path

import pytest

from mapinspect.cli.run import run
from mapinspect.model.image import Span
from tests.linked import link

MODELS = Path(__file__).parents[2] / "fixtures" / "models"

# nRF5 SDK: stack and heap in sections that ld does not allocate, the stack at the end of RAM.
COPY_SECTIONS = """
ENTRY(start)
MEMORY { FLASH (rx) : ORIGIN = 0, LENGTH = 64K  RAM (rwx) : ORIGIN = 0x20000000, LENGTH = 64K }
SECTIONS {
  .text : { *(.vectors) *(.text) } > FLASH
  .bss (NOLOAD) : { *(.bss) } > RAM
  .heap (COPY) : { __HeapBase = .; end = .; KEEP(*(.heap)) __HeapLimit = .; } > RAM
  .stack_dummy (COPY) : { KEEP(*(.stack)) } > RAM
  __StackTop = ORIGIN(RAM) + LENGTH(RAM);
  __StackLimit = __StackTop - SIZEOF(.stack_dummy);
}
"""
COPY_SOURCE = """
  .section .vectors,"a"
  .word __StackTop
  .word start
  .text
  .global start
start: b start
  .bss
  .space 20000
  .section .heap
  .space 8192
  .section .stack
  .space 8192
"""


def init(*options: str) -> int:
    words = ["--elf", "a.elf", "--map", "a.map", "--output", "mapinspect.toml"]
    return run(["init", *words, *options])


def test_a_stack_and_heap_that_no_section_holds_are_in_the_limit_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    link(tmp_path, "arm", COPY_SECTIONS, COPY_SOURCE)
    monkeypatch.chdir(tmp_path)
    assert init() == 0
    assert "mapinspect check says PASS" in capsys.readouterr().out
    text = (tmp_path / "mapinspect.toml").read_text(encoding="utf-8")
    assert "holds 36,384 bytes of 64K today, 16,384 reserved for stack and heap" in text
    ram = next(row for row in tomllib.loads(text)["region"] if row["name"] == "RAM")
    assert ram["limit"] == "40K"  # 36,384 and a tenth, rounded up to 1,024


def test_an_input_that_is_not_there_is_no_bug(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mapinspect.toml").write_text("version = 1\n", encoding="utf-8")
    assert init("--force") == 2
    assert "no such ELF file" in capsys.readouterr().err
    assert (tmp_path / "mapinspect.toml").read_text(encoding="utf-8") == "version = 1\n"


# pico-sdk with both cores: the same size for both stacks, each at the end of its own bank.
TWO_CORES = """
ENTRY(start)
MEMORY {
  FLASH (rx) : ORIGIN = 0x10000000, LENGTH = 64K
  RAM (rwx) : ORIGIN = 0x20000000, LENGTH = 256K
  SCRATCH_X (rwx) : ORIGIN = 0x20040000, LENGTH = 4K
  SCRATCH_Y (rwx) : ORIGIN = 0x20041000, LENGTH = 4K
}
SECTIONS {
  .text : { *(.vectors) *(.text) } > FLASH
  .bss (NOLOAD) : { *(.bss) } > RAM
  .scratch_x : { *(.scratch_x) } > SCRATCH_X AT > FLASH
  .stack1_dummy (NOLOAD) : { *(.stack1) } > SCRATCH_X
  .stack_dummy (NOLOAD) : { KEEP(*(.stack)) } > SCRATCH_Y
  __StackOneTop = ORIGIN(SCRATCH_X) + LENGTH(SCRATCH_X);
  __StackTop = ORIGIN(SCRATCH_Y) + LENGTH(SCRATCH_Y);
  __StackOneBottom = __StackOneTop - SIZEOF(.stack1_dummy);
  __StackBottom = __StackTop - SIZEOF(.stack_dummy);
}
"""
TWO_CORES_SOURCE = """
  .section .vectors,"a"
  .word __StackTop
  .word start
  .text
  .global start
start: b start
  .bss
  .space 20000
  .section .scratch_x,"aw"
  .space 256
  .section .stack,"aw",%nobits
  .space 2048
  .section .stack1,"aw",%nobits
  .space 2048
"""


def test_stacks_of_one_size_are_each_counted_in_their_own_bank(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    linked = link(tmp_path, "arm", TWO_CORES, TWO_CORES_SOURCE)
    charged = {usage.region.name: usage.charged for usage in linked.inspection().usages}
    assert charged == linked.used  # what ld says: 2,304 and 2,048 bytes in the small banks
    stacks = {item.name: item.span for item in linked.inspection().reservations}
    assert stacks == {"core 0": Span(0x2004_1000, 2048), "core 1": Span(0x2004_0100, 2048)}
    monkeypatch.chdir(tmp_path)
    assert init() == 0
    assert "mapinspect check says PASS" in capsys.readouterr().out


# What shows TensorFlow Lite Micro and the kernels that the model asks for.
TFLM = """
  .text
  .global _ZN6tflite16MicroInterpreter6InvokeEv, _ZN6tflite24Register_FULLY_CONNECTEDEv
  .global _ZN6tflite16Register_SOFTMAXEv, start
  .type start, %function
  .type _ZN6tflite16MicroInterpreter6InvokeEv, %function
  .type _ZN6tflite24Register_FULLY_CONNECTEDEv, %function
  .type _ZN6tflite16Register_SOFTMAXEv, %function
start: _ZN6tflite16MicroInterpreter6InvokeEv: b start
_ZN6tflite24Register_FULLY_CONNECTEDEv: bx lr
_ZN6tflite16Register_SOFTMAXEv: bx lr
  .section .rodata
  .balign 16
  .global g_model
  .type g_model, %object
g_model: .incbin "net.tflite"
  .size g_model, . - g_model
  .bss
  .balign 16
  .space 8
  .global tensor_arena
  .type tensor_arena, %object
tensor_arena: .space 3000
  .size tensor_arena, 3000
"""


def test_an_arena_that_its_runtime_aligns_needs_no_alignment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The hello_world example of TensorFlow Lite Micro declares its arena without alignas."""
    (tmp_path / "net.tflite").write_bytes((MODELS / "dense_int8.tflite").read_bytes())
    script = (
        "ENTRY(start) MEMORY { F (rx) : ORIGIN = 0, LENGTH = 64K  "
        "R (rwx) : ORIGIN = 0x20000000, LENGTH = 64K } "
        "SECTIONS { .text : { *(.text) *(.rodata) } > F  .bss (NOLOAD) : { *(.bss) } > R  "
        "__StackTop = ORIGIN(R) + LENGTH(R); }"
    )
    monkeypatch.chdir(tmp_path)
    link(tmp_path, "arm", script, TFLM)
    assert init("--model", "net.tflite") == 0
    said = capsys.readouterr().out
    assert ("says PASS" in said, "wrong today" in said) == (True, False)
    assert run(["check"]) == 0
    said = capsys.readouterr().out
    assert "warning[arena-misplaced]: tensor_arena is aligned to 8 bytes" in said
    # Nothing reserves the stack, but what is left for it is more than the row's minimum.
    assert re.search(r"^ stack +- +0 +- +- +-  ok$", said, re.MULTILINE)


TWO_MODELS = """
  .text
  .global start
start: b start
  .section .rodata
  .balign 16
  .global g_dense_model, g_kws_model
  .type g_dense_model, %object
g_dense_model: .incbin "dense.tflite"
  .size g_dense_model, . - g_dense_model
  .section .qspi,"a"
  .balign 16
  .type g_kws_model, %object
g_kws_model: .incbin "kws.tflite"
  .size g_kws_model, . - g_kws_model
  .bss
  .balign 16
  .global dense_arena, kws_arena
  .type dense_arena, %object
dense_arena: .space 2048
  .size dense_arena, 2048
  .type kws_arena, %object
kws_arena: .space 12288
  .size kws_arena, 12288
"""


def test_each_memory_that_holds_weights_gets_a_row_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, file in (("dense", "dense_int8.tflite"), ("kws", "kws_int8.tflite")):
        (tmp_path / f"{name}.tflite").write_bytes((MODELS / file).read_bytes())
    script = (
        "ENTRY(start) MEMORY { FLASH (rx) : ORIGIN = 0, LENGTH = 64K  "
        "QSPI (rx) : ORIGIN = 0x90000000, LENGTH = 1M  "
        "R (rwx) : ORIGIN = 0x20000000, LENGTH = 64K } "
        "SECTIONS { .text : { *(.text) *(.rodata) } > FLASH  .qspi : { *(.qspi) } > QSPI  "
        ".bss (NOLOAD) : { *(.bss) } > R  __StackTop = ORIGIN(R) + LENGTH(R); }"
    )
    monkeypatch.chdir(tmp_path)
    link(tmp_path, "arm", script, TWO_MODELS)
    assert init("--model", "dense.tflite", "--model", "kws.tflite") == 0
    table = tomllib.loads((tmp_path / "mapinspect.toml").read_text(encoding="utf-8"))
    rows = {row["region"]: row["limit"] for row in table["budget"] if row.get("kind") == "weights"}
    # 8,192 and 41,456 bytes (the files), and a tenth, rounded up to 1,024
    assert rows == {"FLASH": "9K", "QSPI": "45K"}


# STM32CubeIDE's section for heap and stack, stored as lld stores it: with zeros.
STORED_RESERVES = """
ENTRY(start)
MEMORY { FLASH (rx) : ORIGIN = 0x08000000, LENGTH = 512K
         RAM (xrw) : ORIGIN = 0x20000000, LENGTH = 128K }
_estack = ORIGIN(RAM) + LENGTH(RAM);
_Min_Heap_Size = 0x200;
_Min_Stack_Size = 0x400;
SECTIONS {
  .text : { *(.text) } > FLASH
  .bss (NOLOAD) : { *(.bss) } > RAM
  ._user_heap_stack : {
    . = ALIGN(8); end = .; _end = .; FILL(0) QUAD(0)
    . = . + _Min_Heap_Size - 8; . = . + _Min_Stack_Size; . = ALIGN(8);
  } > RAM
}
"""
PLAIN = """
  .text
  .global start, malloc, tensor_arena
  .type malloc, %function
start: malloc: b start
  .bss
  .space 4096
"""


def test_a_reserve_that_is_stored_is_no_stranger_in_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    link(tmp_path, "arm", STORED_RESERVES, PLAIN)
    monkeypatch.chdir(tmp_path)
    assert init() == 0
    said = capsys.readouterr().out
    assert ("says PASS" in said, "wrong today" in said) == (True, False)


def test_the_parts_banks_take_no_bytes_from_the_regions_of_the_script(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The part calls SRAM what the script calls RAM: its limit must see the bytes all the same."""
    link(tmp_path, "arm", STORED_RESERVES, PLAIN)
    monkeypatch.chdir(tmp_path)
    files = ["--elf=a.elf", "--linker-script=a.ld", "--mcu=STM32F411RE"]
    assert run(["init", *files, "--output=mapinspect.toml"]) == 0
    table = (tmp_path / "mapinspect.toml").read_text(encoding="utf-8")
    regions = [row["name"] for row in tomllib.loads(table)["region"]]
    assert regions == ["FLASH", "RAM"]
    limits = re.findall(r"^limit = .*# holds ([0-9,]+) bytes of 128K", table, re.MULTILINE)
    assert limits == ["5,632"]  # 4,096 and 512 and 1,024
    assert run(["check"]) == 0
    tight = re.sub(r"^limit = \S+ (?=# holds 5,632)", "limit = 5631 ", table, flags=re.MULTILINE)
    (tmp_path / "mapinspect.toml").write_text(tight, encoding="utf-8")
    capsys.readouterr()
    assert run(["check"]) == 1
    assert "RAM holds 5632 of 5631 bytes, 1 over" in capsys.readouterr().out


ALIKE = """
  .text
  .global start, _ZN6tflite3RunEv
start: _ZN6tflite3RunEv: b start
  .bss
  .balign 16
  .global kws_arena, _ZN3kws5arenaE
  .type kws_arena, %object
kws_arena: .space 1024
  .size kws_arena, 1024
  .type _ZN3kws5arenaE, %object
_ZN3kws5arenaE: .space 1024
  .size _ZN3kws5arenaE, 1024
"""


def test_names_that_differ_in_signs_alone_get_rows_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    link(tmp_path, "arm", STORED_RESERVES, ALIKE)
    monkeypatch.chdir(tmp_path)
    assert init() == 0
    table = tomllib.loads((tmp_path / "mapinspect.toml").read_text(encoding="utf-8"))
    assert [row["id"] for row in table["placement"]] == ["kws-arena-in-ram", "kws-arena-in-ram-2"]


# CMSIS, gcc_arm.ld: the stack is a section at the end of RAM, which ld therefore calls full.
PINNED_STACK = """
ENTRY(start)
MEMORY { FLASH (rx) : ORIGIN = 0, LENGTH = 64K  RAM (rwx) : ORIGIN = 0x20000000, LENGTH = 64K }
SECTIONS {
  .text : { *(.text) } > FLASH
  .bss (NOLOAD) : { *(.bss) } > RAM
  .heap (NOLOAD) : { . = ALIGN(8); __end__ = .; end = .; . += 3072; __HeapLimit = .; } > RAM
  .stack (ORIGIN(RAM) + LENGTH(RAM) - 1024) (NOLOAD) :
    { __StackLimit = .; . += 1024; __StackTop = .; } > RAM
}
"""


def test_a_stack_at_the_end_of_ram_leaves_a_limit_that_notices_growth(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    linked = link(tmp_path, "arm", PINNED_STACK, PLAIN)
    assert linked.used["RAM"] == 65_536
    monkeypatch.chdir(tmp_path)
    assert init() == 0
    assert "mapinspect check says PASS" in capsys.readouterr().out
    text = (tmp_path / "mapinspect.toml").read_text(encoding="utf-8")
    ram = next(row for row in tomllib.loads(text)["region"] if row["name"] == "RAM")
    assert (ram["count"], ram["limit"]) == ("occupied", "9K")  # 8,192 and a tenth
    assert tomllib.loads(text)["project"]["margin"] == "10%"
    assert run(["check"]) == 0
    said = capsys.readouterr().out
    rows = re.search(r"^RAM\n(.*?)TOTAL +- +8,192 ", said, re.MULTILINE | re.DOTALL)
    assert rows is not None
    linked_bytes = re.findall(r"^ \w[\w ]+?  +(?:-|[0-9,]+) +([0-9,]+) ", rows[1], re.MULTILINE)
    assert sum(int(size.replace(",", "")) for size in linked_bytes) == 8192
    link(tmp_path, "arm", PINNED_STACK, PLAIN.replace("4096", "8192"))
    assert run(["check"]) == 1
    assert "RAM is occupied by 12288 of 9216 bytes, 3072 over" in capsys.readouterr().out


# picolibc.ld: .stack keeps bytes behind the variables, the stack itself ends with RAM.
PICOLIBC = """
ENTRY(start)
MEMORY { flash (rx!w) : ORIGIN = 0, LENGTH = 64K  ram (w!rx) : ORIGIN = 0x20000000, LENGTH = 32K }
SECTIONS {
  .text : { *(.text) } > flash
  .bss (NOLOAD) : { *(.bss) } > ram
  PROVIDE(__end = .); PROVIDE(end = .); __heap_start = .;
  __heap_end = __stack - __stack_size;
  __stack = ORIGIN(ram) + LENGTH(ram);
  __stack_size = 0x800;
  .stack (NOLOAD) : { . += __stack_size; } > ram
}
"""


def test_a_stack_that_grows_down_from_the_end_of_ram_lies_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    linked = link(tmp_path, "arm", PICOLIBC, PLAIN)
    stack, heap = linked.inspection().reservations
    assert (stack.place, stack.span) == (Span(0x2000_7800, 0x800), Span(0x2000_1000, 0x800))
    assert heap.place == Span(0x2000_1000, 0x6800)  # up to the stack, and not into it
    monkeypatch.chdir(tmp_path)
    assert init() == 0
    assert "mapinspect check says PASS" in capsys.readouterr().out
    assert run(["check", "--fail-on=warning"]) == 0
