"""Properties of the gate over the good firmware, for rows of every kind.

A limit equal to the use passes and one byte less fails; raising a limit never makes PASS a FAIL;
adding bytes never makes FAIL a PASS; renaming symbols changes no number.
"""

from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mapinspect.model.elf_file import ElfFile
from mapinspect.model.finding import Status
from mapinspect.model.report import Verdict
from mapinspect.readers.elf import read_elf
from tests.good_firmware import FOLDER, facts, outcomes, verdict
from tests.good_firmware import REGIONS as REGIONS_OF_THE_PART

ROWS = {
    "region": "match = { region = 'SRAM2' }",
    "bank": "match = { bank = 'SRAM1' }",
    "section": "match = { section = '.rodata*' }",
    "object": "match = { object = 'engine.o' }",
    "archive": "match = { archive = 'libdsp.a' }",
    "symbol": "match = { symbol = 'g_kws_model' }",
    "stack": "kind = 'stack'",
    "heap": "kind = 'heap'",
    "weights": "kind = 'weights'",
    "arena": "kind = 'arena'",
    "static": "kind = 'static'\nregion = 'FLASH'",
    "rest": "kind = 'rest'\nregion = 'SRAM?'",
}
EVERY_ROW = pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
REGIONS = ("FLASH", "SRAM1", "SRAM2")


def budget(row: str, claim: str) -> str:
    return f"[[budget]]\nid = 'x'\n{row}\n{claim}\n"


def use(row: str) -> int:
    used = facts(budget(row, "limit = '100%'")).line("x").linked
    assert used > 0
    return used


@EVERY_ROW
def test_a_limit_equal_to_the_use_passes_and_one_byte_less_fails(row: str) -> None:
    used = use(row)
    assert verdict(facts(budget(row, f"limit = {used}"))) is Verdict.PASS
    inspection = facts(budget(row, f"limit = {used - 1}"))
    assert verdict(inspection) is Verdict.FAIL
    (outcome,) = [
        item for item in outcomes(inspection, "row-over-budget") if item.status is Status.BROKEN
    ]
    assert (outcome.subject, outcome.findings[0].message) == (
        "x",
        f"x takes up {used} of {used - 1} bytes, 1 over",
    )


@EVERY_ROW
def test_a_minimum_equal_to_the_use_passes_and_one_byte_more_fails(row: str) -> None:
    used = use(row)
    assert verdict(facts(budget(row, f"min = {used}"))) is Verdict.PASS
    assert verdict(facts(budget(row, f"min = {used + 1}"))) is Verdict.FAIL


@EVERY_ROW
def test_a_warning_fails_only_on_demand(row: str) -> None:
    inspection = facts(budget(row, f"limit = '100%'\nwarn = {use(row) - 1}"))
    assert verdict(inspection) is Verdict.PASS
    assert verdict(inspection, warnings_fail=True) is Verdict.FAIL


def test_each_claim_of_a_row_names_its_own_line() -> None:
    claims = "min = 12289\nwarn = 12287\nlimit = '16K'"  # the arena has 12,288 bytes
    inspection = facts(budget(ROWS["arena"], claims))
    (under,) = [item for item in outcomes(inspection, "row-under-minimum") if item.findings]
    (above,) = [item for item in outcomes(inspection, "row-over-budget") if item.findings]
    assert under.findings[0].evidence[0].text == "min = 12289"
    assert above.findings[0].evidence[0].text == "warn = 12287"
    region = "[[region]]\nname = 'SRAM1'\nwarn = 29983\nlimit = '80K'\n"
    others = "[[region]]\nname = 'FLASH'\n[[region]]\nname = 'SRAM2'\n"
    found = outcomes(facts(region + others), "region-over-budget")
    (warned,) = [item for item in found if item.findings]
    assert warned.findings[0].evidence[0].text == "warn = 29983"


@pytest.mark.parametrize("region", REGIONS)
def test_a_region_row_too(region: str) -> None:
    used = facts("").usage(region).used
    others = "".join(f"[[region]]\nname = '{name}'\n" for name in REGIONS if name != region)
    for limit, expected in ((used, Verdict.PASS), (used - 1, Verdict.FAIL)):
        rows = f"[[region]]\nname = '{region}'\nlimit = {limit}\n{others}"
        assert verdict(facts(rows)) is expected


@pytest.mark.parametrize(
    ("length", "expected"),
    [
        pytest.param("512K", Verdict.PASS, id="as the map has it"),
        pytest.param("256K", Verdict.PASS, id="less than the script claims"),
        pytest.param("513K", Verdict.UNKNOWN, id="more than ld could ever fill"),
    ],
)
def test_a_region_row_makes_no_memory_larger_than_the_map_has_it(
    length: str, expected: Verdict
) -> None:
    """Its length is a limit too, and one beyond the region limits nothing."""
    inspection = replace(facts(REGIONS_OF_THE_PART.replace("512K", length)), part=None)
    assert verdict(inspection) is expected
    broken = [
        item
        for item in outcomes(inspection, "limit-beyond-memory")
        if item.status is Status.UNDECIDED
    ]
    if expected is Verdict.UNKNOWN:
        said = "FLASH is 525312 bytes from 0x08000000 here, and 524288 from 0x08000000 in the map"
        assert [item.reason for item in broken] == [said]


@settings(deadline=None)
@given(row=st.sampled_from(sorted(ROWS)), limits=st.tuples(*[st.integers(0, 32 * 1024)] * 2))
def test_raising_a_limit_never_fails(row: str, limits: tuple[int, int]) -> None:
    low, high = (verdict(facts(budget(ROWS[row], f"limit = {limit}"))) for limit in sorted(limits))
    assert not (low is Verdict.PASS and high is not Verdict.PASS)
    assert not (high is Verdict.FAIL and low is not Verdict.FAIL)


@settings(deadline=None)
@given(tenths=st.integers(0, 1000), more=st.integers(0, 1000), region=st.sampled_from(REGIONS))
def test_raising_a_share_never_fails(tenths: int, more: int, region: str) -> None:
    def judged(share: int) -> Verdict:
        others = "".join(f"[[region]]\nname = '{name}'\n" for name in REGIONS if name != region)
        limit = f"limit = '{share // 10}.{share % 10}%'"
        return verdict(facts(f"[[region]]\nname = '{region}'\n{limit}\n{others}"))

    low, high = judged(tenths), judged(min(1000, tenths + more))
    assert not (low is Verdict.PASS and high is Verdict.FAIL)


@settings(deadline=None)
@given(
    row=st.sampled_from(sorted(set(ROWS) - {"object", "archive"})),
    limit=st.integers(0, 32 * 1024),
    section=st.sampled_from([".data", ".text", ".sram2_noinit", "._user_heap_stack"]),
    more=st.integers(0, 4096) | st.integers(0, 1 << 20),
)
@example(row="region", limit=0, section=".sram2_noinit", more=16369)  # a byte past SRAM2's end
def test_adding_bytes_never_passes(row: str, limit: int, section: str, more: int) -> None:
    """Without a map, whose disagreement with the grown image would decide everything.

    A section may grow past the end of its region, which is where other tools stop counting it.
    """
    claim = REGIONS_OF_THE_PART + budget(ROWS[row], f"limit = {limit}")
    before = facts(claim, with_map=False)
    after = facts(claim, elf=grown(section, more), with_map=False)
    assert after.line("x").linked >= before.line("x").linked
    if verdict(before) is Verdict.FAIL:
        assert verdict(after) is Verdict.FAIL


OPTIONAL = "limit = 1\noptional = true"


@pytest.mark.parametrize(
    ("row", "lacking"),
    [
        pytest.param(ROWS["archive"], "map", id="an archive without a map"),
        pytest.param(ROWS["object"], "map", id="an object without a map"),
        pytest.param(ROWS["symbol"], "symbols", id="a symbol of a stripped ELF"),
        pytest.param(ROWS["stack"], "symbols", id="the stack of a stripped ELF"),
        pytest.param(ROWS["heap"], "symbols", id="the heap of a stripped ELF"),
        pytest.param(ROWS["arena"], "symbols", id="the arena of a stripped ELF"),
    ],
)
def test_an_optional_row_is_not_absent_where_nothing_could_show_it(row: str, lacking: str) -> None:
    """With map and symbols each of them is over its limit of one byte."""
    claim = REGIONS_OF_THE_PART + budget(row, OPTIONAL)
    assert verdict(facts(claim)) is Verdict.FAIL
    without_symbols = replace(good_elf(), symbols=_NoSymbols())
    elf = without_symbols if lacking == "symbols" else None
    inspection = facts(claim, elf=elf, with_map=lacking != "map")
    (outcome,) = [
        item
        for item in outcomes(inspection, "row-matches-nothing")
        if item.status is Status.UNDECIDED
    ]
    assert lacking in outcome.findings[0].message
    assert verdict(inspection) is Verdict.UNKNOWN


@pytest.mark.parametrize(
    ("match", "lacking"),
    [
        pytest.param("archive = 'libdsp.a'", "map", id="an archive without a map"),
        pytest.param("symbol = 'g_kws_model'", "symbols", id="a symbol of a stripped ELF"),
    ],
)
def test_an_optional_placement_is_not_absent_either(match: str, lacking: str) -> None:
    row = f"[[placement]]\nid = 'p'\nmatch = {{ {match} }}\nregion = 'SRAM2'\noptional = true\n"
    claim = REGIONS_OF_THE_PART + row
    assert verdict(facts(claim)) is Verdict.FAIL
    elf = replace(good_elf(), symbols=_NoSymbols()) if lacking == "symbols" else None
    inspection = facts(claim, elf=elf, with_map=lacking != "map")
    assert verdict(inspection) is Verdict.UNKNOWN
    found = outcomes(inspection, "row-matches-nothing")
    assert any(item.status is Status.UNDECIDED and lacking in item.reason for item in found)


class _NoSymbols(tuple):
    """The symbols of a stripped ELF."""

    __slots__ = ()

    def named(self, _name: str) -> tuple:
        return ()

    def names(self) -> tuple:
        return ()

    addresses = sizes = names


def good_elf() -> ElfFile:
    return read_elf("app.elf", (FOLDER / "app.elf").read_bytes())


def grown(name: str, more: int) -> ElfFile:
    """The good image with one section made larger, whatever then lies behind it."""
    elf = good_elf()
    sections = tuple(
        replace(section, size=section.size + more) if section.name == name else section
        for section in elf.sections
    )
    return replace(elf, sections=sections)


def test_renaming_symbols_changes_no_number() -> None:
    """Every name but those that the table and the linker's conventions speak of."""
    rows = "".join(
        f"[[budget]]\nid = '{name}'\n{row}\nlimit = '100%'\n" for name, row in ROWS.items()
    )
    content = (FOLDER / "app.elf").read_bytes()
    renamed = content
    for symbol in good_elf().symbols:
        is_code_or_data = (
            symbol.kind.name in ("FUNCTION", "OBJECT") and symbol.size and len(symbol.name) > 5
        )
        if is_code_or_data and symbol.name not in ("g_kws_model", "tensor_arena"):
            old = symbol.name.encode()
            renamed = renamed.replace(b"\0" + old + b"\0", b"\0" + b"q" * len(old) + b"\0")
    assert renamed.count(b"qqqqqq") > 50
    before, after = facts(rows), facts(rows, elf=read_elf("app.elf", renamed))
    assert [line.linked for line in after.rows] == [line.linked for line in before.rows]
    assert after.usages == before.usages
    assert after.uses == before.uses
    assert verdict(after) is verdict(before) is Verdict.PASS
