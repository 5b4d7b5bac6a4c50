"""Adding bytes never turns FAIL into PASS: region limits, margins, and variables that grow.

Sections grow past the ends of their regions too, which is where a section that no longer fits is
lost from the sums of tools that count only what lies whole inside one.
"""

import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mapinspect.model.elf_file import ElfFile
from mapinspect.model.report import Verdict
from mapinspect.readers.elf import read_elf
from tests.checks.test_rows_of_every_kind import REGIONS, REGIONS_OF_THE_PART, budget, grown
from tests.good_firmware import FOLDER, facts, verdict

GROWING = (".data", ".text", ".bss", ".sram2_noinit", "._user_heap_stack")
SPARE = 0x1C00  # bytes of .bss behind tensor_arena: 0x20000090 + 0x5490 - 0x20000850 - 0x3000, less


def regions(name: str, limit: int) -> str:
    """A table that limits one region, and says where all of them lie."""
    head, found, rest = REGIONS_OF_THE_PART.partition(f'name = "{name}"\n')
    return f"{head}{found}limit = {limit}\n{rest}"


@settings(deadline=None)
@given(
    region=st.sampled_from(REGIONS),
    limit=st.integers(0, 96 * 1024),
    section=st.sampled_from(GROWING),
    more=st.integers(0, 4096) | st.integers(0, 1 << 21),
)
def test_a_region_over_its_limit_stays_so(region: str, limit: int, section: str, more: int) -> None:
    claim = regions(region, min(limit, 32 * 1024) if region == "SRAM2" else limit)
    before = facts(claim, with_map=False)
    after = facts(claim, elf=grown(section, more), with_map=False)
    for usage in before.usages:
        assert after.usage(usage.region.name).used >= usage.used
    if verdict(before) is Verdict.FAIL:
        assert verdict(after) is Verdict.FAIL


@pytest.mark.parametrize("section", GROWING)
def test_a_section_that_leaves_its_region_fails_by_the_byte(section: str) -> None:
    """FLASH 512 KiB, SRAM1 96 KiB, SRAM2 32 KiB: the first byte too many, and a thousand."""
    elf = grown(section, 0)
    (own,) = (item for item in elf.sections if item.name == section)
    ends = {0x08: 0x0808_0000, 0x20: 0x2001_8000, 0x10: 0x1000_8000}
    room = ends[own.vma >> 24] - own.vma - own.size
    for more in (1, 1000):
        found = facts(REGIONS_OF_THE_PART, elf=grown(section, room + more), with_map=False)
        assert verdict(found) is Verdict.FAIL


def larger_arena(more: int) -> ElfFile:
    """The good image with a larger tensor_arena: its st_size in the file's symbol table."""
    content = bytearray((FOLDER / "app.elf").read_bytes())
    (arena,) = read_elf("app.elf", bytes(content)).symbols.named("tensor_arena")
    entry = struct.pack("<II", arena.address, arena.size)
    at = content.index(entry)
    assert content.count(entry) == 1
    content[at + 4 : at + 8] = struct.pack("<I", arena.size + more)
    return read_elf("app.elf", bytes(content))


@settings(deadline=None)
@given(limit=st.integers(0, 32 * 1024), more=st.integers(0, SPARE))
@pytest.mark.parametrize(
    "row", ["kind = 'arena'", "match = { symbol = 'tensor_arena' }"], ids=["arena", "symbol"]
)
def test_a_variable_that_grows_counts_byte_by_byte(row: str, limit: int, more: int) -> None:
    claim = REGIONS_OF_THE_PART + budget(row, f"limit = {limit}")
    before = facts(claim, with_map=False)  # the map shows where the smaller one ends
    after = facts(claim, elf=larger_arena(more), with_map=False)
    assert after.line("x").linked == before.line("x").linked + more
    assert verdict(before) is (Verdict.PASS if limit >= 12288 else Verdict.FAIL)
    assert verdict(after) is (Verdict.PASS if limit >= 12288 + more else Verdict.FAIL)
