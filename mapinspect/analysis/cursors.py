"""Where ld went on after each section: which region it belongs to, and whether ld counts it there.

Neither map nor ELF says to which region the script assigned a section. But ld fills every region
from its origin upward, and what it prints as a region's use is where it would go on there
(binutils ld/ldlang.c, ``region->current``: one cursor for the sections that run in a region and
for the images that are stored in it). Replaying that in script order, which is the order of the
ELF's section headers, tells regions that share addresses apart, and finds the sections that were
placed at an address of their own.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from mapinspect.model.image import Region, Role, Span
from mapinspect.model.inspection import PlacedSection

_ALIGNMENT = 16  # bytes; a smaller gap is taken for alignment that the section header hides


@dataclass(slots=True, eq=False)
class Step:
    """One placement as ld made it; ``region`` is None where none holds its first byte.

    ``counted`` says whether ld counts these bytes in that region. ``allocated`` is False for COPY
    and INFO sections, which take up nothing but move ld's cursor.
    """

    section: PlacedSection
    role: Role
    span: Span
    allocated: bool
    region: Region | None = None
    overflows: bool = False
    counted: bool = True


@dataclass(slots=True)
class Cursor:
    """Where ld goes on in one region.

    ``doubtful`` are the steps at explicit addresses since ``position``. Whether they belong to
    the region shows in where the next section starts: behind them or at ``position``.
    """

    region: Region
    position: int
    last: PlacedSection | None = None
    doubtful: list[Step] = field(default_factory=list)

    @property
    def reached(self) -> int:
        """Return where ld goes on, behind the last section that it counts."""
        counted = [step.span for step in self.doubtful if step.counted]
        ends = [span.end for span in counted if span.start == counted[-1].start]
        return max(ends, default=self.position)

    def meets(self, start: int, alignment: int) -> bool:
        """Return whether ld may have placed a section that starts here by this cursor."""
        ends = (self.position, *(step.span.end for step in self.doubtful))
        return any(_follows(start, end, alignment) for end in ends)

    def take(self, step: Step) -> None:
        """Go on behind a section that ld placed by this cursor."""
        start, alignment = step.span.start, step.section.alignment
        while self.doubtful and not _follows(start, self.doubtful[-1].span.end, alignment):
            self.doubtful.pop().counted = False
        self.doubtful.clear()
        self.position, self.last = step.span.end, step.section

    def take_explicit(self, step: Step, *, stored_apart: bool) -> None:
        """Remember a section at an explicit address, or go on if it is an overlay.

        ``stored_apart``: the script says by address where it is stored, too; it then has no region.
        """
        last = self.last
        if last is not None and step.span.start == last.vma:  # an overlay with the last section
            self.position = max(self.position, step.span.end)
            return
        step.counted = step.span.start >= self.position and not stored_apart
        self.doubtful.append(step)

    def leave_doubtful(self) -> None:
        """Take all sections at explicit addresses for sections of no region."""
        for step in self.doubtful:
            step.counted = False


def _follows(start: int, end: int, alignment: int) -> bool:
    return 0 <= start - end < max(alignment, _ALIGNMENT)


class Replay:
    """ld's walk over the sections of one image.

    Where the cursors of several regions stand at one address, nothing tells which one ld used:
    the smallest region is taken, with ``outermost`` the largest.
    """

    def __init__(self, regions: Iterable[Region], *, outermost: bool = False) -> None:
        self.cursors = [Cursor(region, region.span.start) for region in regions]
        self.cursors.sort(key=lambda cursor: cursor.region.span.size)
        if outermost:
            self.cursors.reverse()
        self.steps: list[Step] = []

    def add(self, section: PlacedSection, *, allocated: bool = True) -> None:
        """Place one section where it runs and, if its contents lie elsewhere, where they do."""
        if section.size == 0:
            self._pass_by(section)
            return
        apart = section.has_contents and section.lma != section.vma
        stored_apart = apart and not any(
            cursor.meets(section.lma, section.alignment) for cursor in self.cursors
        )
        run = Step(section, Role.RUN, Span(section.vma, section.size), allocated)
        cursor = self._place(run)
        if cursor is not None:
            cursor.take_explicit(run, stored_apart=stored_apart)
        if apart:
            load = Step(section, Role.LOAD, Span(section.lma, section.size), allocated)
            load.counted = self._place(load) is None

    def settle(self) -> None:
        """Decide what no later section has shown.

        ld counts a section at an explicit address if the script assigned it to a region. One that
        lies outside every region, or that is stored at an explicit address, was not assigned; a
        script that has one such section is taken to have only such.
        """
        unassigned = any(
            step.allocated
            and (step.region is None or (step.role is Role.LOAD and not step.counted))
            for step in self.steps
        )
        if unassigned:
            for cursor in self.cursors:
                cursor.leave_doubtful()

    def _place(self, step: Step) -> Cursor | None:
        """Give the step its region; return the cursor if the address is not where it stands."""
        self.steps.append(step)
        start, alignment = step.span.start, step.section.alignment
        holding = [cursor for cursor in self.cursors if _holds(cursor.region, start)]
        met = [cursor for cursor in holding if cursor.meets(start, alignment)]
        if not holding:
            met = list(self._overflowing(start, alignment))
            step.overflows = bool(met)
        if met:
            step.region = met[0].region
            met[0].take(step)
            return None
        if not holding:
            return None
        best = min(holding, key=lambda cursor: cursor.position > start)
        step.region = best.region
        return best

    def _overflowing(self, start: int, alignment: int) -> Iterator[Cursor]:
        """Yield the cursor that ran past its region's end and may have placed what starts here."""
        past = [cursor for cursor in self.cursors if cursor.region.span.end <= start]
        met = [cursor for cursor in past if cursor.meets(start, alignment)]
        if met:
            yield max(met, key=lambda cursor: cursor.position)

    def _pass_by(self, section: PlacedSection) -> None:
        """Let an empty section move the cursor by its alignment, as ld does."""
        for cursor in self.cursors:
            start = section.vma
            if _holds(cursor.region, start) and _follows(start, cursor.position, section.alignment):
                cursor.position = start
                return


def _holds(region: Region, address: int) -> bool:
    return region.span.start <= address < region.span.end
