"""row-matches-nothing: a row of the table is about nothing in the image.

A region that the image does not have, a glob that selects nothing, a kind of use of which there
is not a byte, a placement in memories that are all unknown: such a row checks nothing, and would
go on passing, or failing, for ever. Rows that some builds lack are marked `optional = true`; where
the file is missing that could show them (objects and archives are named in the map, symbols in an
ELF that is not stripped), they are undecided all the same. So are rows about objects and archives
where a stripped ELF leaves open whether the map is of its link: equal sections may hold other
objects.

    undecided[row-matches-nothing]: region ram is not in the image

Mend it by correcting the name, or by removing the row.
"""

from collections.abc import Iterator
from typing import Protocol

from mapinspect.checks.check import check
from mapinspect.checks.rows import MIXED, THIN, in_doubt, near_name, unknown_memory
from mapinspect.model.budget import Match
from mapinspect.model.finding import Outcome, holds, not_claimed, undecided
from mapinspect.model.image import Evidence
from mapinspect.model.inspection import Inspection

_NAMED_KINDS = ("heap", "stack", "arena", "weights")  # told by symbols

_OTHER_LINK = (
    "no symbol shows that the map, which alone names objects and archives, is of this link",
    "give the ELF before it is stripped",
)


@check(
    "row-matches-nothing",
    "every row of the table is about something in the image",
    __doc__,
    least="error",
    about_table=True,
)
def row_matches_nothing(inspection: Inspection) -> Iterator[Outcome]:
    """Look for something behind every region, budget and placement row."""
    rows = list(_regions(inspection))
    if inspection.elf is not None:  # a map alone names no local symbol, so rows may match later
        rows += [*_budgets(inspection), *_placements(inspection)]
    if not rows:
        yield not_claimed("table", "the table has no rows")
    yield from rows


def _regions(inspection: Inspection) -> Iterator[Outcome]:
    names = [region.name for region in inspection.regions]
    for row in inspection.table.regions:
        if row.name in names:
            yield holds(row.name)
        else:
            remedy = near_name(row.name, names) or f"regions are {', '.join(names)}"
            yield _nothing(f"region {row.name} is not in the image", row, remedy)


def _budgets(inspection: Inspection) -> Iterator[Outcome]:
    for row in inspection.table.budgets:
        line = inspection.line(row.id)
        lacking = _lacking(inspection, row.match, None if line.linked else row.kind)
        if not line.linked and in_doubt(line) is not None:
            lacking = in_doubt(line)
        if lacking is not None:
            yield _unseen(row.id, lacking, row)
        elif line.whole == 0 and line.memory != "all":
            yield _nothing(f"row {row.id} is about {line.memory}, which is not in the image", row)
        elif inspection.unreserved_stack(row) is not None and row.minimum is not None:
            yield holds(row.id)  # nothing is reserved: the row is about what is left
        elif line.available == 0:
            yield _nothing(f"row {row.id} matches nothing", row)
        else:
            yield holds(row.id)


def _placements(inspection: Inspection) -> Iterator[Outcome]:
    for row in inspection.table.placements:
        matched = inspection.placement_matches[row.id]
        hidden = MIXED if matched.mixed else THIN if matched.thin else None
        lacking = hidden or _lacking(inspection, row.match)
        if lacking is not None:
            yield _unseen(row.id, lacking, row)
        elif not inspection.placement_matches[row.id].places:
            yield _nothing(f"placement {row.id} matches nothing", row)
        elif (unknown := unknown_memory(inspection, row)) is not None:
            message = f"placement {row.id} wants {unknown[0]}, which is not in the image"
            yield undecided(row.declared.text, message, (row.declared,), unknown[1])
        else:
            yield holds(row.id)


def _lacking(
    inspection: Inspection, match: Match | None, kind: str | None = None
) -> tuple[str, str] | None:
    """Return why an image could hold what a row is about and not show it, and the remedy."""
    if match is not None and (match.object or match.archive):
        if inspection.map is None:
            return "objects and archives are named in the map", "give the map of this link"
        if not inspection.map.shares_symbols:
            return _OTHER_LINK
    named = kind in _NAMED_KINDS or (match is not None and match.symbol is not None)
    if named and inspection.elf is not None and inspection.elf.stripped:
        return "the ELF has no symbols to tell by", "give the ELF before it is stripped"
    return None


def _unseen(id: str, lacking: tuple[str, str], row: "_Row") -> Outcome:  # noqa: A002 - the word
    message = f"whether row {id} matches anything is unknown: {lacking[0]}"
    return undecided(row.declared.text, message, (row.declared,), lacking[1])


class _Row(Protocol):
    """What the rows of all three tables share."""

    @property
    def optional(self) -> bool:
        """Return whether the row may match nothing."""
        ...

    @property
    def declared(self) -> Evidence:
        """Return where the row stands."""
        ...


def _nothing(
    message: str, row: _Row, remedy: str = "mend its name, or write optional = true"
) -> Outcome:
    if row.optional:
        return not_claimed(row.declared.text, message)
    return undecided(row.declared.text, message, (row.declared,), remedy)
