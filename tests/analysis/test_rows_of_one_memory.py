"""Rows that name a memory, linked on the spot: what counts there, and what only seems to.

All sizes are those of the scripts' labels and the source's ``.space`` statements.
"""

from pathlib import Path

import pytest

from tests.audited import audited

SOURCE = """
.section .text,"ax"
.global malloc
.type malloc,%function
malloc: .word 0
.size malloc, 4
.section .bss,"aw",%nobits
.global state
.type state,%object
state: .space 0x100
.size state, 0x100
.section .persist,"aw",%nobits
.global kept
.type kept,%object
kept: .space 0x6000
.size kept, 0x6000
"""
RTOS_HEAP = """.section .bss.heap,"aw",%nobits
.global ucHeap
.type ucHeap,%object
ucHeap: .space 0x2000
.size ucHeap, 0x2000
"""
SCRIPT = """
MEMORY {{ FLASH (rx) : ORIGIN = 0x08000000, LENGTH = 512K
  RAM (xrw) : ORIGIN = 0x20000000, LENGTH = 64K
  {} }}
SECTIONS {{
  .text : {{ *(.text) }} > FLASH
  .bss : {{ *(.bss) }} > RAM
  {}
}}
"""
DTCM = "DTCM (xrw) : ORIGIN = 0x10000000, LENGTH = 32K"
UPPER = "UPPER (xrw) : ORIGIN = 0x20008000, LENGTH = 32K"
STACK = "__StackLimit = 0x20004000; __StackTop = 0x2000a000;"
PINNED = ".persist 0x2000a000 (NOLOAD) : { *(.persist) } > RAM\n"
ROW = '[[budget]]\nid = "row"\nkind = "{}"\nregion = "{}"\n{}\n'


@pytest.mark.parametrize(
    ("limit", "broken"),
    [
        # 0x100 of .bss, 0x6000 of .persist and, between them, 0x6000 of the stack.
        pytest.param(0xC100, [], id="room for the stack too"),
        pytest.param(0xC0FF, ["RAM is occupied by 49408 of 49407 bytes, 1 over"], id="a byte less"),
    ],
)
def test_a_stack_between_sections_occupies_its_bytes(
    tmp_path: Path, limit: int, broken: list[str]
) -> None:
    table = f'[[region]]\nname = "FLASH"\n[[region]]\nname = "RAM"\nlimit = {limit}\n'
    script = SCRIPT.format("", PINNED + STACK)
    found = audited(tmp_path, script, SOURCE, table + 'count = "occupied"\n')
    assert found.get("region-over-budget", []) == broken


@pytest.mark.parametrize(
    ("region", "found"),
    [
        pytest.param("RAM", [], id="where it is"),
        pytest.param("DTCM", ["row row matches nothing"], id="where it is not"),
    ],
)
def test_room_for_a_stack_counts_in_the_memory_where_it_starts(
    tmp_path: Path, region: str, found: list[str]
) -> None:
    script = SCRIPT.format(DTCM, ".persist : { *(.persist) } > RAM _estack = 0x20010000;")
    table = ROW.format("stack", region, 'min = "8K"')
    assert audited(tmp_path, script, SOURCE, table).get("row-matches-nothing", []) == found


@pytest.mark.parametrize(
    ("labels", "least", "told"),
    [
        # .bss and .persist take 0x6100 of 0x10000 bytes; 0x9f00 are left to heap and stack.
        pytest.param("end = .;", (0x4000, 0x5F00), set(), id="both fit what is left"),
        pytest.param(
            "end = .;", (0x4000, 0x5F01), {"free-block-too-small"}, id="both, a byte too many"
        ),
        pytest.param(
            "__HeapBase = 0x20007000; __HeapLimit = 0x2000b000;",
            (0x5000, 0x4000),
            set(),
            id="above a heap of a fixed size",
        ),
        pytest.param(
            "__HeapBase = 0x20007000; __HeapLimit = 0x2000b000;",
            (0x5001, 0x4000),
            {"row-under-minimum"},
            id="above a heap of a fixed size, a byte too many",
        ),
        pytest.param(
            "end = .; _Min_Heap_Size = 0x4000;",
            (0x5F01, 0x4000),
            {"row-under-minimum"},
            id="above a heap of a least size, a byte too many",
        ),
    ],
)
def test_heap_and_stack_share_what_is_left(
    tmp_path: Path, labels: str, least: tuple[int, int], told: set[str]
) -> None:
    sections = f".persist : {{ *(.persist) }} > RAM\n{labels} _estack = 0x20010000;"
    table = ROW.format("stack", "RAM", f"min = {least[0]}")
    table += ROW.format("heap", "RAM", f"min = {least[1]}").replace('"row"', '"heap"')
    assert set(audited(tmp_path, SCRIPT.format(DTCM, sections), SOURCE, table)) == told


def test_a_heap_elsewhere_is_no_room_for_the_one_that_the_row_is_about(tmp_path: Path) -> None:
    # In DTCM 0x2000 of ucHeap and 0x2000 between the labels; in RAM a heap of 0x8000.
    sections = (
        ".heaps (NOLOAD) : { *(.bss.heap) } > DTCM\n"
        ".persist : { *(.persist) } > RAM\n"
        "__HeapBase = 0x10002000; __HeapLimit = 0x10004000;\n"
        ".heap (NOLOAD) : { . += 0x8000; } > RAM\n"
    )
    table = ROW.format("heap", "DTCM", 'min = "12K"')
    found = audited(tmp_path, SCRIPT.format(DTCM, sections), SOURCE + RTOS_HEAP, table)
    assert found == {
        "free-block-too-small": [
            "row, a heap, needs 12288 bytes in one piece, the largest free block has 8192"
        ]
    }


@pytest.mark.parametrize(
    ("row", "told"),
    [
        pytest.param(
            ROW.format("static", "RAM", 'limit = "16K"'),
            {"row-over-budget"},
            id="a kind within a limit",
        ),
        pytest.param(
            '[[budget]]\nid = "row"\nmatch = { section = "*" }\nregion = "RAM"\nlimit = "16K"\n',
            {"row-over-budget"},
            id="a match within a limit",
        ),
        pytest.param(
            ROW.format("static", "UPPER", 'min = "16K"'), {"row-under-minimum"}, id="a minimum"
        ),
        pytest.param(ROW.format("static", "RAM", 'limit = "63K"'), set(), id="enough either way"),
    ],
)
def test_what_either_of_two_regions_may_hold_is_undecided(
    tmp_path: Path, row: str, told: set[str]
) -> None:
    # .bss of 0x100 bytes, and 0x6000 bytes at addresses that both regions have.
    sections = ".persist 0x20009000 (NOLOAD) : { *(.persist) } > RAM"
    assert set(audited(tmp_path, SCRIPT.format(UPPER, sections), SOURCE, row)) == told


@pytest.mark.xfail(
    strict=True,
    reason="a section that begins with a region inside a larger one is taken for that region's: "
    "map and ELF are the same to the byte when the script names the larger one, and to doubt it "
    "would doubt every nested region that is used",
)
def test_a_section_of_the_outer_region_at_the_origin_of_the_inner_one(tmp_path: Path) -> None:
    sections = ".persist 0x20008000 (NOLOAD) : { *(.persist) } > RAM"
    rows = "".join(f'[[region]]\nname = "{name}"\n' for name in ("FLASH", "UPPER", "RAM"))
    found = audited(tmp_path, SCRIPT.format(UPPER, sections), SOURCE, f'{rows}limit = "16K"\n')
    assert "region-over-budget" in found  # ld counts 0xe000 bytes of RAM


HEAP_LABELS = "__HeapBase = 0x20001000; __HeapLimit = {};"


@pytest.mark.parametrize(
    ("labels", "room"),
    [
        pytest.param("end = 0x20001000; _estack = 0x20010000;", 0x9000, id="up to the stack"),
        pytest.param(HEAP_LABELS.format("0x20010000"), 0x9000, id="up to the end of RAM"),
        pytest.param(
            "__HeapBase = 0x20001000; __HeapLimit = 0x2000f000; "
            "__StackLimit = 0x2000f000; __StackTop = 0x20010000;",
            0x9000,
            id="up to the stack's limit",
        ),
    ],
)
def test_a_heap_ends_at_the_first_section_above_it(tmp_path: Path, labels: str, room: int) -> None:
    sections = ".persist 0x2000a000 (NOLOAD) : { *(.persist) } > RAM"
    script = SCRIPT.format("", f"{sections}\n{labels}")
    table = f'[[budget]]\nid = "heap"\nkind = "heap"\nmin = {room}\n'
    assert "row-under-minimum" not in audited(tmp_path, script, SOURCE, table)
    table = f'[[budget]]\nid = "heap"\nkind = "heap"\nmin = {room + 1}\n'
    assert "row-under-minimum" in audited(tmp_path, script, SOURCE, table)


def test_a_section_in_the_way_of_a_heap_is_a_warning(tmp_path: Path) -> None:
    sections = ".persist 0x20009f00 (NOLOAD) : { *(.persist) } > RAM\n"
    script = SCRIPT.format("", f"{sections}end = 0x20001000; _estack = 0x20010000;")
    assert audited(tmp_path, script, SOURCE, "") == {}
    found = audited(tmp_path, script, SOURCE, '[checks]\nstack-collision = "error"\n')
    assert (
        "the heap C library grows over .persist once it has 36608 bytes"
        in (found["stack-collision"])
    )


@pytest.mark.parametrize(
    ("labels", "told"),
    [
        pytest.param("end = .; _estack = 0x20010000;", {"row-over-budget"}, id="what is left"),
        pytest.param("__HeapBase = 0x20007000; __HeapLimit = 0x20008000;", set(), id="its limit"),
    ],
)
def test_a_limit_of_a_heap_needs_something_that_keeps_it(
    tmp_path: Path, labels: str, told: set[str]
) -> None:
    script = SCRIPT.format("", f".persist : {{ *(.persist) }} > RAM\n{labels}")
    table = '[[budget]]\nid = "heap"\nkind = "heap"\nlimit = "4K"\n'
    assert set(audited(tmp_path, script, SOURCE, table)) == told
    unused = SOURCE.replace("malloc", "nothing")  # nobody asks for a heap
    assert set(audited(tmp_path, script, unused, table)) == set()


@pytest.mark.parametrize(
    ("row", "told"),
    [
        # RM0440: SRAM1 of 80 KiB, then 16 KiB of SRAM2 from 0x20014000 in the same region.
        pytest.param(("heap", "SRAM1", 0x4000), set(), id="the heap's first 16 KiB"),
        pytest.param(("heap", "SRAM1", 0x4001), {"row-under-minimum"}, id="and a byte"),
        pytest.param(("stack", "SRAM2", 0x4000), set(), id="the stack's last 16 KiB"),
        pytest.param(("stack", "SRAM1", 4), {"row-matches-nothing"}, id="where it does not start"),
    ],
)
def test_what_lies_in_two_banks_counts_in_each_by_its_share(
    tmp_path: Path, row: tuple[str, str, int], told: set[str]
) -> None:
    kind, bank, least = row
    labels = {
        "heap": "__HeapBase = 0x20010000; __HeapLimit = 0x20018000;",
        "stack": "_estack = 0x20018000;",
    }[kind]
    script = SCRIPT.format("", f".persist : {{ *(.persist) }} > RAM\n{labels}")
    script = script.replace("LENGTH = 64K", "LENGTH = 96K")
    table = f'[project]\nmcu = "STM32G474RE"\n{ROW.format(kind, "RAM", f"min = {least}")}'
    table = table.replace('region = "RAM"', f'bank = "{bank}"')
    assert set(audited(tmp_path, script, SOURCE, table)) == told


def test_members_of_an_overlay_have_an_image_each(tmp_path: Path) -> None:
    member = """
.section .{0},"aw"
.type overlay_{0},%object
overlay_{0}: .fill 0x1000, 1, 1
.size overlay_{0}, 0x1000
"""
    source = SOURCE + member.format("one") + member.format("two")
    overlay = (
        ".persist : { *(.persist) } > RAM\n"
        "OVERLAY 0x20008000 : { .one { *(.one) } .two { *(.two) } } > RAM AT> FLASH"
    )
    table = '[[budget]]\nid = "o"\nmatch = { symbol = "overlay_*" }\nregion = "FLASH"\nlimit = '
    assert audited(tmp_path, SCRIPT.format("", overlay), source, f"{table}0x2000\n") == {}
    found = audited(tmp_path, SCRIPT.format("", overlay), source, f"{table}0x1fff\n")
    assert found == {"row-over-budget": ["o takes up 8192 of 8191 bytes, 1 over"]}


def test_a_stack_in_two_regions_counts_in_both(tmp_path: Path) -> None:
    sections = (
        ".persist : { *(.persist) } > RAM __StackLimit = 0x20007000; __StackTop = 0x2000a000;"
    )
    script = SCRIPT.format(UPPER, sections).replace("LENGTH = 64K", "LENGTH = 32K")
    rows = "".join(f'[[region]]\nname = "{name}"\n' for name in ("FLASH", "RAM", "UPPER"))
    found = audited(tmp_path, script, SOURCE, f'{rows}limit = "4K"\n')
    assert found["region-over-budget"] == ["UPPER holds 8192 of 4096 bytes, 4096 over"]
    assert found["stack-misplaced"] == [
        "the stack main lies in no one region, at 0x20007000 to 0x2000a000"
    ]
