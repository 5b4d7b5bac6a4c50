"""Every damaged table of fixtures/broken/budget, judged with the good firmware: never exit 0.

Exit 2 comes with one `error:` line that names file and line, unless the image is what cannot be
judged. One table is sound and broken by a byte: exit 1.
"""

import re
from pathlib import Path

import pytest

from mapinspect.cli.run import run

FIXTURES = Path(__file__).parents[2] / "fixtures"
BROKEN = FIXTURES / "broken" / "budget"
GOOD = FIXTURES / "built" / "good"

# file: line of the fault (None: none to name), what the error line says
REFUSED: dict[str, tuple[int | None, str]] = {
    "b01_unknown_region": (6, "region SRAMM1 is not in the image; did you mean SRAM1?"),
    "b02_region_not_covered": (6, 'SRAM1 holds [0-9]+ bytes and has no .*name = "SRAM1"'),
    "b03_empty": (None, "the budget table is empty"),
    "b04_unknown_key": (5, "unknown key 'limitt' in region; did you mean limit?"),
    "b05_unit_kB": (4, 'ambiguous unit kB .*write "16KiB"'),
    "b06_float": (4, "limit is a float, not a size"),
    "b07_nan": (4, "limit is a float"),
    "b08_inf": (4, "limit is a float"),
    "b08_inf_by_overflow": (4, "limit is a float"),
    "b09_negative": (4, "limit is negative"),
    "b10_huge": (4, "does not fit 64 bits"),
    "b10_beyond_the_region": (6, "limit of SRAM1, 1048576 bytes, is beyond its 98304 bytes"),
    "b10_row_beyond_the_region": (6, "limit of code, 525312 bytes, is beyond its 524288 bytes"),
    "b11_over_100": (4, "120%, more than everything"),
    "b12_bool": (4, "limit is a boolean"),
    "b13_str_number": (4, "limit is '0x', not a size"),
    "b14_dup": (4, "is not valid TOML"),
    "b14_dup_region": (6, "'SRAM1' is given twice"),
    "b14_dup_model": (5, "'kws' is given twice"),
    "b15_case": (6, "region sram1 is not in the image; did you mean SRAM1?"),
    "b16_deep": (None, "nests or counts beyond reason|unknown key 'a'"),
    "b17_symbol_absent": (5, "row log matches nothing"),
    "b19_expired_waiver": (4, "the waiver of row-over-budget expired on 2020-02-29"),
    "b20_waiver_of_nothing": (4, "waiver of weights-duplicated for g_old_model accepts nothing"),
    "b21_ignored_foundation": (3, "map-elf-disagree must not be 'ignore'"),
    "b22_unknown_check": (3, "no check is called 'weights-in-flash'"),
    "b24_broken_profile": (5, "overrides region 'SRAM3', which the table does not have"),
    "b25_date_as_number": (6, "expires is a number, not a date"),
    "b26_placement_in_unknown_region": (5, "wants flash, .* did you mean FLASH?"),
}
# The table is sound, and the image leaves a claim open or breaks one: file: status, what is said
ANSWERED = {
    "b17_arena_absent": (2, "no symbol matches no_such_arena"),
    "b18_999_rounding": (1, "SRAM2 holds 16400 of 16399 bytes, 1 over"),
    "b23_growth_without_baseline": (2, "how much FLASH grew is unknown: no baseline is given"),
}


def check(name: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    files = ["--elf", str(GOOD / "app.elf"), "--map", str(GOOD / "app.map")]
    status = run(["check", "--config", str(BROKEN / f"{name}.toml"), *files])
    said = capsys.readouterr()
    return status, said.out, said.err


def test_every_damaged_table_has_its_row() -> None:
    assert {path.stem for path in BROKEN.glob("*.toml")} == {*REFUSED, *ANSWERED}


@pytest.mark.parametrize("name", REFUSED)
def test_a_damaged_table_is_refused_with_its_line(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    line, words = REFUSED[name]
    status, _, errors = check(name, capsys)
    assert status == 2
    assert errors.count("\n") == 1
    place = f"{name}.toml" if line is None else f"{name}.toml:{line}"
    assert re.match(rf"error: \S*{re.escape(place)}: .*({words})", errors)


@pytest.mark.parametrize("name", ANSWERED)
def test_a_sound_table_gets_its_answer(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    expected, words = ANSWERED[name]
    status, out, errors = check(name, capsys)
    assert (status, errors) == (expected, "")
    assert words in out
