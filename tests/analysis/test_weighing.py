"""Measurements beside what was linked: which build, which stack, and what they add up to."""

import pytest

from mapinspect.analysis.weighing import Peaks, Room, weighed
from mapinspect.model.image import Evidence, Span
from mapinspect.model.measurement import Build, Measurement, Run, Weighed

SHA256, BUILD_ID = "f0" * 32, "3b335c793b635935f0efa615c151458218a61fc0"
WHERE = Evidence("run.log", 3, "…")
RAM, CCM = Span(0x2000_0000, 0x1000), Span(0x1000_0000, 0x1000)


def room(kind: str, *names: str, at: int = 0x2000_0100, size: int = 256) -> Room:
    region = "CCM" if at < RAM.start else "RAM"
    return Room(kind, names, Span(at, size), size, region, WHERE)


def peak(
    kind: str,
    subject: str,
    used: int = 100,
    *,
    build: str | None = BUILD_ID,
    span: Span | None = None,
    id_: str = "",
) -> Measurement:
    run = Run(build_id=build, iterations=1000)
    return Measurement(id_ or f"{kind}.{subject}", kind, subject, used, run, WHERE, span=span)


def one(item: Measurement, *rooms: Room) -> Weighed:
    (found,) = weighed([item], (SHA256, BUILD_ID), rooms)
    return found


MAIN, CAMERA = (
    room("stack", "main", "_Min_Stack_Size"),
    room("stack", "camera_stack", at=0x2000_0400),
)


@pytest.mark.parametrize(
    ("stated", "known", "expected"),
    [
        pytest.param(BUILD_ID, (SHA256, BUILD_ID), Build.SAME, id="its build-id"),
        pytest.param(BUILD_ID.upper(), (SHA256, BUILD_ID), Build.SAME, id="in capitals"),
        pytest.param(BUILD_ID[:8], (SHA256, BUILD_ID), Build.SAME, id="abbreviated"),
        pytest.param(BUILD_ID[:7], (SHA256, BUILD_ID), Build.OTHER, id="abbreviated too far"),
        pytest.param(f"sha256:{SHA256}", (SHA256,), Build.SAME, id="the file's hash"),
        pytest.param("00" * 32, (SHA256,), Build.OTHER, id="another file's hash"),
        pytest.param(BUILD_ID, (SHA256,), Build.UNKNOWN, id="an image without build-id"),
        pytest.param("00" * 20, (SHA256, BUILD_ID), Build.OTHER, id="another build"),
        pytest.param(None, (SHA256, BUILD_ID), Build.UNSTATED, id="nothing"),
        pytest.param(BUILD_ID, (), Build.UNKNOWN, id="no ELF"),
    ],
)
def test_which_build_a_measurement_is_of(
    stated: str | None, known: tuple[str, ...], expected: Build
) -> None:
    (found,) = weighed([peak("stack", "main", build=stated)], known, [MAIN])
    assert found.build is expected
    assert found.counts is (expected in (Build.SAME, Build.UNSTATED))


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        pytest.param(peak("stack", "main"), "main", id="its own name"),
        pytest.param(peak("stack", "camera"), "camera_stack", id="a word of the array's name"),
        pytest.param(peak("stack", "CameraTask"), "camera_stack", id="a task's name"),
        pytest.param(peak("stack", "idle"), None, id="an unknown name"),
        pytest.param(peak("heap", "main"), None, id="another kind"),
        pytest.param(peak("stack", "x", span=Span(0x2000_0400, 256)), "camera_stack", id="place"),
        pytest.param(peak("stack", "main", span=Span(0, 8)), None, id="a place where none is"),
    ],
)
def test_which_stack_a_measurement_is_of(item: Measurement, expected: str | None) -> None:
    assert one(item, MAIN, CAMERA).reserved == expected


@pytest.mark.parametrize(
    ("subject", "expected"),
    [
        pytest.param("main", "z_main_stack", id="a word of it"),
        pytest.param("idle 00", "z_idle_stacks", id="the number of a processor"),
        pytest.param("camera 1", "camera_stack_1", id="its number"),
        pytest.param("camera 2", None, id="another number"),
        pytest.param("worker 1", None, id="a number is all they share"),
        pytest.param("sd writer", None, id="one word of several"),
    ],
)
def test_names_that_share_too_little_are_of_different_stacks(
    subject: str, expected: str | None
) -> None:
    names = ("z_main_stack", "z_idle_stacks", "camera_stack_1", "sd_reader_stack")
    rooms = [room("stack", name, at=0x2000_0100 + 256 * at) for at, name in enumerate(names)]
    assert one(peak("stack", subject), *rooms).reserved == expected


def test_the_only_arena_or_heap_needs_no_name() -> None:
    arena, heap = room("arena", "tensor_arena", "kws"), room("heap", "ucHeap")
    assert one(peak("arena", "arena"), arena, heap).reserved == "tensor_arena"
    assert one(peak("heap", "heap_caps"), arena, heap).reserved == "ucHeap"
    assert one(peak("arena", "arena"), arena, room("arena", "second")).reserved is None
    assert one(peak("arena", "kws"), arena, room("arena", "second")).reserved == "tensor_arena"


def test_the_arenas_head_and_tail_are_shares_of_it() -> None:
    arena = room("arena", "tensor_arena")
    items = [
        peak("arena", "arena", n, id_=f"arena.{key}") for key, n in [("used", 90), ("head", 60)]
    ]
    peaks = Peaks(weighed(items, (SHA256, BUILD_ID), [arena]), (arena,))
    assert peaks.total("arena") == 90


def total(*items: Measurement, rooms: tuple[Room, ...] = (MAIN, CAMERA)) -> int | None:
    return Peaks(weighed(items, (SHA256, BUILD_ID), rooms), rooms).total("stack", RAM.contains)


def test_peaks_add_up_when_everything_was_measured() -> None:
    assert total(peak("stack", "main", 7), peak("stack", "camera", 30)) == 37
    assert total(peak("stack", "main", 7)) is None
    assert total() is None


def test_the_highest_of_several_runs_counts() -> None:
    assert total(peak("stack", "main", 7), peak("stack", "main", 9), rooms=(MAIN,)) == 9


def test_another_build_counts_for_nothing() -> None:
    assert total(peak("stack", "main", 7, build="00" * 20), rooms=(MAIN,)) is None


def test_only_what_lies_in_a_memory_counts_there() -> None:
    far = room("stack", "idle_stack", at=CCM.start)
    rooms = (MAIN, far)
    items = weighed([peak("stack", "main", 7), peak("stack", "idle", 5)], (SHA256, BUILD_ID), rooms)
    peaks = Peaks(items, rooms)
    assert peaks.total("stack", RAM.contains) == 7
    assert peaks.total("stack", CCM.contains) == 5
    assert peaks.total("stack") == 12
    assert [item.item.subject for item in peaks.within("stack", CCM.contains)] == ["idle"]
