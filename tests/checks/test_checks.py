"""Each check on facts that break it, and on the twin that does not."""

from collections.abc import Iterable
from dataclasses import replace

import pytest

from mapinspect.checks import CATALOGUE
from mapinspect.checks.arena_misplaced import arena_misplaced
from mapinspect.checks.arena_too_small import arena_too_small
from mapinspect.checks.bytes_not_conserved import bytes_not_conserved
from mapinspect.checks.embedded_model_differs import embedded_model_differs
from mapinspect.checks.map_elf_disagree import map_elf_disagree
from mapinspect.checks.map_lines_unknown import map_lines_unknown
from mapinspect.checks.region_over_budget import region_over_budget
from mapinspect.checks.row_matches_nothing import row_matches_nothing
from mapinspect.checks.section_outside_regions import section_outside_regions
from mapinspect.checks.sections_overlap import sections_overlap
from mapinspect.checks.weights_duplicated import weights_duplicated
from mapinspect.checks.weights_missing import weights_missing
from mapinspect.checks.weights_not_in_flash import weights_not_in_flash
from mapinspect.model.budget import Match, PlacementRow
from mapinspect.model.finding import Outcome, Severity, Status
from mapinspect.model.image import Evidence, Span
from mapinspect.model.inspection import Matched
from tests.builders import (
    FLASH,
    RAM,
    arena,
    bss,
    copy,
    data,
    inspection,
    located,
    map_facts,
    model,
    region_row,
    section,
    table,
    text,
)


def statuses(outcomes: Iterable[Outcome]) -> list[Status]:
    return [outcome.status for outcome in outcomes]


def only(outcomes: Iterable[Outcome], status: Status) -> str:
    """The message of the one outcome of this status."""
    found = [outcome for outcome in outcomes if outcome.status is status]
    assert len(found) == 1
    return found[0].findings[0].message


def severities(outcomes: Iterable[Outcome]) -> list[Severity]:
    return [finding.severity for outcome in outcomes for finding in outcome.findings]


@pytest.mark.parametrize(
    ("used", "expected"),
    [
        pytest.param(900, [], id="at the warning is silent"),
        pytest.param(901, [Severity.WARNING], id="one byte above it warns"),
        pytest.param(1000, [Severity.WARNING], id="exactly full is still allowed"),
        pytest.param(1001, [Severity.ERROR], id="one byte over is an error"),
    ],
)
def test_severity_follows_use(used: int, expected: list[Severity]) -> None:
    facts = inspection(bss(used), budget=table(region_row("RAM", 1000, warn=900)))
    assert severities(region_over_budget(facts)) == expected


@pytest.mark.parametrize(
    ("of", "fits"),
    [
        pytest.param("region", 3276, id="20 % of the region leaves 80 %: floor(4096 x 0.8)"),
        pytest.param("sum", 3413, id="20 % of the sum leaves 83.3 %: floor(4096 / 1.2)"),
    ],
)
def test_margin_has_a_base(of: str, fits: int) -> None:
    for used, status in ((fits, Status.HOLDS), (fits + 1, Status.BROKEN)):
        facts = inspection(bss(used), budget=table(margin=20, of=of))
        assert status in statuses(region_over_budget(facts))
        assert (status is Status.BROKEN) == (Status.BROKEN in statuses(region_over_budget(facts)))


def test_a_region_that_overflows_counts_what_ld_placed_behind_its_end() -> None:
    facts = inspection(bss(0xFF0), section(".heap", RAM.span.start + 0xFF0, 0x20, stored=False))
    assert only(region_over_budget(facts), Status.BROKEN) == "RAM holds 4112 of 4096 bytes, 16 over"
    behind = inspection(bss(0x1010), section(".heap", RAM.span.start + 0x1010, 0x20, stored=False))
    assert "4144 of 4096 bytes, 48 over" in only(region_over_budget(behind), Status.BROKEN)
    assert statuses(section_outside_regions(behind)) == [Status.HOLDS]


def test_load_images_count_where_they_are_stored() -> None:
    facts = inspection(text(), data(0x100), budget=table(region_row("FLASH", 0x8000)))
    assert "FLASH holds 33024 of 32768 bytes, 256 over" in only(
        region_over_budget(facts), Status.BROKEN
    )


def test_nothing_measured_is_never_a_pass() -> None:
    assert statuses(region_over_budget(inspection())) == [Status.UNDECIDED]
    assert statuses(region_over_budget(inspection(text(), regions=()))) == [Status.UNDECIDED]


def test_a_section_outside_every_region_is_named_with_its_bytes() -> None:
    facts = inspection(text(), section(".orphan", 0x3000_0000, 52))
    message = only(section_outside_regions(facts), Status.BROKEN)
    assert message == ".orphan (52 bytes) lies at 0x30000000, outside every memory region"
    load = inspection(text(), data(16, lma=0x9000_0000))
    assert "is loaded from 0x90000000" in only(section_outside_regions(load), Status.BROKEN)


def test_overlap_at_run_time_with_different_load_addresses_is_found() -> None:
    first = section(".a", RAM.span.start, 0x100, lma=FLASH.span.start + 0x1000)
    second = section(".b", RAM.span.start + 0x80, 0x100, lma=FLASH.span.start + 0x2000)
    message = only(sections_overlap(inspection(text(), first, second)), Status.BROKEN)
    assert message == ".a and .b share 128 bytes of run-time addresses at 0x20000080"
    apart = section(".b", RAM.span.start + 0x100, 0x100, lma=FLASH.span.start + 0x2000)
    assert statuses(sections_overlap(inspection(text(), first, apart))) == [Status.HOLDS] * 2


def test_overlap_of_load_images_is_found() -> None:
    message = only(sections_overlap(inspection(text(), data(8, FLASH.span.start))), Status.BROKEN)
    assert message == ".data and .text share 8 bytes of load addresses at 0x08000000"


def test_weights_in_ram_cost_both_memories() -> None:
    home = data(0x100)
    facts = replace(inspection(text(), home), models=(model(copy(located("g_model", home))),))
    message = only(weights_not_in_flash(facts), Status.BROKEN)
    assert message == "g_model (64 bytes of weights) takes up RAM in .data, and again in FLASH"
    good = text()
    facts = replace(inspection(good), models=(model(copy(located("g_model", good))),))
    assert statuses(weights_not_in_flash(facts)) == [Status.HOLDS]


def test_on_avr_const_alone_does_not_help() -> None:
    """avr-libc, pgmspace: what is not in PROGMEM is copied to RAM, const or not."""
    home = data(0x100)
    facts = replace(inspection(home), models=(model(copy(located("g_model", home))),))
    assert facts.elf is not None
    facts = replace(facts, elf=replace(facts.elf, machine="AVR"))
    [outcome] = weights_not_in_flash(facts)
    assert "const PROGMEM" in outcome.findings[0].help


def test_weights_in_flash_stay_there_whatever_may_be_written_beside_them() -> None:
    """An array that is not const, put into .rodata by its attribute, makes all of it writable."""
    home = section(".rodata", FLASH.span.start + 0x100, 0x100, writable=True)
    facts = replace(inspection(home), models=(model(copy(located("g_model", home))),))
    assert statuses(weights_not_in_flash(facts)) == [Status.HOLDS]


def test_missing_duplicated_and_different_weights() -> None:
    home = text()
    one, two = located("g_model", home), located("g_copy", home, 128)
    facts = replace(inspection(home), models=(model(),))
    assert "g_model is not in the image" in only(weights_missing(facts), Status.BROKEN)
    facts = replace(inspection(home), models=(model(copy(one), copy(two)),))
    assert "2 times: 64 bytes more" in only(weights_duplicated(facts), Status.BROKEN)
    facts = replace(inspection(home), models=(model(copy(one, matches=False, first=12)),))
    assert only(embedded_model_differs(facts), Status.BROKEN).endswith("first at byte 12")
    facts = replace(inspection(home), models=(model(copy(one)),))
    for check in (weights_missing, weights_duplicated, embedded_model_differs):
        assert statuses(check(facts)) == [Status.HOLDS]


@pytest.mark.parametrize(
    ("size", "offset", "exact", "status"),
    [
        pytest.param(1000, 0, True, Status.HOLDS, id="exactly the need holds"),
        pytest.param(999, 0, True, Status.BROKEN, id="one byte less is broken"),
        pytest.param(1007, 8, True, Status.BROKEN, id="8 bytes lost to alignment count"),
        pytest.param(1008, 8, True, Status.HOLDS, id="8 bytes more make up for them"),
        pytest.param(2000, 0, False, Status.UNDECIDED, id="above a lower bound is undecided"),
        pytest.param(999, 0, False, Status.BROKEN, id="below a lower bound is broken"),
        pytest.param(0, 0, True, Status.UNDECIDED, id="a symbol without size says nothing"),
        pytest.param(4, 0, True, Status.UNDECIDED, id="a pointer is not the arena"),
    ],
)
def test_arena_size(size: int, offset: int, exact: bool, status: Status) -> None:
    home = bss(0xF00)
    place = located("tensor_arena", home, offset, size)
    facts = replace(inspection(home), arenas=(arena(place, exact=exact),))
    assert statuses(arena_too_small(facts)) == [status]


def test_arena_that_cannot_be_told_is_undecided() -> None:
    home = bss(0xF00)
    facts = replace(inspection(home), arenas=(arena(),))
    assert statuses(arena_too_small(facts)) == [Status.UNDECIDED]
    both = arena(located("tensor_arena.1", home), located("tensor_arena.3", home, 64))
    facts = replace(inspection(home), arenas=(both,))
    assert "tensor_arena.1, tensor_arena.3" in only(arena_too_small(facts), Status.UNDECIDED)


def test_arena_in_the_wrong_memory() -> None:
    home = bss(0xF00)
    facts = replace(inspection(home), arenas=(arena(located("tensor_arena", home)),))
    assert statuses(arena_misplaced(facts)) == [Status.HOLDS]
    stored = data(0x400)
    facts = replace(inspection(stored), arenas=(arena(located("tensor_arena", stored)),))
    assert "stored with contents in .data" in only(arena_misplaced(facts), Status.BROKEN)
    odd = replace(inspection(home), arenas=(arena(located("tensor_arena", home, 8)),))
    assert severities(arena_misplaced(odd)) == [Severity.WARNING]


def test_map_of_another_link_is_undecided() -> None:
    facts = replace(inspection(text()), map=map_facts(disagree=True))
    assert "4096 bytes in the map and 2064" in only(map_elf_disagree(facts), Status.UNDECIDED)
    facts = replace(inspection(text()), map=map_facts(), elf=None)
    assert "a map alone" in only(map_elf_disagree(facts), Status.UNDECIDED)
    facts = replace(inspection(text()), map=map_facts())
    assert statuses(map_elf_disagree(facts)) == [Status.HOLDS]


def test_unknown_lines_warn_while_the_map_is_proven_otherwise() -> None:
    facts = replace(inspection(text()), map=map_facts(unknown=3))
    assert severities(map_lines_unknown(facts)) == [Severity.WARNING]
    facts = replace(inspection(text()), map=map_facts(unknown=3, unconserved=True))
    assert statuses(map_lines_unknown(facts)) == [Status.UNDECIDED]
    assert statuses(bytes_not_conserved(facts)) == [Status.UNDECIDED]


def test_a_row_about_nothing_is_undecided_unless_optional() -> None:
    facts = inspection(text(), budget=table(region_row("ram", 100)))
    [outcome] = row_matches_nothing(facts)
    assert outcome.status is Status.UNDECIDED
    assert outcome.findings[0].help == "did you mean RAM?"
    optional = replace(region_row("CCM", 100), optional=True)
    assert statuses(row_matches_nothing(inspection(text(), budget=table(optional)))) == [
        Status.NOT_CLAIMED
    ]


def test_every_check_documents_itself_and_is_its_file() -> None:
    for check in CATALOGUE:
        assert check.test.__module__.endswith(check.id.replace("-", "_"))
        assert "Mend it" in check.doc
        assert check.claim


def test_alignment_of_an_address() -> None:
    home = bss(0x1000)
    assert replace(located("a", home), span=Span(0x2000_0010, 1)).alignment == 16
    assert replace(located("a", home), span=Span(0, 1)).alignment == 4096


def test_a_map_that_is_cut_short_is_undecided() -> None:
    whole = map_facts()
    facts = replace(inspection(text()), map=replace(whole, missing=("no OUTPUT line",)))
    assert "not whole: no OUTPUT line" in only(map_lines_unknown(facts), Status.UNDECIDED)


def test_a_placement_row_is_judged_once_however_many_arenas_there_are() -> None:
    home = bss(0xF00)
    places = (located("kws_arena", home), located("speech_arena", home, 64))
    row = PlacementRow(
        id="home",
        match=Match(symbol="kws_arena"),
        regions=("FLASH",),
        section=None,
        align=None,
        read_only=None,
        optional=False,
        declared=Evidence("mapinspect.toml", 9, 'region = ["FLASH"]'),
    )
    facts = inspection(home)
    facts = replace(
        facts,
        arenas=tuple(arena(place) for place in places),
        table=replace(facts.table, placements=(row,)),
        placement_matches={"home": Matched(places[:1])},
    )
    said = [outcome.status for outcome in arena_misplaced(facts)]
    assert said == [Status.HOLDS, Status.HOLDS, Status.BROKEN]
