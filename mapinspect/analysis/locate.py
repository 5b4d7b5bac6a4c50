"""Symbols, sections and objects that a glob selects, with where each lies."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import partial

from mapinspect.analysis.unsized import with_reach
from mapinspect.analysis.usage import union
from mapinspect.model.budget import Match
from mapinspect.model.elf_file import ElfFile, ElfSymbol
from mapinspect.model.image import Evidence, Region, Role, Span
from mapinspect.model.inspection import Located, Matched, PlacedSection, Placement
from mapinspect.model.link_map import InputSection, LinkMap, MapSection, ObjectFile
from mapinspect.model.part import Part
from mapinspect.model.symbol_names import base_name, is_selected


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What places are found in: the image's sections, its regions, its ELF, its map, its part.

    ``homes`` says in which region each section lies, by its ordinal and its role.
    """

    sections: tuple[PlacedSection, ...]
    regions: tuple[Region, ...]
    homes: Mapping[tuple[int, Role], Region | None]
    elf: ElfFile | None
    link_map: LinkMap | None
    part: Part | None = None

    @property
    def image(self) -> str:
        """Return the file that linked bytes are read from, for evidence."""
        if self.elf is not None:
            return self.elf.path
        return self.link_map.path if self.link_map is not None else ""

    def printed(self) -> Iterator[tuple[MapSection, PlacedSection]]:
        """Yield every section of the map that is one of the image's, with that."""
        # Of sections of one name at one address the one with bytes is meant.
        own = {(item.name, item.vma): item for item in sorted(self.sections, key=_size_of)}
        for printed in self.link_map.sections if self.link_map is not None else ():
            section = own.get((printed.name, self.address(printed.vma or 0)))
            if section is not None:
                yield printed, section

    def address(self, printed: int) -> int:
        """Return an address that the map prints as the ELF has it.

        ld 2.39 and older print addresses of 32-bit targets sign-extended to 64 bits.
        """
        return printed if self.elf is None else printed & ((1 << self.elf.bits) - 1)

    def inside(self, section: PlacedSection, name: str, span: Span, evidence: Evidence) -> Located:
        """Return the place of a span of this section; its region holds it to the last byte."""
        lma = section.lma + (span.start - section.vma)
        region = self._around(section, Role.RUN, span)
        load_region = self._around(section, Role.LOAD, Span(lma, span.size))
        bank = self.part.bank_of(span) if self.part else None
        return Located(
            name, span, lma, section, region, load_region, evidence, bank.name if bank else None
        )

    def input(self, section: PlacedSection, row: InputSection, span: Span | None = None) -> Located:
        """Return the place of an input section that the map prints, or of ``span`` within it."""
        assert self.link_map is not None
        text = f"{row.name} of {row.owner.path}, {row.occupied} bytes"
        whole = Span(self.address(row.address), row.occupied)
        evidence = Evidence(self.link_map.path, row.line, text)
        return self.inside(section, row.name, span or whole, evidence)

    def symbol(self, section: PlacedSection, symbol: ElfSymbol) -> Located:
        """Return the place of a symbol of the ELF."""
        text = f"{symbol.name} at {symbol.address:#010x}, {symbol.size} bytes"
        span = Span(symbol.address, symbol.size)
        return self.inside(section, symbol.name, span, Evidence(self.image, None, text))

    def home(self, section: PlacedSection, role: Role) -> str | None:
        """Return the region that a section is charged to, also where it leaves that region."""
        region = self.homes.get((section.ordinal, role))
        return None if region is None else region.name

    def _around(self, section: PlacedSection, role: Role, span: Span) -> str | None:
        region = self.homes.get((section.ordinal, role))
        return region.name if region is not None and region.span.contains(span) else None


def _size_of(section: PlacedSection) -> int:
    return section.size


def homes(placements: Iterable[Placement]) -> dict[tuple[int, Role], Region | None]:
    """Return the region of every placement, by its section's ordinal and its role."""
    return {(item.section.ordinal, item.role): item.region for item in placements}


def symbols(around: Surroundings, glob: str) -> tuple[Located, ...]:
    """Return the symbols a glob selects, by any of their names; aliases of one span count once.

    A name without wildcards is that very symbol, where there is one.
    """
    return _located(around, selected(around.elf, glob)) if around.elf is not None else ()


def _located(around: Surroundings, chosen: Iterable[ElfSymbol]) -> tuple[Located, ...]:
    by_ordinal = {section.ordinal: section for section in around.sections}
    found: dict[tuple[int, Span], Located] = {}  # overlays share addresses, not their images
    for symbol in chosen:
        section = by_ordinal.get(-1 if symbol.section is None else symbol.section)
        if section is not None:
            place = around.symbol(section, symbol)
            found.setdefault((section.ordinal, place.span), place)
    return tuple(found.values())


def selected(elf: ElfFile, glob: str) -> Iterable[ElfSymbol]:
    """Return the symbols a glob selects, as ``is_selected`` says.

    Where some have it for their very name, only those.
    """
    if not _is_glob(glob):
        exact = elf.symbols.named(glob)
        if exact:
            return exact
    return (
        elf.symbols[ordinal]
        for ordinal, name in enumerate(elf.symbols.names())
        if is_selected(name, glob)
    )


def _clones(elf: ElfFile, name: str) -> Iterator[ElfSymbol]:
    """Yield the symbols that compilers made of ``name`` by a suffix."""
    if not _is_glob(name):
        for ordinal, other in enumerate(elf.symbols.names()):
            if other.startswith(f"{name}.") and base_name(other) == name:
                yield elf.symbols[ordinal]


def _is_glob(text: str) -> bool:
    """Return whether a name has wildcards."""
    return any(letter in text for letter in "*?[")


def matched(around: Surroundings, match: Match) -> Matched:
    """Return what a row's ``match`` selects, every byte once; all globs given must hold.

    A label without a size is taken for all the bytes that it can mark.
    """
    places = tuple(
        place
        for place in (_widest(around, place) for place in named(around, match))
        if match.region is None or fnmatchcase(place.region or "", match.region)
        if match.bank is None or fnmatchcase(place.bank or "", match.bank)
    )
    return Matched(places)


def _widest(around: Surroundings, place: Located) -> Located:
    if place.most is None:
        return place
    wide = around.inside(place.section, place.name, place.reach, place.evidence)
    return replace(wide, most=place.most, within_other=place.within_other)


def named(
    around: Surroundings, match: Match, wanted: Callable[[ObjectFile], bool] | None = None
) -> tuple[Located, ...]:
    """Return what a row's ``match`` selects by its names, in whatever memory it lies.

    ``wanted`` says which objects are meant, in place of the globs on object and archive.
    """
    if wanted is None and (match.object is not None or match.archive is not None):
        wanted = partial(owned, match=match)
    if match.symbol is not None:
        places = _symbols_of(around, match.symbol, wanted)
    elif wanted is not None:
        places = tuple(_inputs(around, wanted))
    else:
        places = tuple(_sections(around))
    if match.section is None:
        return places
    return tuple(place for place in places if fnmatchcase(place.section.name, match.section))


def _symbols_of(
    around: Surroundings, glob: str, wanted: Callable[[ObjectFile], bool] | None
) -> tuple[Located, ...]:
    """Return the symbols that a glob selects, with their clones, in the inputs of objects."""
    if around.elf is None:
        return ()
    chosen = [*selected(around.elf, glob), *_clones(around.elf, glob)]
    places = with_reach(around.elf, _located(around, chosen))
    if wanted is None:
        return places
    inputs: dict[int, list[Span]] = {}
    for item in _inputs(around, wanted):
        inputs.setdefault(item.section.ordinal, []).append(item.span)
    merged = {ordinal: union(spans) for ordinal, spans in inputs.items()}
    return tuple(
        place for place in places if _is_within(place.span, merged.get(place.section.ordinal, []))
    )


def _is_within(span: Span, merged: list[Span]) -> bool:
    number = bisect_right(merged, span.start, key=lambda other: other.start) - 1
    return number >= 0 and merged[number].contains(span)


def _sections(around: Surroundings) -> Iterator[Located]:
    for section in around.sections:
        span = Span(section.vma, section.size)
        if section.size:
            yield around.inside(section, section.name, span, section.evidence)


def _inputs(around: Surroundings, wanted: Callable[[ObjectFile], bool]) -> Iterator[Located]:
    if around.link_map is None:
        return
    for printed, section in around.printed():
        for row in around.link_map.inputs.of_section(printed.ordinal):
            if row.occupied and wanted(row.owner):
                yield around.input(section, row)


def owned(file: ObjectFile, match: Match) -> bool:
    """Return whether an object is one that the globs on object and archive select."""
    if match.object is not None and not path_matches(file.path, match.object):
        return False
    return match.archive is None or path_matches(file.archive or "", match.archive)


def path_matches(path: str, glob: str) -> bool:
    """Match the path as printed, or its last part: build folders differ between machines."""
    name = path.replace("\\", "/").rsplit("/", 1)[-1]
    return fnmatchcase(path, glob) or fnmatchcase(name, glob)
