"""The six rows: a partition of every region, elastic reserves beside it, bare ones in it."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from mapinspect.analysis.budget_lines import budget_lines
from mapinspect.analysis.inspect import Records, inspect
from mapinspect.analysis.rows import ROWS, claims, pieces
from mapinspect.model.budget import BudgetTable
from mapinspect.model.image import Evidence, Span
from mapinspect.model.inspection import Inspection
from mapinspect.model.part import Part
from mapinspect.model.reservation import Reservation
from mapinspect.pipeline import Request, check
from mapinspect.readers.elf import read_elf
from mapinspect.readers.gnu_map import read_map
from mapinspect.readers.parts import read_part
from tests.builders import RAM, bss, inspection, text
from tests.good_firmware import facts

BUILT = Path(__file__).parents[2] / "fixtures" / "built"
CASES = sorted(
    path.parent for path in BUILT.glob("*/app.elf") if (path.parent / "app.map").exists()
)


def image(folder: Path, name: str = "app", part: Part | None = None) -> Inspection:
    elf = read_elf(f"{name}.elf", (folder / f"{name}.elf").read_bytes())
    link_map = read_map(f"{name}.map", (folder / f"{name}.map").read_bytes())
    return inspect(Records(BudgetTable(""), elf, link_map, part=part))


def rows(found: Inspection, region: str = "RAM") -> dict[str, int]:
    return {use.row: use.linked for use in found.uses if use.region == region and use.linked}


def is_partition(found: Inspection) -> None:
    for usage in found.usages:
        name = usage.region.name
        own = [piece.span for piece in found.pieces if piece.region == name]
        assert sum(rows(found, name).values()) == usage.charged == sum(span.size for span in own)
        ends = sorted(own)
        assert all(one.end <= other.start for one, other in pairwise(ends))
        assert usage.charged == usage.used - usage.elastic + usage.reserved
        assert 0 <= usage.elastic_occupied <= usage.elastic


@pytest.mark.parametrize("folder", CASES, ids=lambda path: path.name)
def test_the_rows_of_every_built_case_partition_its_regions(folder: Path) -> None:
    is_partition(image(folder))


@pytest.fixture
def stack_or_heap_case(shared: Path):
    return lambda name: image(shared / "link_cases" / name, "case")


# The scripts of these cases: 20 KiB of RAM; sizes as they state them.
@pytest.mark.parametrize(
    ("name", "expected", "elastic", "reserved"),
    [
        pytest.param(
            "sh_chibios", {"static": 8, "stack": 1024 + 1536}, 20480 - 2568, 0, id="ChibiOS .heap"
        ),
        pytest.param(
            "sh_cmsis_old_startup", {"static": 4, "heap": 640, "stack": 1536}, 0, 2176,
            id="CMSIS with COPY sections",
        ),
        pytest.param("sh_rust_cortex_m", {"static": 4}, 0, 0, id="a stack of what is left"),
        pytest.param(
            "sh_mcuxpresso", {"static": 4100, "heap": 1024, "stack": 4096}, 0, 4096,
            id="a stack at the end of RAM that no section holds",
        ),
    ],
)  # fmt: skip
def test_what_conventions_reserve_in_ram(
    stack_or_heap_case, name: str, expected: dict[str, int], elastic: int, reserved: int
) -> None:
    found = stack_or_heap_case(name)
    is_partition(found)
    assert rows(found) == expected
    usage = found.usage("RAM")
    assert (usage.elastic, usage.reserved) == (elastic, reserved)


def test_every_case_of_the_collection_is_partitioned(shared: Path) -> None:
    for elf in sorted((shared / "link_cases").glob("*/case.elf")):
        if elf.with_suffix(".map").exists():
            is_partition(image(elf.parent, "case"))


def test_an_elastic_heap_grows_no_region_over_its_limit(stack_or_heap_case) -> None:
    found = stack_or_heap_case("sh_chibios")
    usage, limit = found.usage("RAM"), found.limit("RAM")
    assert usage.used == usage.region.span.size  # as ld counts it, the region is full
    assert limit.measured(usage) == 2568
    total = next(
        line for line in budget_lines(found) if line.row == "total" and line.memory == "RAM"
    )
    assert (total.linked, total.free) == (2568, 20480 - 2568)


def reserve(start: int, size: int, *, kind: str = "stack") -> Reservation:
    evidence = Evidence("app.elf", None, "")
    return Reservation(kind, "main", size, "test", False, Span(start, size), evidence)


@pytest.mark.parametrize(
    ("start", "size", "stack", "static"),
    [
        pytest.param(RAM.span.end - 64, 64, 64, 100, id="beyond the last section"),
        pytest.param(RAM.span.start + 60, 80, 80, 60, id="half in a section, half beyond"),
        pytest.param(RAM.span.start, 40, 40, 60, id="inside a section"),
        pytest.param(RAM.span.end, 64, 0, 100, id="in no region"),
    ],
)
def test_a_fixed_reserve_counts_once_wherever_it_lies(
    start: int, size: int, stack: int, static: int
) -> None:
    usages = inspection(text(), bss(100)).usages
    found = pieces(usages, claims((), (), [reserve(start, size)]), ())
    sizes = dict.fromkeys(("stack", "static"), 0)
    for piece in found:
        if piece.region == "RAM":
            sizes[piece.row] += piece.span.size
    assert sizes == {"stack": stack, "static": static}


def test_a_section_behind_an_elastic_heap_keeps_its_bytes() -> None:
    usages = inspection(text(), bss(100), bss(50, RAM.span.start + 1000)).usages
    spare = [Span(RAM.span.start + 100, 900)]
    found = pieces(usages, (), spare)
    assert sum(piece.span.size for piece in found if piece.region == "RAM") == 150


def lines(found: Inspection, scope: str) -> dict[tuple[str, str], int]:
    return {
        (line.memory, line.row): line.linked for line in budget_lines(found) if line.scope == scope
    }


def test_all_ram_of_the_good_firmware_shows_all_six_rows() -> None:
    found = facts("")
    sums = lines(found, "sum")
    assert [row for memory, row in sums if memory == "all SRAM"] == [*ROWS, "total", "largest"]
    # By hand from the regions' rows: SRAM1 9504 + SRAM2 16400; the others are in SRAM1 alone.
    assert sums["all SRAM", "static"] == 9504 + 16400
    assert sums["all SRAM", "total"] == found.usage("SRAM1").used + found.usage("SRAM2").used


def test_banks_are_counted_where_a_region_is_no_bank() -> None:
    assert lines(facts(""), "bank") == {}  # the script's regions are the STM32L476's banks
    found = image(BUILT / "good", part=read_part("STM32L496RG"))  # 256 KiB SRAM1, 64 KiB SRAM2
    assert lines(found, "bank")["bank SRAM1", "total"] == found.usage("SRAM1").used
    assert found.kind("SRAM2") == "sram"


def estimates(found: Inspection) -> dict[tuple[str, str], int]:
    return {
        (line.memory, line.row): line.estimated
        for line in budget_lines(found)
        if line.estimated is not None and line.scope != "row"
    }


def test_what_the_models_need_is_shown_by_region_and_in_total() -> None:
    found = facts("")
    # The model file has 41,456 bytes, its plan needs 12,000; one region of Flash needs no sum.
    expected = {("FLASH", "weights"): 41_456, ("SRAM1", "arena"): 12_000}
    assert estimates(found) == {**expected, ("all SRAM", "arena"): 12_000}


def test_a_need_that_is_known_in_part_is_no_estimate() -> None:
    found = facts("")
    (arena,) = found.arenas
    both = replace(found, arenas=(arena, replace(arena, needed=None)))
    assert estimates(both) == {("FLASH", "weights"): 41_456}


def test_the_arena_shows_what_it_holds() -> None:
    use = next(use for use in facts("").uses if (use.row, use.region) == ("arena", "SRAM1"))
    assert dict(use.parts) == {"tensors": 12_000, "slack": 288}
    assert sum(size for _, size in use.parts) == use.linked


def test_the_largest_free_block_of_all_ram_is_in_one_bank() -> None:
    shown = budget_lines(facts(""))
    largest = next(line for line in shown if line.row == "largest")
    # SRAM1 has 98,304 bytes and holds 29,984 in one run from its start; SRAM2 has fewer free.
    assert (largest.memory, largest.free) == ("all SRAM", 98_304 - 29_984)


def test_a_measured_arena_needs_no_model() -> None:
    folder = BUILT / "qemu"
    run = check(
        Request(elf=folder / "app.elf", map=folder / "app.map", measured=(folder / "qemu.log",))
    )
    measured = {(line.memory, line.row): line.measured for line in run.lines if line.measured}
    # qemu.log: arena_needed, heap_peak, stack_peak; all three lie in SRAM1.
    expected = {"arena": 12_000, "heap": 520, "stack": 488}
    assert measured == {
        (memory, row): used for memory in ("SRAM1", "all SRAM") for row, used in expected.items()
    }
