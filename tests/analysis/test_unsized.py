"""How far a label without a size can reach; every figure is the difference of two addresses."""

import pytest

from mapinspect.analysis.unsized import with_reach
from mapinspect.model.elf_file import ElfFile
from mapinspect.model.image import Evidence, Span
from mapinspect.model.inspection import Located, PlacedSection
from mapinspect.readers.elf import read_elf
from tests.builders import section
from tests.elf_builder import SHN_ABS, STB_GLOBAL, STB_LOCAL, ElfSymbolSpec, bss, build_elf, text

BASE = 0x0800_1000
HOME = section(".rodata", BASE, 0x1000, lma=0x0802_0000)
HERE = Evidence("app.elf", None, "")
Spec = tuple[int, int, int]  # offset in the section, size, binding


def image(*symbols: Spec, absolute: int | None = None) -> ElfFile:
    specs = [
        ElfSymbolSpec(f"s{number}", BASE + offset, size, section=".rodata", binding=binding)
        for number, (offset, size, binding) in enumerate(symbols)
    ]
    if absolute is not None:
        specs.append(ElfSymbolSpec("a_size", BASE + absolute, 0, section=SHN_ABS))
    rodata = text(bytes(0x1000), vma=BASE, name=".rodata")
    return read_elf("app.elf", build_elf([rodata, bss(64, vma=BASE + 0x1000)], specs))


def place(offset: int, size: int = 0, home: PlacedSection = HOME) -> Located:
    return Located("x", Span(BASE + offset, size), 0, home, "FLASH", None, HERE)


def reach(elf: ElfFile, offset: int) -> tuple[int | None, bool]:
    (found,) = with_reach(elf, [place(offset)])
    return found.most, found.within_other


GLOBAL, LOCAL = STB_GLOBAL, STB_LOCAL


@pytest.mark.parametrize(
    ("symbols", "offset", "most", "within"),
    [
        pytest.param([(0x100, 0, GLOBAL)], 0, 0x100, False, id="up to the next global label"),
        pytest.param([(0x100, 4, LOCAL)], 0, 0x100, False, id="up to the next symbol with a size"),
        pytest.param([(0x100, 0, LOCAL)], 0, 0x1000, False, id="a local label is no end"),
        pytest.param([(0, 0, GLOBAL)], 0, 0x1000, False, id="nor is the label itself"),
        pytest.param([(0xFFF, 0, GLOBAL)], 0xFFF, 1, False, id="in the section's last byte"),
        pytest.param([(0x1000, 0, GLOBAL)], 0, 0x1000, False, id="up to the section's end"),
        pytest.param(
            [(0x100, 0, GLOBAL), (0x200, 0, GLOBAL)], 0x100, 0x100, False, id="between two"
        ),
        pytest.param(
            [(0, 0x400, LOCAL), (0x20, 0, GLOBAL)], 0x10, 0x3F0, True, id="to the end around it"
        ),
        pytest.param(
            [(0, 0x18, LOCAL), (0x20, 0, GLOBAL)], 0x10, 0x10, True, id="or to the next if further"
        ),
        pytest.param([(0, 0x10, LOCAL)], 0x10, 0xFF0, False, id="behind a symbol's last byte"),
        pytest.param([(0, 0x11, LOCAL)], 0x10, 0xFF0, True, id="in a symbol's last byte"),
        pytest.param(
            [(0, 0x400, LOCAL), (8, 8, LOCAL), (0x20, 0, GLOBAL)],
            0x10,
            0x3F0,
            True,
            id="in the outer of two",
        ),
        pytest.param([(0x20, 0x400, LOCAL)], 0x10, 0x10, False, id="in front of a symbol"),
    ],
)
def test_a_label_reaches(symbols: list[Spec], offset: int, most: int, *, within: bool) -> None:
    assert reach(image(*symbols), offset) == (most, within)


def test_an_absolute_symbol_is_no_place() -> None:
    assert reach(image(absolute=0x80), 0) == (0x1000, False)


@pytest.mark.parametrize("offset", [-1, 0x1000, 0x1001])
def test_a_label_outside_its_section_marks_nothing_and_hides_no_other(offset: int) -> None:
    found = with_reach(image(), [place(offset), place(0xFFF)])
    assert [(item.span.start, item.most) for item in found] == [(BASE + 0xFFF, 1)]


def test_what_has_a_size_keeps_it() -> None:
    sized, other, label = place(0, 16), place(0x1000, 16), place(0x20)
    assert with_reach(image(), [sized, other]) == (sized, other)
    assert with_reach(image(), [sized, label, other])[::2] == (sized, other)
    (found,) = with_reach(image(), [label])
    assert found.reach == Span(BASE + 0x20, 0xFE0)
