"""Sections → placements: which bytes lie in which region, in which role."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from mapinspect.analysis.cursors import Replay, Step
from mapinspect.model.image import Region
from mapinspect.model.inspection import PlacedSection, Placement


@dataclass(frozen=True, slots=True)
class Accounts:
    """Every placement of an image by address, and ld's own account of the regions.

    ``unallocated`` are COPY and INFO sections, which take up nothing but which ld counts.
    ``reached`` is, per region name, the address up to which ld counts the region as used.
    ``otherwise`` is the other account that the addresses allow, where regions share addresses and
    nothing tells which of them ld used.
    """

    placements: tuple[Placement, ...]
    unallocated: tuple[Placement, ...]
    reached: dict[str, int]
    otherwise: "Accounts | None" = None


def place(sections: Iterable[PlacedSection], regions: tuple[Region, ...]) -> tuple[Placement, ...]:
    """Return every placement of the sections, by address; see ``account``."""
    return account(sections, regions).placements


def account(
    sections: Iterable[PlacedSection],
    regions: tuple[Region, ...],
    unallocated: Iterable[PlacedSection] = (),
    stated: frozenset[str] = frozenset(),
) -> Accounts:
    """Place the sections as ld did, replaying its cursors.

    A section lies in the region whose cursor stands where it starts, else in one that holds its
    first byte; of several in the smallest, and ``otherwise`` in the largest. One that starts past
    a region's end, right behind a section of that region, belongs to it: ld goes on placing
    sections when a region overflows. A region inside a larger one that its sections would leave,
    although the larger one holds them, was not meant: ld would have refused the link. That says
    nothing of a region whose bounds ld never saw, since the table ``stated`` them.
    """
    order = _in_script_order(sections, unallocated)
    accounts = _replay(order, regions, stated, outermost=False)
    otherwise = _replay(order, regions, stated, outermost=True)
    if [item.region for item in accounts.placements] == [
        item.region for item in otherwise.placements
    ]:
        return accounts
    return replace(accounts, otherwise=otherwise)


def _replay(
    order: list[tuple[PlacedSection, bool]],
    regions: tuple[Region, ...],
    stated: frozenset[str],
    *,
    outermost: bool,
) -> Accounts:
    candidates = list(regions)
    while True:
        replay = Replay(candidates, outermost=outermost)
        for section, allocated in order:
            replay.add(section, allocated=allocated)
        replay.settle()
        unmeant = _unmeant(replay.steps, candidates, stated)
        if unmeant is None:
            return _accounts(replay)
        candidates.remove(unmeant)


def _in_script_order(
    sections: Iterable[PlacedSection], unallocated: Iterable[PlacedSection]
) -> list[tuple[PlacedSection, bool]]:
    """Return the sections as the script has them, each with whether it is allocated.

    Without a map that is mostly the order of their headers. But ld writes some headers early
    (AVR's ``.data``) or late (the last sections of a Zephyr image): a section also comes after
    the one behind which it runs or is stored.
    """
    order = [(section, True) for section in sections]
    order += [(section, False) for section in unallocated]
    order.sort(key=lambda pair: (pair[0].order, pair[0].ordinal))
    if any(section.order for section, _ in order):
        return order
    ends = {
        section.vma + section.size: place
        for place, (section, _) in enumerate(order)
        if section.size
    }
    keys = [
        max(
            (place, False),
            (ends.get(section.vma, 0), True),
            (ends.get(section.lma, 0), True),
        )
        for place, (section, _) in enumerate(order)
    ]
    return [order[place] for place in sorted(range(len(order)), key=keys.__getitem__)]


def _unmeant(steps: list[Step], regions: list[Region], stated: frozenset[str]) -> Region | None:
    """Return a region that cannot be meant: its section leaves it, but not the one around it."""
    for step in steps:
        inner = step.region
        if inner is None or not step.allocated or step.span.end <= inner.span.end:
            continue
        if inner.name in stated:
            continue
        for outer in regions:
            larger = outer.span.size > inner.span.size and outer.span.contains(inner.span)
            if larger and outer.span.contains(step.span):
                return inner
    return None


def _accounts(replay: Replay) -> Accounts:
    steps = sorted(
        replay.steps, key=lambda step: (step.span.start, step.span.end, step.section.ordinal)
    )
    return Accounts(
        placements=tuple(_placement(step) for step in steps if step.allocated),
        unallocated=tuple(_placement(step) for step in steps if not step.allocated),
        reached={cursor.region.name: cursor.reached for cursor in replay.cursors},
    )


def _placement(step: Step) -> Placement:
    return Placement(step.section, step.role, step.span, step.region, step.overflows, step.counted)


def region_at(address: int, regions: tuple[Region, ...]) -> Region | None:
    """Return the smallest region that holds the byte at ``address``, or None."""
    holding = [region for region in regions if region.span.start <= address < region.span.end]
    return min(holding, key=lambda region: region.span.size, default=None)
