"""Own links of every construct, by several versions of ld and in 24 locales.

``truth.json`` of a case comes from readelf and nm on the ELF of the same link.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from mapinspect.errors import InputError
from mapinspect.model.link_map import LinkMap
from tests.readers.shared_maps import SHARED, each_map, map_of

pytestmark = pytest.mark.corpus

FOREIGN = ("corpus/[!glc]*/*.map", "corpus/l[!o]*/*.map", "corpus/gnuld-pic30/*.map")
FOREIGN += ("corpus/local-gold/*.map", "corpus/local-lld/*.map", "corpus/local-mold/*.map")
LINKS = ("link_cases/*/case.map", "link_cases/*/variants/*/case.map")
NOT_IN_A_MAP = {".symtab", ".strtab", ".shstrtab"}  # ld writes them after the layout
# Relocation sections of a relocatable link are made after the map is written.
RELOCATABLE = {".rel.text.main"}
# The truth of this case lacks the regions whose attributes print in two words ("rw !x").
TRUTH_LACKS_REGIONS = "avr_default"


@each_map(*LINKS)
def test_sections_equal_those_of_the_elf(path: Path) -> None:
    link_map, truth = map_and_truth(path)
    mask = 2 ** truth["elf_class"] - 1
    elf = {(s["name"], s["vma"], s["size"]) for s in truth["output_sections"] if s["name"]}
    printed = {(s.name, s.vma & mask, s.size) for s in link_map.sections if s.vma is not None}
    missing = {row for row in elf - printed if row[0] not in NOT_IN_A_MAP | RELOCATABLE}
    assert missing == set()
    assert {row for row in printed - elf if row[2]} == set()


@each_map(*LINKS)
def test_load_addresses_equal_those_of_the_elf(path: Path) -> None:
    link_map, truth = map_and_truth(path)
    mask = 2 ** truth["elf_class"] - 1
    printed = {(s.name, s.vma & mask, s.lma & mask) for s in link_map.sections if s.vma is not None}
    for section in truth["output_sections"]:
        if section["size"] and not section["nobits"] and section["lma"] is not None:
            assert (section["name"], section["vma"], section["lma"]) in printed


@each_map(*LINKS)
def test_regions_equal_the_script(path: Path) -> None:
    link_map, truth = map_and_truth(path)
    if TRUTH_LACKS_REGIONS in path.parts:
        pytest.skip("the truth lacks the regions with attributes in two words")
    regions = {r.name: [r.origin, r.length] for r in link_map.regions if r.name != "*default*"}
    assert regions == truth.get("memory_regions", regions)


@each_map(*LINKS)
def test_symbols_printed_are_symbols_of_the_elf(path: Path) -> None:
    link_map, truth = map_and_truth(path)
    mask = 2 ** truth["elf_class"] - 1
    bit = 1 if path.parts[-2].startswith("arm") or truth["target"].startswith("arm") else 0
    values: dict[str, set[int]] = {}
    for symbol in truth["symbols"]:
        if symbol["section"] == "SHN_UNDEF":  # of a shared library: the map prints its PLT entry
            continue
        values.setdefault(symbol["name"].partition("@")[0], set()).add(symbol["addr"] & ~bit)
        if symbol["type"] == "STT_TLS":  # its value counts from the start of the thread's block
            values[symbol["name"]] |= {s.address for s in link_map.symbols}
    for printed in link_map.symbols:
        name = printed.name.partition("@")[0]
        if name in values:  # a demangled name is not
            assert printed.address & mask & ~bit in values[name]
    assert any(s.name in values for s in link_map.symbols) or not link_map.symbols


def map_and_truth(path: Path) -> tuple[LinkMap, dict[str, Any]]:
    truth_file = path.with_name("truth.json")
    truth = json.loads(truth_file.read_text()) if truth_file.exists() else {}
    if "output_sections" not in truth:
        pytest.skip("this link left no ELF to compare with")
    return map_of(path), truth


@each_map("link_cases/x64_locales_bare/*.map")
def test_a_translated_map_says_what_the_english_one_says(path: Path) -> None:
    english = map_of(SHARED / "link_cases/x64_locales_bare/C.map")
    assert facts(map_of(path)) == facts(english)


@each_map("link_cases/x64_locales/*.map")
def test_a_translated_hosted_link_says_what_the_others_say(path: Path) -> None:
    # German has no catalogue entries for this ld: its map is in English.
    english = map_of(SHARED / "link_cases/x64_locales/x64.de_DE.UTF-8.map")
    assert facts(map_of(path)) == facts(english)


def facts(link_map: LinkMap) -> tuple[object, ...]:
    inputs = tuple(link_map.inputs[ordinal] for ordinal in range(len(link_map.inputs)))
    return (
        link_map.regions,
        link_map.sections,
        inputs,
        link_map.members,
        link_map.needed,
        tuple(link_map.symbols),
        tuple(link_map.assignments),
        tuple(link_map.discarded),
        tuple(link_map.commons),
        tuple(link_map.cross_references),
        link_map.unknown,
        link_map.line_count,
    )


@each_map("link_cases/arm_fatal_no_map/**/case.map", "link_cases/arm_undef_expr/**/case.map")
def test_what_a_stopped_link_leaves_is_refused(path: Path) -> None:
    with pytest.raises(InputError, match=r"memory table|is empty"):
        map_of(path)


@each_map(
    "corpus/[!glc]*/*.map",
    "corpus/lld/*.map",
    "corpus/gnuld-pic30/*.map",
    "corpus/local-[!g]*/*.map",
)
def test_other_linkers_maps_are_refused_by_name(path: Path) -> None:
    tool = {
        "gnuld-pic30": "XC16",
        "iar": "IAR",
        "lld": "LLD",
        "local-gold": "gold",
        "local-lld": "LLD",
        "local-mold": "mold",
        "mwld": "CodeWarrior",
        "nm-system-map": "nm",
        "sdcc": "SDCC",
        "ti": "TI",
        "wlink": "Open Watcom",
    }.get(path.parent.name, path.parent.name)
    with pytest.raises(InputError, match=rf"is a (?:map|listing) of {tool}\b"):
        map_of(path)
