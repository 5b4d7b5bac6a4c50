"""Measurements → what was linked for each: which build, which stack, heap or arena."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from mapinspect.model.elf_file import ElfFile
from mapinspect.model.image import Evidence, Region, Span
from mapinspect.model.inspection import ArenaFacts
from mapinspect.model.measurement import Build, Measurement, Weighed
from mapinspect.model.reservation import Reservation
from mapinspect.model.runtime import Recognised

_SHORTEST = 8  # hexadecimal digits of an abbreviated build-id; fewer could be any build's
_SHA256 = 64  # hexadecimal digits
_PARTS = ("arena.head", "arena.tail")  # shares of arena.used, no peaks of their own
_ANYONE = ("arena", "heap", "stack", "C library", "heap_caps", "main")  # names of the only one
_SAYS_NOTHING = {
    "stack",
    "stacks",
    "heap",
    "arena",
    "tensor",
    "task",
    "thread",
    "z",
    "k",
    "g",
    "s",
    "mem",
    "memory",
    "area",
}
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")

Inside = Callable[[Span], bool]
"""Says whether a span lies in the memory asked about."""


@dataclass(frozen=True, slots=True)
class Room:
    """Something that was linked for use at run time: a stack, a heap, an arena.

    ``bytes`` is the most it can hold; ``names`` what it may be called, its own first.
    """

    kind: str
    names: tuple[str, ...]
    span: Span | None
    bytes: int
    region: str | None
    place: Evidence


def rooms(
    regions: Sequence[Region],
    reservations: Iterable[Reservation],
    arenas: Iterable[ArenaFacts],
    recognised: Iterable[Recognised],
) -> tuple[Room, ...]:
    """Return every stack, heap and arena of an image; arenas also by their names alone."""
    found = []
    for item in reservations:
        most = max(item.bytes, item.grows_to or 0)
        names = (item.name, *item.rests_on)
        home = _home(regions, item.place)
        found.append(Room(item.kind, names, item.place, most, home, item.evidence))
    for arena in arenas:
        place = arena.place
        if place is not None and not arena.is_pointer:
            names = (place.name, *arena.models)
            size = place.span.size
            found.append(Room("arena", names, place.span, size, place.region, place.evidence))
    for other in recognised:
        taken = any(room.span is not None and room.span.overlap(other.span) for room in found)
        if other.role == "arena" and other.span.size and not other.pointer and not taken:
            home = _home(regions, other.span)
            size = other.span.size
            found.append(Room("arena", other.names, other.span, size, home, other.evidence))
    return tuple(found)


def identities(elf: ElfFile | None, sha256: str) -> tuple[str, ...]:
    """Return what marks measurements of an image: its file's SHA-256, then its build-id."""
    if elf is None:
        return ()
    return (sha256, elf.build_id.lower()) if elf.build_id else (sha256,)


def weighed(
    items: Iterable[Measurement], identities: Sequence[str], rooms: Sequence[Room]
) -> tuple[Weighed, ...]:
    """Return each measurement beside what was linked for it.

    ``identities`` are what a measurement of this image may be marked with, in hexadecimal.
    """
    return tuple(_weighed(item, identities, rooms) for item in items)


def _weighed(item: Measurement, known: Sequence[str], rooms: Sequence[Room]) -> Weighed:
    build = _build(item.run.build_id, known)
    room = None if item.id in _PARTS else _room_of(item, rooms)
    if room is None:
        return Weighed(item, build)
    return Weighed(item, build, room.names[0], room.bytes, room.region, room.span, room.place)


def _build(stated: str | None, known: Sequence[str]) -> Build:
    if stated is None:
        return Build.UNSTATED
    plain = stated.lower().removeprefix("sha256:").removeprefix("0x")
    long = len(plain) >= _SHORTEST
    if any(name == plain or (long and name.startswith(plain)) for name in known if name):
        return Build.SAME
    # Without a build-id only the file's own hash could tell, and this may be no such hash.
    return Build.OTHER if len(known) > 1 or len(plain) == _SHA256 else Build.UNKNOWN


def _home(regions: Iterable[Region], place: Span | None) -> str | None:
    if place is None:
        return None
    holding = [region for region in regions if region.span.contains(place)]
    smallest = min(holding, key=lambda region: region.span.size, default=None)
    return smallest.name if smallest else None


def _room_of(item: Measurement, rooms: Sequence[Room]) -> Room | None:
    """Return what was linked for a measurement: by its place, its name, or as the only one."""
    own = [room for room in rooms if room.kind == item.kind]
    if item.span is not None:
        span = item.span
        return next((room for room in own if room.span and room.span.overlap(span)), None)
    named = [room for room in own if item.subject in room.names]
    named = named or [room for room in own if any(_alike(item.subject, n) for n in room.names)]
    if not named and item.subject in _ANYONE:
        named = own
    return named[0] if len(named) == 1 else None


def _alike(measured: str, linked: str) -> bool:
    """Return whether two names may be of one thing: ``CameraTask`` and ``camera_stack``.

    The linked one has all words of the measured one. A number alone tells nothing, two must agree.
    """
    words = [_words(name) for name in (measured, linked)]
    mine, theirs = ({word for word in own if not word.isdigit()} for own in words)
    own, others = ({int(word) for word in own if word.isdigit()} for own in words)
    if own and others and not own & others:
        return False
    return bool(mine) and mine <= theirs


def _words(name: str) -> set[str]:
    """Return the words of a name that tell it from another: ``camera`` of ``camera_stack``."""
    return {word.lower() for word in _WORD.findall(name)} - _SAYS_NOTHING


@dataclass(frozen=True, slots=True)
class Peaks:
    """Measurements, and everything that could have been measured.

    What was measured several times counts with its highest value.
    """

    items: tuple[Weighed, ...]
    rooms: tuple[Room, ...]

    def within(self, kind: str, inside: Inside | None = None) -> tuple[Weighed, ...]:
        """Return the peaks of one kind that count, of what lies ``inside`` or anywhere."""
        return tuple(
            item
            for item in self.items
            if item.counts and item.item.kind == kind and item.item.id not in _PARTS
            if inside is None or (item.span is not None and inside(item.span))
        )

    def total(self, kind: str, inside: Inside | None = None) -> int | None:
        """Return the bytes measured of one kind, each stack or heap once.

        None unless everything of that kind there was measured: a share would look like the whole.
        """
        highest: dict[tuple[str, Span | None], int] = {}
        for item in self.within(kind, inside):
            key = (item.reserved or item.item.id, item.span)
            highest[key] = max(item.item.bytes, highest.get(key, 0))
        own = [
            (room.names[0], room.span)
            for room in self.rooms
            if room.kind == kind
            if inside is None or (room.span is not None and inside(room.span))
        ]
        return sum(highest.values()) if highest and all(key in highest for key in own) else None
