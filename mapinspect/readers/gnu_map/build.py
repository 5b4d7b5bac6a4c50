"""From tokens and columns to the records of a link map."""

from array import array
from collections.abc import Iterator
from itertools import zip_longest

from mapinspect.errors import InputError
from mapinspect.model.link_map import (
    REGION_ROW,
    ArchiveMember,
    CommonSymbol,
    CrossReference,
    DiscardedSection,
    LinkMap,
    MapSection,
    UnknownLine,
)
from mapinspect.readers.gnu_map.body import Body
from mapinspect.readers.gnu_map.grammar import Grammar
from mapinspect.readers.gnu_map.lines import Lines
from mapinspect.readers.gnu_map.on_demand import OnDemand
from mapinspect.readers.gnu_map.owners import is_loaded, object_file
from mapinspect.readers.gnu_map.rows import MapRows
from mapinspect.readers.gnu_map.scan import Scan, Token
from mapinspect.readers.gnu_map.tables import Tables

_FORMAT_AFTER_LAST_BLANK = " "
_ADDRESS_COLUMN = 16


class Builder:
    """Turns one scan into a ``LinkMap``."""

    def __init__(self, path: str, scan: Scan, grammar: Grammar, *, ends_whole: bool) -> None:
        self._path = path
        self._ends_whole = ends_whole
        self._text = scan.text
        self._tokens = scan.tokens
        self._columns = scan.columns
        self._grammar = grammar
        self._lines = Lines(scan.text, scan.columns.chunk_offsets, scan.columns.chunk_lines)
        self._loaded = frozenset(self._load_paths())
        self._tables = Tables(
            scan.text, grammar, self._lines, lambda text: object_file(text, self._loaded)
        )

    def link_map(self) -> LinkMap:
        """Return the records; raises InputError where the map contradicts itself."""
        unknown = tuple(self._unknown())
        sections, offsets, rows = self._sections()
        body = self._body(offsets)
        output_file, output_format = self._output()
        return LinkMap(
            path=self._path,
            regions=tuple(self._tables.region(token) for token in self._of("REGION")),
            sections=sections,
            inputs=rows,
            members=tuple(self._inclusions("ARCHIVE_MEMBERS")),
            unknown=unknown,
            line_count=self._lines.count,
            output_format=output_format,
            output_file=output_file,
            missing=tuple(self._missing()),
            needed=tuple(self._inclusions("AS_NEEDED_LIBRARIES")),
            loaded=tuple(self._load_paths()),
            fills=OnDemand(body.fills),
            data=OnDemand(body.data),
            symbols=OnDemand(body.symbols),
            assignments=OnDemand(body.assignments),
            discarded=OnDemand(self._discarded),
            discarded_sizes=OnDemand(self._discarded_sizes),
            commons=OnDemand(self._commons),
            cross_references=OnDemand(self._cross_references),
        )

    def _of(self, terminal: str) -> Iterator[Token]:
        return (token for token in self._tokens if token.terminal == terminal)

    def _string(self, start: int, end: int) -> str:
        return _decoded(self._text[start:end])

    def _load_paths(self) -> Iterator[str]:
        for token in self._of("LOADED_FILES"):
            for line in self._string(token.start, token.end).split("\n")[:-1]:
                yield line.removeprefix("LOAD ")

    def _inclusions(self, terminal: str) -> Iterator[ArchiveMember]:
        for token in self._of(terminal):
            yield from self._tables.inclusions(token)

    def _discarded(self) -> Iterator[DiscardedSection]:
        for token in self._of("DISCARDED_SECTIONS"):
            yield from self._tables.discarded(token)

    def _discarded_sizes(self) -> Iterator[int]:
        for token in self._of("DISCARDED_SECTIONS"):
            yield from self._tables.discarded_sizes(token)

    def _commons(self) -> Iterator[CommonSymbol]:
        for token in self._of("COMMON_SYMBOLS"):
            yield from self._tables.commons(token)

    def _cross_references(self) -> Iterator[CrossReference]:
        for token in self._of("CROSS_REFERENCES"):
            yield from self._tables.cross_references(token)

    def _sections(self) -> tuple[tuple[MapSection, ...], "array[int]", MapRows]:
        sections: list[MapSection] = []
        offsets, first_rows = array("Q"), array("I")
        loose: list[list[int]] = []
        for token, following in zip_longest(self._tokens, self._tokens[1:]):
            if token.terminal in ("OUTPUT_SECTION", "DROPPED_SECTION"):
                sections.append(self._section(len(sections), token, following))
                offsets.append(token.start)
                first_rows.append(token.row)
                loose.append([0, 0])
            elif token.terminal in ("FILLS", "DATA"):
                if not sections:
                    self._refuse_outside(self._lines.at(token.start))
                self._add_loose(token, sections[-1], loose[-1])
        if (first_rows[0] if first_rows else len(self._columns)) > 0:
            first_row = self._text.find(b"\n ", self._columns.chunk_offsets[0] - 1) + 1
            self._refuse_outside(self._lines.at(first_row))
        names = self._columns.owner_numbers
        rows = MapRows(
            text=self._text,
            grammar=self._grammar,
            columns=self._columns,
            lines=self._lines,
            owners=[object_file(_decoded(name), self._loaded) for name in names],
            sections=sections,
            section_offsets=offsets,
            first_rows=first_rows,
            end=self._body_end(),
            loose=[(fills, data) for fills, data in loose],
        )
        return tuple(sections), offsets, rows

    def _section(self, ordinal: int, token: Token, following: Token | None) -> MapSection:
        line = self._lines.at(token.start)
        if token.terminal == "DROPPED_SECTION":
            name = self._string(token.start, token.end - 1)
            return MapSection(ordinal, name, None, None, None, line)
        match = self._grammar.pattern("OUTPUT_SECTION").match(self._text, token.start)
        if match is None:
            raise AssertionError(f"no output section at byte {token.start}")
        vma = int(match[2], 16)
        return MapSection(
            ordinal=ordinal,
            name=_decoded(match[1]).rstrip(" \n"),
            vma=vma,
            size=int(match[3], 16),
            lma=vma if match[4] is None else int(match[4], 16),
            line=line,
            # A statement of the script prints a line of its own; an orphan's inputs follow at once.
            is_orphan=self._rows_until(following) > token.row
            and (following is None or following.start != token.end),
        )

    def _rows_until(self, following: Token | None) -> int:
        return len(self._columns) if following is None else following.row

    def _add_loose(self, token: Token, section: MapSection, loose: list[int]) -> None:
        """Add the bytes of fills and data statements that no row's pattern took along.

        Those that do not lie in the section are left out, so that the sums will not fit.
        """
        place, terminal = (1, "DATA_STATEMENT") if token.terminal == "DATA" else (0, "FILL")
        pattern = self._grammar.pattern(terminal, at_line_start=True)
        for match in pattern.finditer(self._text, token.start, token.end):
            address, size = match[0][_ADDRESS_COLUMN:].split(None, 2)[:2]
            offset, length = int(address, 16) - (section.vma or 0), int(size, 16)
            if section.size is None or 0 <= offset <= section.size - length:
                loose[place] += length

    def _refuse_outside(self, line: int) -> None:
        what = "bytes stand outside every output section"
        raise InputError(self._path, line, what, "link again: the map is damaged")

    def _body(self, section_offsets: "array[int]") -> Body:
        start = next(self._of("MAP_HEADING")).start
        bounds = (start, self._body_end())
        return Body(self._text, bounds, section_offsets, self._lines, self._grammar)

    def _body_end(self) -> int:
        """Return where the memory map ends: the tables after it may look like parts of it."""
        ends = ("CROSS_REFERENCES_HEADING", "STATISTICS", "MEMORY_USAGE_HEADING")
        tails = (token.start for token in self._tokens if token.terminal in ends)
        return next(tails, len(self._text))

    def _output(self) -> tuple[str | None, str | None]:
        """Return file and format of the OUTPUT line; an old ld prints no format."""
        for token in self._of("OUTPUT"):
            inside = self._string(token.start + len("OUTPUT("), token.end - 2)
            file, blank, format_name = inside.rpartition(_FORMAT_AFTER_LAST_BLANK)
            return (file, format_name) if blank else (inside, None)
        return None, None

    def _missing(self) -> Iterator[str]:
        if next(self._of("OUTPUT"), None) is None:
            yield "ld's OUTPUT(...) line"
        if not any(self._tables.region(row).name == "*default*" for row in self._of("REGION")):
            yield f"the *default* {REGION_ROW}"
        if self._has_odd_memory():
            yield f"a {REGION_ROW}, where a line is not understood"
        if not self._ends_whole:
            yield "the end of the last line"
        if self._text.endswith(b"\n\n"):
            yield "what follows the empty line at its end"

    def _has_odd_memory(self) -> bool:
        """Return whether a line of the memory table is no row: a region may be lost with it.

        Which regions exist stands nowhere else; neither sums nor the ELF show that one is gone.
        """
        starts = [token.start for token in self._of("UNKNOWN")]
        last = max((token.start for token in self._of("REGION")), default=0)
        heading = next(self._of("MEMORY_HEADING"), None)
        first = 0 if heading is None else heading.start
        return any(self._odd_regions()) or any(first < start < last for start in starts)

    def _unknown(self) -> Iterator[UnknownLine]:
        """Yield the lines that no terminal claims, and the rows of objects that ld never opened."""
        lines = [self._unknown_line(token) for token in self._of("UNKNOWN")]
        lines += [*self._odd_regions(), *self._not_loaded()]
        yield from sorted(lines, key=lambda line: line.line)

    def _odd_regions(self) -> Iterator[UnknownLine]:
        """Yield the rows of the memory table that no ld writes: a name's second, or a late one."""
        seen: set[str] = set()
        for token in self._of("REGION"):
            region = self._tables.region(token)
            if region.name in seen or "*default*" in seen:
                yield UnknownLine(region.line, self._string(token.start, token.end - 1))
            seen.add(region.name)

    def _unknown_line(self, token: Token) -> UnknownLine:
        line = self._lines.at(token.start)
        region = self._grammar.pattern("REGION").match(self._text, token.start)
        if region is not None and region[1] == b"*default*":
            raise InputError(self._path, line, "holds a second map", "give the map of one link")
        too_large = self._grammar.pattern("TOO_LARGE_NUMBER")
        if too_large.search(self._text, token.start, token.end):
            raise InputError(self._path, line, "holds a number of more than 64 bits", "link again")
        return UnknownLine(line, self._string(token.start, token.end - 1))

    def _not_loaded(self) -> Iterator[UnknownLine]:
        """Yield a row of each owner that is in no LOAD line: its name was cut short or garbled.

        A map without its OUTPUT line is not whole anyway: LOAD lines may be missing too.
        """
        if next(self._of("OUTPUT"), None) is None:
            return
        members = [*self._inclusions("ARCHIVE_MEMBERS"), *self._inclusions("AS_NEEDED_LIBRARIES")]
        pulled = {member.member.path for member in members if member.member.archive is None}
        heading = next(self._of("MAP_HEADING")).start
        for name in self._columns.owner_numbers:
            if not is_loaded(_decoded(name), self._loaded, pulled):
                end = self._text.index(b" " + name + b"\n", heading) + len(name) + 1
                start = self._text.rindex(b"\n", 0, end) + 1
                yield UnknownLine(self._lines.at(start), self._string(start, end))


def _decoded(text: bytes) -> str:
    return text.decode("utf-8", "surrogateescape")
