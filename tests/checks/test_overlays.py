"""Sections that may share addresses, and those that may not: overlays and placeholders."""

from dataclasses import replace

import pytest

from mapinspect.checks.section_outside_regions import section_outside_regions
from mapinspect.checks.sections_overlap import sections_overlap
from mapinspect.model.finding import Status
from mapinspect.model.inspection import PlacedSection
from tests.builders import FLASH, RAM, bss, inspection, section, text

BASE = RAM.span.start


def overlay(name: str, size: int, vma: int = BASE, lma: int = 0x0800_1000) -> PlacedSection:
    return replace(section(name, vma, size, lma=lma), overlay=True)


def said(*sections: PlacedSection) -> list[str]:
    found = [item for item in sections_overlap(inspection(*sections)) if item.findings]
    assert all(item.status is Status.BROKEN for item in found)
    return [item.findings[0].message for item in found]


SMALL, LARGE = overlay(".a", 0x10), overlay(".b", 0x20, lma=0x0800_2000)
NEXT = bss(0x10, vma=BASE + 0x20)


@pytest.mark.parametrize("members", [[SMALL, LARGE], [LARGE, SMALL]], ids=["small", "large"])
def test_members_of_an_overlay_share_their_start_and_take_as_much_as_the_largest(
    members: list[PlacedSection],
) -> None:
    assert said(*members, NEXT) == []
    assert said(*members, replace(NEXT, vma=BASE + 0x1F, lma=BASE + 0x1F)) == [
        f".b and .bss share 1 bytes of run-time addresses at {BASE + 0x1F:#010x}"
    ]


def test_two_overlays_are_apart_and_no_other_section_may_lie_in_one() -> None:
    second = overlay(".c", 0x10, vma=BASE + 0x10, lma=0x0800_3000)
    assert said(SMALL, second) == []
    assert said(LARGE, second) == [
        f".b and .c share 16 bytes of run-time addresses at {BASE + 0x10:#010x}"
    ]
    plain = replace(SMALL, overlay=False, ordinal=SMALL.ordinal + 1000)
    assert len(said(LARGE, plain)) == 1
    assert len(said(plain, replace(plain, name=".d", ordinal=2000, lma=0x0800_9000))) == 1


@pytest.mark.parametrize(
    ("start", "shared"),
    [
        pytest.param(FLASH.span.start, False, id="in Flash it skips what another view holds"),
        pytest.param(BASE, True, id="in RAM it would not only skip"),
        pytest.param(0x3000_0000, True, id="in no region nothing is known"),
    ],
)
def test_a_placeholder_takes_nothing_in_flash_alone(start: int, *, shared: bool) -> None:
    skip = replace(section(".skip", start, 0x100, stored=False), placeholder=True)
    other = section(".x", start + 0x10, 0x10, lma=0x0800_8000)
    assert bool(said(skip, other)) == shared


def test_a_section_inside_a_larger_one_hides_no_later_one() -> None:
    first = bss(0x100)
    inner = section(".i", BASE + 0x10, 0x10, stored=False)
    later = section(".l", BASE + 0xF0, 0x20, stored=False)
    assert said(first, inner, later) == [
        f".bss and .i share 16 bytes of run-time addresses at {BASE + 0x10:#010x}",
        f".bss and .l share 16 bytes of run-time addresses at {BASE + 0xF0:#010x}",
    ]


def test_without_regions_no_section_is_placed() -> None:
    (outcome,) = section_outside_regions(inspection(text(), regions=()))
    assert (outcome.subject, outcome.status) == ("regions", Status.UNDECIDED)
