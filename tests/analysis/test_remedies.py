"""Ways out of a full region: the cheapest first, and only into memory that has room."""

from dataclasses import replace
from pathlib import Path

import pytest

from mapinspect.analysis.moves import candidates
from mapinspect.model.image import Span
from mapinspect.model.inspection import Inspection
from mapinspect.model.measurement import Build, Measurement, Run, Weighed
from mapinspect.model.remedy import Move, Remedy
from mapinspect.pipeline import Request, check
from mapinspect.reports.remedy_text import remedy_text
from tests.good_firmware import facts

BUILT = Path(__file__).parents[2] / "fixtures" / "built"
MODEL = BUILT.parent / "models" / "kws_int8.tflite"


@pytest.fixture
def remedies(tmp_path: Path):
    """The remedies of a built case with these limits, in bytes, by region."""

    def run(case: str, more: str = "", *options: Path, **limits: int) -> dict[str, Remedy]:
        regions = (f'[[region]]\nname = "{name}"\nlimit = {size}' for name, size in limits.items())
        table = tmp_path / "mapinspect.toml"
        table.write_text(
            f"""\
version = 1
[inputs]
elf = "{BUILT}/{case}/app.elf"
map = "{BUILT}/{case}/app.map"
{more}
[[inputs.models]]
name = "kws"
file = "{MODEL}"
symbol = "g_kws_model"
arena = "tensor_arena"
runtime = "plan-only"
"""
            + "\n".join(regions)
        )
        report = check(Request(config=table, measured=options))
        assert report.failure is None, report.failure
        return {item.region: item for item in report.remedies}

    return run


def moves(remedy: Remedy) -> list[tuple[str, str, int, str | None]]:
    return [(move.subject, move.action, move.bytes, move.to) for move in remedy.moves]


def used(case: str, region: str) -> int:
    report = check(Request(config=BUILT / case / "mapinspect.toml"))
    assert report.inspection is not None
    usage = report.inspection.usage(region)
    assert usage is not None
    return usage.used


CONST = ("g_kws_model", "declare it const", 41_456, None)
TO_SRAM2 = ("tensor_arena", "move it", 12_288, "SRAM2")


def test_each_move_that_is_enough_is_named_the_cheapest_first(remedies) -> None:
    # SRAM1 holds 71,440 bytes: `ld --print-memory-usage` of the case.
    remedy = remedies("weights-without-const", SRAM1=60_000)["SRAM1"]
    assert (remedy.over, remedy.enough) == (11_440, True)
    assert moves(remedy) == [TO_SRAM2, CONST]


def test_what_is_not_enough_alone_is_left_out(remedies) -> None:
    remedy = remedies("weights-without-const", SRAM1=71_440 - 12_289)["SRAM1"]
    assert moves(remedy) == [CONST]


def test_a_move_takes_off_what_the_twins_differ_by() -> None:
    # The good build is the one with the const.
    assert used("weights-without-const", "SRAM1") - used("good", "SRAM1") == CONST[2]


def test_moves_are_named_together_where_none_is_enough(remedies) -> None:
    remedy = remedies("weights-without-const", SRAM1=71_440 - 41_457)["SRAM1"]
    assert moves(remedy) == [CONST, TO_SRAM2]
    assert (remedy.enough, [move.enough for move in remedy.moves]) == (True, [False, False])


def test_nothing_is_moved_to_where_it_does_not_fit(remedies) -> None:
    # SRAM2 holds 16,400 bytes; with the arena and its alignment it would hold 28,704.
    fits = remedies("good", SRAM1=20_000, SRAM2=28_704)["SRAM1"]
    assert TO_SRAM2 in moves(fits)
    short = remedies("good", SRAM1=20_000, SRAM2=28_703)["SRAM1"]
    assert all(move.subject != "tensor_arena" for move in short.moves)


def test_what_all_moves_leave_over_is_said(remedies) -> None:
    remedy = remedies("good", SRAM1=100, SRAM2=16_400)["SRAM1"]
    assert not remedy.enough
    assert sum(move.bytes for move in remedy.moves) < remedy.over


def test_only_the_bytes_count_that_go_for_sure(remedies) -> None:
    # power has 1028 bytes before others at multiples of 16. With a section attribute that moves it
    # to SRAM2, `ld --print-memory-usage` of the good build says 28,960 instead of 29,984 bytes.
    power = ("power", "move it", 1024, "SRAM2")
    enough = remedies("good", SRAM1=29_984 - 1024)["SRAM1"]
    assert power in moves(enough)
    short = remedies("good", SRAM1=29_984 - 1025)["SRAM1"]
    assert all(move.subject != "power" for move in short.moves)


def held(region: str, start: int, size: int, alignment: int = 4) -> Inspection:
    """Return the good firmware with one more section in a region."""
    found = facts("")
    usage = found.usage(region)
    assert usage is not None
    last = max(usage.placements, key=lambda item: item.span.end)
    section = replace(last.section, name=".kept", vma=start, size=size, alignment=alignment)
    far = replace(last, section=section, span=Span(start, size))
    wider = replace(usage, used=far.span.end - usage.region.span.start,
                    placements=(*usage.placements, far))  # fmt: skip
    return replace(found, usages=tuple(wider if item is usage else item for item in found.usages))


@pytest.mark.parametrize(
    ("start", "alignment", "expected"),
    [
        pytest.param(0x2001_0000, 4, [], id="at an address of its own"),
        pytest.param(0x2000_7520, 16, ["tensor_arena"], id="right behind the others"),
        pytest.param(0x2000_7540, 4, ["tensor_arena"], id="behind padding to a cache line"),
        pytest.param(0x2000_7560, 4, [], id="behind a hole that may be meant"),
        pytest.param(0x2000_7800, 1024, [], id="as aligned as a page"),
    ],
)
def test_what_lies_below_a_section_with_an_address_frees_nothing(
    start: int, alignment: int, expected: list[str]
) -> None:
    # SRAM1 of the good firmware ends at 0x20007520: 29,984 bytes of `ld --print-memory-usage`.
    found = candidates(held("SRAM1", start, 64, alignment), "SRAM1", 12_000, ())
    assert [item.subject for item in found if item.subject == "tensor_arena"] == expected


def test_an_arena_with_enough_slack_shrinks_instead(remedies) -> None:
    remedy = remedies("ram-overflow", SRAM1=90_000)["SRAM1"]
    # 88 KiB against the 12,000 bytes that the plan needs.
    assert moves(remedy)[0] == (
        "tensor_arena", "shrink it to the 12000 bytes it needs", 90_112 - 12_000, None,
    )  # fmt: skip


def test_a_reserve_shrinks_to_twice_its_measured_peak(remedies) -> None:
    log = BUILT / "qemu" / "qemu.log"
    remedy = remedies("qemu", "", log, SRAM1=27_000, SRAM2=16_400)["SRAM1"]
    # 4096 reserved each; stack_peak = 488 and heap_peak = 520 in the log. The stack runs elsewhere
    # than the linker keeps its bytes, but they are the same bytes of SRAM1.
    assert moves(remedy) == [
        ("C library", "shrink it to 1040 bytes, twice its measured peak", 4096 - 1040, None),
        ("main", "shrink it to 976 bytes, twice its measured peak", 4096 - 976, None),
    ]


def test_a_reserve_shrinks_by_the_highest_of_several_peaks(remedies, tmp_path: Path) -> None:
    log = BUILT / "qemu" / "qemu.log"
    limits = {"SRAM1": 27_000, "SRAM2": 16_400}
    deeper = tmp_path / "deeper.log"
    deeper.write_text(log.read_text().replace("stack_peak = 488", "stack_peak = 512"))
    remedy = remedies("qemu", "", log, deeper, **limits)["SRAM1"]
    assert ("main", "shrink it to 1024 bytes, twice its measured peak", 3072, None) in moves(remedy)
    # One that does not name its build proves no room, but may show that there is less of it.
    deeper.write_text("iterations = 1000\nstack_peak = 1800\n")
    remedy = remedies("qemu", "", log, deeper, **limits)["SRAM1"]
    assert all(move.subject != "main" for move in remedy.moves)


def test_what_takes_the_rest_of_ram_frees_nothing_by_shrinking() -> None:
    found = facts("")
    (stack,) = [item for item in found.reservations if item.kind == "stack"]
    run = Run(build_id="00", iterations=1000)
    peak = Measurement("stack.peak", "stack", stack.name, 100, run, stack.evidence)
    place = (stack.name, stack.bytes, "SRAM1", stack.place, stack.evidence)
    measured = replace(found, measured=(Weighed(peak, Build.SAME, *place),))
    elastic = replace(measured, reservations=(replace(stack, elastic=True),))
    shrunk = [
        [item.bytes for item in candidates(facts_, "SRAM1", 100, ()) if item.subject == stack.name]
        for facts_ in (measured, elastic)
    ]
    assert shrunk == [[(stack.bytes - 200) // 16 * 16], []]


def test_what_is_linked_twice_comes_first_in_flash(remedies) -> None:
    remedy = remedies("weights-linked-twice", FLASH=90_000)["FLASH"]
    assert moves(remedy)[0][1:] == ("link it once", 41_456, None)


def test_the_largest_objects_say_why_they_are_there(remedies) -> None:
    heavy = {
        item.object: item for item in remedies("flash-over-budget", FLASH=98_304)["FLASH"].heavy
    }
    assert "kws_model.o" in heavy
    # `nm -S`: a prompt of 48 KiB in board.o's file; the tables are in the archive libdsp.a.
    assert any(item.because.endswith("has 49152 bytes") for item in heavy.values())
    assert heavy["libdsp.a(tables.o)"].because == "libdsp.a(cepstrum.o) asks for dsp_circle"
    assert [item.bytes for item in heavy.values()] == sorted(
        (item.bytes for item in heavy.values()), reverse=True
    )


@pytest.mark.parametrize("case", ["good", "map-of-another-build"])
def test_no_remedy_for_what_is_not_known_to_be_over(remedies, case: str) -> None:
    limits = {"SRAM1": 20_000} if case != "good" else {"SRAM1": 60_000}
    assert remedies(case, **limits) == {}


def test_remedies_in_words() -> None:
    move = Move("g_model", "declare it const", 18_432, None, True, None)  # type: ignore[arg-type]
    text = remedy_text(Remedy("RAM", 9_000, (move,), enough=True))
    assert text == (
        "To bring RAM under its limit by 9,000 bytes, this is enough:\n"
        "  g_model: declare it const, -18,432 B"
    )
    assert "nothing is known" in remedy_text(Remedy("RAM", 9_000, (), enough=False))
