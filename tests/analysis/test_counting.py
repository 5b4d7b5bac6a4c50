"""What each kind of row counts in the good firmware.

Expected bytes are those that `size -A` (built/good/size.txt), `nm -S` (facts.json) and the map's
printed rows give; the load images are .data and .sram2_data, stored behind .note.gnu.build-id.
"""

import json
import re
from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mapinspect.analysis.usage import cut, union, without
from mapinspect.model.image import Span
from mapinspect.model.inspection import Inspection
from mapinspect.readers.elf import read_elf
from tests.elf_builder import ElfSymbolSpec, bss, build_elf, text
from tests.good_firmware import FOLDER, REGIONS, facts

SECTIONS = {
    words[0]: int(words[1])
    for line in (FOLDER / "size.txt").read_text(encoding="utf-8").splitlines()
    if len(words := line.split()) == 3 and words[1].isdigit()
}
FACTS = json.loads((FOLDER / "facts.json").read_text(encoding="utf-8"))
SYMBOLS = FACTS["symbols"]
USED = {row["region"]: row["used"] for row in FACTS["memory_usage"]}
IN_FLASH = (".isr_vector", ".text", ".rodata.model_weights", ".rodata", ".note.gnu.build-id")
# Not in IN_FLASH's sum: ld aligns .rodata.model_weights, so the extent has gaps.
IMAGES = SECTIONS[".data"] + SECTIONS[".sram2_data"]


def linked(row: str) -> int:
    return facts(f"[[budget]]\nid = 'x'\nlimit = '100%'\n{row}\n").line("x").linked


def printed(owner: str) -> int:
    """The bytes that the map prints for an object or archive in sections with an address."""
    text = (FOLDER / "app.map").read_text(encoding="utf-8").split("Linker script and memory map")[1]
    rows = re.findall(r"0x([0-9a-f]{8}) +0x([0-9a-f]+) (\S[^\n]*)", text)
    return sum(
        int(size, 16)
        for start, size, file in rows
        if int(start, 16) >= 0x800_0000 and owner in file
    )


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        pytest.param(
            "match = { section = '.data' }", SECTIONS[".data"], id="a section counts once"
        ),
        pytest.param(
            "match = { section = '.data' }\nregion = 'FLASH'",
            SECTIONS[".data"],
            id="in Flash it counts by its load image",
        ),
        pytest.param(
            "match = { section = '.sram2_*' }",
            SECTIONS[".sram2_data"] + SECTIONS[".sram2_noinit"],
            id="a glob counts all it selects",
        ),
        pytest.param(
            "match = { region = 'FLASH' }",
            sum(SECTIONS[name] for name in IN_FLASH) + IMAGES,
            id="a region counts its sections and load images, not its gaps",
        ),
        pytest.param(
            "match = { region = 'SRAM?' }",
            sum(SECTIONS[name] for name in (".data", ".bss", "._user_heap_stack"))
            + SECTIONS[".sram2_data"]
            + SECTIONS[".sram2_noinit"],
            id="a region glob counts in all of them",
        ),
        pytest.param(
            "match = { bank = 'SRAM2' }",
            SECTIONS[".sram2_data"] + SECTIONS[".sram2_noinit"],
            id="a bank of the part",
        ),
        pytest.param(
            "match = { section = '.sram2_*' }\nbank = 'FLASH'",
            SECTIONS[".sram2_data"],
            id="a section in a bank counts by its load image there",
        ),
        pytest.param(
            "match = { symbol = 'tensor_arena' }", SYMBOLS["tensor_arena"]["size"], id="a symbol"
        ),
        pytest.param("match = { archive = 'libdsp.a' }", printed("libdsp.a("), id="an archive"),
        pytest.param("match = { object = 'engine.o' }", printed("engine.o"), id="an object"),
        pytest.param("kind = 'weights'", 41456, id="weights: the model file's size"),
        pytest.param("kind = 'arena'", SYMBOLS["tensor_arena"]["size"], id="the arena"),
        pytest.param("kind = 'stack'", 4096, id="the stack: _Min_Stack_Size"),
        pytest.param("kind = 'heap'", 4096, id="the heap: _Min_Heap_Size"),
    ],
)
def test_a_row_counts(row: str, expected: int) -> None:
    assert expected > 0
    assert linked(row) == expected


def rest(rows: str) -> Inspection:
    return facts(f"[[budget]]\nid = 'rest'\nkind = 'rest'\nlimit = '100%'\n{rows}")


def test_the_rest_is_what_no_other_row_counts() -> None:
    flash = "region = 'FLASH'\n"
    used = USED["FLASH"]
    assert rest(flash).line("rest").linked == used
    model = "[[budget]]\nid = 'w'\nkind = 'weights'\nlimit = '100%'\n"
    assert rest(flash + model).line("rest").linked == used - 41456
    # a row about no memory counts .data once, yet takes its load image out of the rest of Flash
    both = model + "[[budget]]\nid = 'd'\nmatch = { section = '.data' }\nlimit = '100%'\n"
    assert rest(flash + both).line("rest").linked == used - 41456 - SECTIONS[".data"]


def test_rows_and_the_rest_partition_a_region() -> None:
    rows = "".join(
        f"[[budget]]\nid = '{kind}'\nkind = '{kind}'\nregion = 'SRAM1'\nlimit = '100%'\n"
        for kind in ("arena", "stack", "heap")
    )
    inspection = rest("region = 'SRAM1'\n" + rows)
    assert sum(line.linked for line in inspection.rows) == USED["SRAM1"]


def test_a_share_is_of_the_memory_that_the_row_names() -> None:
    whole = {"FLASH": 512 * 1024, "SRAM?": 128 * 1024}
    for region, size in whole.items():
        line = facts(
            f"[[budget]]\nid = 'x'\nkind = 'static'\nregion = '{region}'\nlimit = '50%'\n"
        ).line("x")
        assert (line.whole, line.limit) == (size, size // 2)


def test_a_share_of_regions_that_overlap_counts_their_bytes_once() -> None:
    """A boot loader's region and the whole Flash around it are 512 KiB, not 528."""
    boot = "[[region]]\nname = 'FLASH_BOOT'\norigin = 0x0800_0000\nlength = '16K'\n"
    row = "[[budget]]\nid = 'x'\nkind = 'static'\nregion = 'FLASH*'\nlimit = '50%'\n"
    line = facts(REGIONS + boot + row, with_map=False).line("x")
    assert (line.whole, line.limit) == (512 * 1024, 256 * 1024)


def test_a_share_of_a_bank_within_a_region_is_of_the_bytes_in_both() -> None:
    half = REGIONS.replace("96K", "48K")
    row = "[[budget]]\nid = 'x'\nkind = 'static'\nlimit = '50%'\n"
    where = "region = 'SRAM?'\nbank = 'SRAM1'\n"
    assert facts(half + row + where, with_map=False).line("x").whole == 48 * 1024


@pytest.mark.parametrize(
    ("glob", "expected"),
    [
        pytest.param("buf", 64 + 32 + 16, id="the name itself and its clones"),
        pytest.param("bu[f]", 64 + 32 + 16, id="as a glob of the same names"),
        pytest.param("buf.0", 32, id="one clone by its own name"),
        pytest.param("Buf", 8, id="another case is another name"),
    ],
)
def test_a_symbol_counts_with_the_suffixes_that_compilers_add(glob: str, expected: int) -> None:
    sizes = {"buf": 64, "buf.0": 32, "buf.1.lto_priv.0": 16, "Buf": 8, "buf.x": 4}
    starts = accumulate(sizes.values(), initial=0x2000_0000)
    symbols = [
        ElfSymbolSpec(name, start, size, section=".bss")
        for (name, size), start in zip(sizes.items(), starts, strict=False)
    ]
    elf = read_elf("a.elf", build_elf([text(bytes(64)), bss(4096, 0x2000_0000)], symbols))
    row = f"[[budget]]\nid = 'x'\nmatch = {{ symbol = '{glob}' }}\nlimit = '1K'\n"
    assert facts(REGIONS + row, elf=elf, with_map=False).line("x").linked == expected


def test_a_symbol_of_an_archive_counts_only_there() -> None:
    """g_kws_model lies in kws_model.o, dsp_* in libdsp.a: all the globs given must match."""
    model = "match = { symbol = 'g_kws_model', archive = 'libdsp.a' }"
    assert linked(model) == 0
    both = linked("match = { symbol = 'dsp_*', archive = 'libdsp.a' }")
    assert 0 < both == linked("match = { symbol = 'dsp_*' }")
    assert linked("match = { symbol = '*', archive = 'libdsp.a' }") <= printed("libdsp.a(")


SPANS = st.lists(st.builds(Span, st.integers(0, 60), st.integers(0, 20)), max_size=8)


def addresses(spans: list[Span]) -> set[int]:
    return {address for span in spans for address in range(span.start, span.end)}


@given(spans=SPANS, taken=SPANS)
def test_bytes_without_others_are_those_of_set_arithmetic(
    spans: list[Span], taken: list[Span]
) -> None:
    left = without(spans, taken)
    assert addresses(left) == addresses(spans) - addresses(taken)
    assert sum(span.size for span in left) == len(addresses(left))


@given(span=st.builds(Span, st.integers(0, 60), st.integers(0, 20)), spans=SPANS)
def test_a_cut_is_what_both_share(span: Span, spans: list[Span]) -> None:
    for other in union(spans):
        assert addresses([cut(span, other)]) == addresses([span]) & addresses([other])
