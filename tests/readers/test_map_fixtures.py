"""Every construct of a map, on own links that lie in the repository.

The facts beside the maps come from readelf; the values below were read off the maps by eye.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from mapinspect.analysis.conservation import unconserved
from mapinspect.errors import InputError
from mapinspect.model.link_map import LinkMap, ObjectFile
from mapinspect.readers.gnu_map import read_map
from tests.readers.naive_map import naive

LINKS = Path(__file__).parents[2] / "fixtures" / "link_cases"
NO_MAP = {"arm_fatal_no_map"}
MAPS = [
    path
    for path in sorted(LINKS.rglob("*.map"))
    if path.parent.name not in {*NO_MAP, "other_linkers"}
]
RELOCATABLE = {".rel.text.main"}  # made after the map is written


def read(name: str, file: str = "case.map") -> LinkMap:
    path = LINKS / name / file
    return read_map(str(path), path.read_bytes())


def each_fixture(paths: list[Path]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("path", paths, ids=lambda p: f"{p.parent.name}-{p.stem}")


@each_fixture(MAPS)
def test_every_line_is_understood_and_every_section_adds_up(path: Path) -> None:
    link_map = read_map(str(path), path.read_bytes())
    assert (link_map.unknown, link_map.missing) == ((), ())
    assert unconserved(link_map) == ()


@each_fixture(MAPS)
def test_a_naive_second_reader_finds_the_same_sections(path: Path) -> None:
    link_map = read_map(str(path), path.read_bytes())
    second = naive(path.read_bytes())
    header = [(s.name, s.vma, s.size, s.lma, s.line) for s in second]
    assert [(s.name, s.vma, s.size, s.lma, s.line) for s in link_map.sections] == header
    for section, seen in zip(link_map.sections, second, strict=True):
        totals = link_map.inputs.totals(section.ordinal)
        assert (totals.printed, totals.fills, totals.data) == (
            sum(size for _, _, size, _, _ in seen.inputs),
            seen.fills,
            seen.data,
        )


@each_fixture([path for path in MAPS if path.with_suffix(".json").exists()])
def test_the_map_says_what_the_elf_says(path: Path) -> None:
    facts: dict[str, Any] = json.loads(path.with_suffix(".json").read_text())
    link_map = read_map(str(path), path.read_bytes())
    mask = 2 ** facts["bits"] - 1
    elf = {(name, vma, size) for name, vma, size, _ in facts["sections"]}
    shown = {(s.name, s.vma & mask, s.size) for s in link_map.sections if s.vma is not None}
    assert {row for row in elf - shown if row[0] not in RELOCATABLE} == set()
    assert {row for row in shown - elf if row[2]} == set()  # ELFs lack many empty sections
    loaded = {(s.name, (s.lma or 0) & mask) for s in link_map.sections}
    assert {(n, lma) for n, _, size, lma in facts["sections"] if lma and size} <= loaded
    if facts["regions"] is not None and path.parent.name != "avr_default":
        regions = {r.name: [r.origin, r.length] for r in link_map.regions}
        assert {**facts["regions"], "*default*": regions["*default*"]} == regions


def test_regions_with_attributes_in_two_words_are_rows() -> None:
    # rw !x, as ld 2.39 and older print it
    assert [r.attributes for r in read("avr_default").regions] == [
        "xr",
        "rw !x",
        "rw !x",
        "rw !x",
        "rw !x",
        "rw !x",
        "rw !x",
        "",
    ]


def test_archive_members_in_all_their_forms() -> None:
    long = "a_directory_with_a_rather_long_name_for_objects/liblong.a"
    members = [(m.member, m.requester, m.symbol) for m in read("arm_archive_long").members]
    assert (ObjectFile("dep.o", long), "a.o", "dep") in members
    assert (ObjectFile("frc.o", "libforced.a"), None, "forced_undefined_sym") in members
    assert [(m.member, m.requester) for m in read("arm_thin_archive").members] == [
        (ObjectFile("dep.o", None), "a.o")
    ]
    assert read("arm_whole_archive").members[0].symbol == "--whole-archive"


def test_common_symbols_and_their_section() -> None:
    link_map = read("arm_common")
    assert [(c.name, c.size, c.owner.path) for c in link_map.commons][:2] == [
        ("shortc", 4, "a.o"),
        ("c18_chars_exactly_", 8, "a.o"),
    ]
    assert any(link_map.inputs[i].name == "COMMON" for i in range(len(link_map.inputs)))


def test_orphans_are_recognised_and_keep_their_object() -> None:
    link_map = read("arm_orphans")
    orphans = {s.name: s for s in link_map.sections if s.is_orphan}
    assert {".orphan_code", "orphan_c_ident", ".bss.orphan", ".debug_info"} <= set(orphans)
    assert not {".text", ".data"} & set(orphans)
    row = next(link_map.inputs.of_section(orphans["orphan_c_ident"].ordinal))
    assert row.owner.path.endswith(".o")


def test_names_that_look_like_statements() -> None:
    link_map = read("arm_weird_names")
    names = [link_map.inputs[ordinal].name for ordinal in range(len(link_map.inputs))]
    for name in ("*fill*", "*(.text)", ".text 0x1234 0x10 evil.o", ".paren(x)", "0x08000000"):
        assert name in names
    owners = {link_map.inputs[i].owner.path for i in range(len(link_map.inputs))}
    assert owners == {"dir with space/my (file) [1].o", "linker stubs"}


def test_local_symbols_are_told_apart() -> None:
    symbols = {s.name: s.is_local for s in read("arm_map_locals", "ld-2.47.map").symbols}
    assert symbols["buf"]
    assert not symbols["main"]


def test_data_statements_keep_value_and_expression() -> None:
    data = [(d.size, d.keyword, d.text) for d in read("arm_data_stmts").data]
    assert (1, "BYTE", "0xff (lab & 0xff)") in data
    assert (8, "SQUAD", "0xfffffffffffffffe") in data


@pytest.mark.parametrize("file", ["case.map", "ld-2.35.2.map", "ld-2.47.map"])
def test_assignments_in_all_their_forms(file: str) -> None:
    link_map = read("arm_expr", file)
    values = {name: value % 2**32 for name, value in link_map.script_values().items()}
    assert values["e_neg"] == 0xFFFFFFFF
    assert values["e_tern"] == 0x2B
    assert values["e_compound"] == 0x120
    assert values["quoted sym" if file != "ld-2.35.2.map" else "e_hidden"] in (5, 3)
    assert values["prov_used"] == 0x77
    assert "prov_unused" not in values
    asserts = [a.expression for a in link_map.assignments if not a.symbol]
    assert "(e_int == 0x2a), forty two: it's wrong, (really)" in asserts


def test_a_value_in_brackets_is_the_objects_own() -> None:
    values = read("arm_self_ref").script_values()
    brackets = (LINKS / "arm_self_ref/case.map").read_text().count("[0x")
    assert brackets
    assert all(isinstance(value, int) for value in values.values())


def test_cross_references_put_the_definer_first() -> None:
    references = {r.symbol: r.files for r in read("arm_cref").cross_references}
    assert references["div_it"] == ("libown.a(div.o)", "main.o")
    assert references["shared_c"] == ("d.o", "c.o")
    long = "very_long_symbol_name_for_the_cref_table_more_than_fifty_chars"
    assert references[long] == ("c.o", "d.o")


def test_temporary_objects_of_lto_have_a_stable_name() -> None:
    link_map = read("arm_lto")
    owners = {link_map.inputs[i].owner.path for i in range(len(link_map.inputs))}
    assert "ltrans0.ltrans.o" in owners
    assert not any(owner.startswith("/tmp/") for owner in owners)  # noqa: S108


def test_overlays_share_an_address_and_load_elsewhere() -> None:
    overlays = [s for s in read("arm_overlay_ok").sections if s.name.startswith(".ov")]
    assert len({s.vma for s in overlays}) == 1
    assert len({s.lma for s in overlays}) == len(overlays) > 1


def test_a_section_may_be_printed_twice() -> None:
    text = [(s.vma, s.size) for s in read("arm_dup_output").sections if s.name == ".text"]
    assert text == [(0x100, 0x14), (0x204, 4)]


@pytest.mark.parametrize("file", ["case.map", "ld-2.35.2.map", "ld-2.44.map", "ld-2.47.map"])
def test_merged_strings_count_once_whatever_the_version_prints(file: str) -> None:
    link_map = read("arm_merge_strings", file)
    for section in link_map.sections:
        rows = list(link_map.inputs.of_section(section.ordinal))
        if section.size and rows:
            fills = link_map.inputs.totals(section.ordinal).fills
            assert sum(row.occupied for row in rows) + fills == section.size


def test_a_gap_that_ld_leaves_beside_a_stub_is_told() -> None:
    link_map = read("arm_interwork", "ld-2.47.map")
    text = next(s for s in link_map.sections if s.name == ".text")
    assert link_map.inputs.totals(text.ordinal).unprinted == 4


@pytest.mark.parametrize("path", sorted((LINKS / "locales").iterdir()), ids=lambda p: p.stem)
def test_a_translated_map_says_what_the_english_one_says(path: Path) -> None:
    english, translated = read("locales", "C.map"), read_map(str(path), path.read_bytes())
    for field in ("regions", "sections", "members", "line_count", "loaded", "needed"):
        assert getattr(translated, field) == getattr(english, field)
    for field in ("symbols", "assignments", "discarded", "commons", "cross_references"):
        assert tuple(getattr(translated, field)) == tuple(getattr(english, field))


@pytest.mark.parametrize("path", sorted((LINKS / "other_linkers").iterdir()), ids=lambda p: p.stem)
def test_other_linkers_are_named(path: Path) -> None:
    tool = {"gold_dis": "gold", "lld14": "LLD", "mold1.10": "mold"}[path.stem]
    with pytest.raises(InputError, match=f"is a map of {tool}, not of GNU ld"):
        read_map(str(path), path.read_bytes())


def test_a_link_that_ld_gave_up_is_refused() -> None:
    with pytest.raises(InputError, match="ends before its memory table"):
        read("arm_fatal_no_map")
