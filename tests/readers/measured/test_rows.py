"""``[[measured]]`` rows: where a stack lies in a dump, what a log does not say about itself."""

from dataclasses import replace

import pytest

from mapinspect.errors import InputError
from mapinspect.model.elf_file import ElfFile
from mapinspect.model.image import Evidence, Span
from mapinspect.model.measurement import MeasuredRow, Run
from mapinspect.readers.elf import read_elf
from mapinspect.readers.measured.rows import read_row
from mapinspect.readers.source import SourceFile
from tests.elf_builder import STT_FUNC, ElfSymbolSpec, bss, build_elf, text

STACK = 0x2000_1000
ROW = MeasuredRow(
    file="ram.bin",
    subject=None,
    symbol=None,
    bottom=None,
    top=None,
    base=None,
    fill=None,
    task_unit=None,
    run=Run(build_id="ab12", iterations=2000),
    declared=Evidence("mapinspect.toml", 12, 'file = "ram.bin"'),
)


@pytest.fixture(scope="module")
def elf() -> ElfFile:
    content = build_elf(
        sections=[text(b"code"), bss(512, vma=STACK)],
        symbols=[
            ElfSymbolSpec("camera_stack", STACK, 256, section=".bss"),
            ElfSymbolSpec("twice", STACK, 16, section=".bss"),
            ElfSymbolSpec("twice", STACK + 16, 16, section=".bss"),
            ElfSymbolSpec("main", 0x0800_0000, 4, section=".text", kind=STT_FUNC),
            ElfSymbolSpec("__StackLimit", STACK + 256),
            ElfSymbolSpec("__StackTop", STACK + 512),
        ],
    )
    return read_elf("app.elf", content)


def dump(used: int, size: int = 256) -> SourceFile:
    return SourceFile("ram.bin", b"\xa5" * (size - used) + b"\x01" * used)


def test_a_dump_is_measured_at_the_array_of_its_symbol(elf: ElfFile) -> None:
    (peak,) = read_row(dump(100), replace(ROW, symbol="camera_stack"), elf).measurements
    assert (peak.bytes, peak.size, peak.span) == (100, 256, Span(STACK, 256))
    assert (peak.id, peak.subject) == ("stack.camera_stack.peak", "camera_stack")
    assert peak.run == ROW.run


def test_a_stack_between_two_labels_is_the_main_one(elf: ElfFile) -> None:
    row = replace(ROW, bottom="__StackLimit", top="__StackTop")
    (peak,) = read_row(dump(7), row, elf).measurements
    assert (peak.subject, peak.bytes, peak.span) == ("main", 7, Span(STACK + 256, 256))


def test_addresses_need_no_symbols() -> None:
    row = replace(ROW, bottom=hex(STACK), top=hex(STACK + 256), subject="idle")
    (peak,) = read_row(dump(9), row, None).measurements
    assert (peak.subject, peak.bytes) == ("idle", 9)


@pytest.mark.parametrize(
    ("row", "what"),
    [
        pytest.param({"symbol": "nobody"}, "no array is nobody", id="no such symbol"),
        pytest.param({"symbol": "twice"}, "twice is 2 arrays", id="a symbol of two arrays"),
        pytest.param({"symbol": "main"}, "no array is main", id="a function"),
        pytest.param({"bottom": "__StackTop", "top": "__StackLimit"}, "below", id="upside down"),
        pytest.param({"bottom": "nobody", "top": "__StackTop"}, "no symbol is", id="no such label"),
    ],
)
def test_a_stack_that_is_nowhere_is_refused_at_the_rows_line(
    elf: ElfFile, row: dict[str, str], what: str
) -> None:
    with pytest.raises(InputError, match=what) as caught:
        read_row(dump(1), replace(ROW, **row), elf)
    assert (caught.value.path, caught.value.line) == ("mapinspect.toml", 12)


def test_what_a_log_says_about_its_run_wins_over_the_table() -> None:
    log = SourceFile("run.log", b"iterations = 30\nstack_peak = 8\n")
    found = read_row(log, replace(ROW, file="run.log"), None)
    assert found.run == Run(build_id="ab12", iterations=30)
    assert [item.run for item in found.measurements] == [found.run]


def test_freertos_figures_are_read_in_the_stated_unit() -> None:
    log = SourceFile("tasks.log", b"camera\tB\t3\t20\t2\n")
    row = replace(ROW, file="tasks.log", task_unit=4, stack_sizes={"camera": 1024})
    (peak,) = read_row(log, row, None).measurements
    assert (peak.bytes, peak.size) == (1024 - 20 * 4, 1024)
