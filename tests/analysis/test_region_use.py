"""What regions hold, against ld's own figures: images linked on the spot and link cases."""

import json
from pathlib import Path

import pytest

from mapinspect.analysis.inspect import Records, inspect
from mapinspect.checks.sections_overlap import sections_overlap
from mapinspect.model.budget import BudgetTable
from mapinspect.model.finding import Status
from mapinspect.model.inspection import Inspection
from mapinspect.readers.elf import read_elf
from mapinspect.readers.gnu_map import read_map
from tests.linked import TARGETS, Linked, link, memory_usage

BUILT = Path(__file__).parents[2] / "fixtures" / "built"

# A script, and the rows by which our use differs from ld's: (region, what, bytes).
MEMORY = """MEMORY { F (rx) : ORIGIN = 0x8000, LENGTH = 32K
  R (rwx) : ORIGIN = 0x810100, LENGTH = 8K }
"""
CODE = " .text : { *(.text*) } >F .v : { *(.v) } >F "
DATA = " .data : { *(.data*) } >R AT>F "
BSS = " .bss (NOLOAD) : { *(.bss*) } >R "
Rows = list[tuple[str, str, int]]
SCRIPTS: dict[str, tuple[str, Rows]] = {
    "an ordinary image": (f"SECTIONS {{ {CODE} {DATA} {BSS} }}", []),
    "a section that is copied without AT> keeps the distance": (
        f"SECTIONS {{ {CODE} {DATA} .o1 : {{ *(.o1) }} >R {BSS} }}",
        [],
    ),
    "constants behind the image of .data": (
        f"SECTIONS {{ {CODE} {DATA} {BSS} .o1 : {{ *(.o1) }} >F }}",
        [],
    ),
    "a stack at the end of its region": (
        f"SECTIONS {{ {CODE} {DATA} {BSS} .stack 0x811900 (NOLOAD) : {{ . += 0x800; }} >R }}",
        [],
    ),
    "a header at an address in a region, code behind it": (
        f"SECTIONS {{ .o1 0x8100 : {{ *(.o1) }} >F {CODE} {DATA} {BSS} }}",
        [],
    ),
    "a note at an address in no region, code before it": (
        f"SECTIONS {{ .o1 0x9000 : {{ *(.o1) }} {CODE} {DATA} {BSS} }}",
        [("F", ".o1, section at an explicit address", 0x9000 + 40)],
    ),
    "overlays in regions": (
        f"SECTIONS {{ {CODE} {DATA} OVERLAY : {{ .o1 {{ *(.o1) }} .o2 {{ *(.o2) }} }} >R AT>F"
        f" {BSS} }}",
        [],
    ),
    "overlays at addresses": (
        f"SECTIONS {{ {CODE} {DATA} {BSS} OVERLAY 0x811000 : AT(0x9000)"
        " { .o1 { *(.o1) } .o2 { *(.o2) } } }",
        [
            ("F", ".o2, overlay image at an explicit address", 60),
            ("F", ".o1, overlay image at an explicit address", 0x9000 + 40),
            ("R", ".o2, overlay image at an explicit address", 20),
            ("R", ".o1, overlay image at an explicit address", 0x811000 + 40),
        ],
    ),
    "a load image at an address": (
        f"SECTIONS {{ {CODE} .data : AT(0x9000) {{ *(.data* .o1 .o2) }} >R {BSS} }}",
        [("F", ".data, load image at an explicit address", 0x9000 + 6 + 40 + 60)],
    ),
    "a COPY section": (
        f"SECTIONS {{ {CODE} {DATA} {BSS} .o1 (COPY) : {{ *(.o1) }} >R }}",
        [
            ("F", ".o1, not allocated (COPY or INFO)", -40),
            ("R", ".o1, not allocated (COPY or INFO)", -40),
        ],
    ),
    "a section outside every region": (
        f"SECTIONS {{ {CODE} {DATA} {BSS} .o1 0x820000 (NOLOAD) : {{ *(.o1) }} }}",
        [],
    ),
    "images aligned with what runs": (
        f"SECTIONS {{ {CODE} .data : ALIGN_WITH_INPUT {{ *(.data*) }} >R AT>F"
        f" .o1 : ALIGN_WITH_INPUT {{ *(.o1) }} >R AT>F {BSS} }}",
        [],
    ),
}
SOURCE = """ .section .text,"ax"
 .global _start
_start: .space 30
 .section .v,"a"
 .space 10
 .data
 .byte 1,2,3,4,5,6
 .section .bss,"aw",%nobits
 .space 100
 .section .o1,"aw"
 .space 40,1
 .section .o2,"aw"
 .space 60,2
"""


def explained(facts: Inspection) -> Rows:
    return [
        (usage.region.name, row.what, row.bytes)
        for usage in facts.usages
        for row in usage.explained
    ]


def assert_accounted(facts: Inspection, used: dict[str, int]) -> None:
    """Every region's use is ld's figure plus the rows that explain the difference."""
    for name, figure in used.items():
        usage = facts.usage(name)
        assert usage is not None, name
        assert usage.used - sum(row.bytes for row in usage.explained) == figure, name
        assert usage.used == usage.occupied + usage.padding + usage.gaps


@pytest.mark.toolchain
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", SCRIPTS)
def test_use_differs_from_ld_by_named_rows(target: str, name: str, tmp_path: Path) -> None:
    script, rows = SCRIPTS[name]
    image = link(tmp_path, target, MEMORY + script, SOURCE)
    assert set(image.used) == {"F", "R"}
    facts = image.inspection()
    assert_accounted(facts, image.used)
    named = [(region, what) for region, what, _ in rows]
    assert [(region, what) for region, what, _ in explained(facts)] == named
    for (region, what, size), (_, _, stated) in zip(explained(facts), rows, strict=True):
        # A row that begins a gap counts it too: from ld's figure to the section's end.
        start = {"F": 0x8000, "R": 0x810100}[region] + image.used[region]
        assert size == (stated - start if stated > 0x8000 else stated), what


@pytest.mark.toolchain
def test_thread_local_bytes_count_once(tmp_path: Path) -> None:
    """The template is stored; .tbss has no address of its own, whatever its header says."""
    template = """ .section .tdata,"awT",%progbits
 .space 8,3
 .section .tbss,"awT",%nobits
 .space 500
"""
    sections = f"{CODE} .tdata : {{ *(.tdata) }} >F .tbss : {{ *(.tbss) }} >F {DATA} {BSS}"
    image = link(tmp_path, "arm", f"{MEMORY} SECTIONS {{ {sections} }}", SOURCE + template)
    facts = image.inspection()
    assert_accounted(facts, image.used)
    assert explained(facts) == []


@pytest.mark.toolchain
def test_overlays_are_legal_where_the_map_or_the_elf_shows_them(tmp_path: Path) -> None:
    script = MEMORY + SCRIPTS["overlays in regions"][0]
    facts = link(tmp_path, "arm", script, SOURCE).inspection()
    assert [outcome.status for outcome in sections_overlap(facts)] == [Status.HOLDS] * 2
    used = " .section .text\n .word __load_start_o1,__load_stop_o1,__load_start_o2,__load_stop_o2\n"
    image = link(tmp_path, "arm", script, SOURCE + used)
    alone = inspect(Records(BudgetTable(path=""), image.elf_file(), None))
    assert [outcome.status for outcome in sections_overlap(alone)] == [Status.HOLDS] * 2


@pytest.mark.toolchain
def test_overlap_without_an_overlay_is_broken(tmp_path: Path) -> None:
    memory = MEMORY.replace("}", " D (rwx) : ORIGIN = 0x810100, LENGTH = 4K }")
    script = f"{memory} SECTIONS {{ {CODE} {DATA} .o1 : {{ *(.o1) }} >D AT>F {BSS} }}"
    image = link(tmp_path, "arm", script, SOURCE)
    statuses = [outcome.status for outcome in sections_overlap(image.inspection())]
    assert statuses[0] is Status.BROKEN


def nested(folder: Path, sections: str) -> Linked:
    """An image whose region C is the first 256 bytes of its region R."""
    memory = MEMORY.replace("}", " C (rwx) : ORIGIN = 0x810100, LENGTH = 0x100 }")
    return link(folder, "arm", f"{memory} SECTIONS {{ {CODE} {sections} }}", SOURCE)


@pytest.mark.toolchain
@pytest.mark.parametrize(
    "sections",
    [
        pytest.param(f"{DATA} {BSS}".replace(">R", ">C"), id="all in the child"),
        pytest.param(f"{DATA} .big (NOLOAD) : {{ . += 0x400; }} >R", id="all in the parent"),
        pytest.param(
            f"{DATA.replace('>R', '>C')} .big 0x810200 (NOLOAD) : {{ . += 0x400; }} >R",
            id="some in each",
        ),
    ],
)
def test_a_region_within_another_counts_what_ld_put_there(sections: str, tmp_path: Path) -> None:
    image = nested(tmp_path, sections)
    facts = image.inspection()
    assert_accounted(facts, image.used)
    assert explained(facts) == []


@pytest.mark.toolchain
def test_a_view_of_the_same_memory_may_skip_what_the_other_holds(tmp_path: Path) -> None:
    """ESP32-H4 and the like: two regions of one span, the second skips what the first holds."""
    memory = """MEMORY { I (rx) : ORIGIN = 0x42000020, LENGTH = 1M
      D (r) : ORIGIN = 0x42000020, LENGTH = 1M  R (rwx) : ORIGIN = 0x20000000, LENGTH = 8K }
    """
    script = f"""{memory} SECTIONS {{
      .text : {{ *(.text*) }} >I
      .dummy (NOLOAD) : {{ . = ALIGN(4) + SIZEOF(.text); . = ALIGN(0x100) + 0x20; }} >D
      .v : {{ *(.v) *(.data*) *(.o1) *(.o2) }} >D
      {BSS} }}"""
    image = link(tmp_path, "arm", script, SOURCE)
    facts = image.inspection()
    assert_accounted(facts, image.used)
    assert [outcome.status for outcome in sections_overlap(facts)] == [Status.HOLDS] * 2
    writable = link(tmp_path, "arm", script.replace("D (r)", "D (rw)"), SOURCE).inspection()
    assert Status.BROKEN in [outcome.status for outcome in sections_overlap(writable)]


def link_cases() -> list[str]:
    """Every link case and version for which ld printed use and wrote an ELF."""
    shared = Path(__file__).resolve().parents[3] / "shared" / "link_cases"
    found = [*shared.glob("*/truth.json"), *shared.glob("*/variants/*/truth.json")]
    return sorted(str(path.parent.relative_to(shared)) for path in found if _was_linked(path))


def _was_linked(path: Path) -> bool:
    truth = json.loads(path.read_text())
    elf = path.with_name("case.elf")
    return bool(truth["link_rc"] == 0 and truth.get("memory_usage")) and elf.exists()


@pytest.mark.toolchain
def test_what_nothing_can_tell(tmp_path: Path) -> None:
    """`AT(end of .text)` and `AT> F` give one map and one ELF, and two figures of ld.

    The image is stored in F either way; only what ld prints about F differs, and mapinspect takes
    the second, the ordinary case.
    """
    images = []
    for name, at in (("first", ": AT(ADDR(.v) + SIZEOF(.v)) {0} >R"), ("second", ": {0} >R AT>F")):
        folder = tmp_path / name
        folder.mkdir()
        data = f".data {at.format('{ *(.data*) }')}"
        script = f"{MEMORY} SECTIONS {{ {CODE} {data} .bss : {{ *(.bss* .o1 .o2) }} >R }}"
        images.append(link(folder, "arm", script, SOURCE.replace("1,2,3,4,5,6", "1,2,3,4")))
    first, second = images
    assert first.map.read_bytes() == second.map.read_bytes()
    assert first.elf.read_bytes() == second.elf.read_bytes()
    assert first.used["F"] < second.used["F"]
    assert_accounted(second.inspection(), second.used)


# Neither map nor ELF tells `.data : AT(end of .text) > data` from `> data AT> text`; ld counts
# the load image in `text` only in the second case.
LD_COUNTS_LESS = {"avr_ld": ("text", 2)}


@pytest.mark.corpus
@pytest.mark.parametrize("case", link_cases())
def test_link_cases_are_accounted_for(case: str, shared: Path) -> None:
    folder = shared / "link_cases" / case
    truth = json.loads((folder / "truth.json").read_text())
    elf = folder / "case.elf"
    records = Records(
        BudgetTable(path=""),
        read_elf(str(elf), elf.read_bytes()),
        read_map("case.map", (folder / "case.map").read_bytes()),
    )
    used = {row["region"]: row["used"] for row in truth["memory_usage"]}
    region, less = LD_COUNTS_LESS.get(case.partition("/")[0], ("", 0))
    if region:
        used[region] += less
    facts = inspect(records)
    assert_accounted(facts, used)
    assert bool(explained(facts)) == case.startswith("arm_noload"), explained(facts)


BUILT_CASES = sorted(
    path.parent.name
    for path in BUILT.glob("*/memory_usage.txt")
    if path.with_name("app.elf").exists() and path.parent.name != "elf-of-another-core"
)


@pytest.mark.parametrize("case", BUILT_CASES)
def test_built_firmware_is_accounted_for(case: str) -> None:
    folder = BUILT / case
    elf = folder / "app.elf"
    records = Records(
        BudgetTable(path=""),
        read_elf(str(elf), elf.read_bytes()),
        read_map("app.map", (folder / "app.map").read_bytes()),
    )
    facts = inspect(records)
    assert_accounted(facts, memory_usage((folder / "memory_usage.txt").read_text()))
    assert bool(explained(facts)) == (case == "load-image-outside-region")
