"""What a check is: a claim about an image, answered by outcomes."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from mapinspect.model.finding import Outcome
from mapinspect.model.inspection import Inspection

Test = Callable[[Inspection], Iterator[Outcome]]
ReviewTest = Callable[[Inspection, tuple[Outcome, ...]], Iterator[Outcome]]


@dataclass(frozen=True, slots=True)
class Check:
    """A named claim; running it yields one outcome for each thing it is claimed of.

    ``id`` is the file's name with dashes and never changes once released. ``claim`` is what a
    report says when it holds; ``title`` says what it finds, ``doc`` why that matters, how it is
    decided, an example and how to mend it.
    ``least`` is the least severity that the table may give it: "ignore", "warn" or "error".
    Those that every other claim rests on are always errors, and cannot be waived.
    ``about_table`` marks those that find faults of the table, not of the image. ``worst`` is what
    it says at its worst as long as the table asks for no more: "error", "undecided" or "warning".
    """

    id: str
    claim: str
    title: str
    doc: str
    test: Test
    least: str = "ignore"
    about_table: bool = False
    worst: str = "error"

    def __call__(self, inspection: Inspection) -> Iterator[Outcome]:
        """Yield the outcomes, each stamped with this check's id."""
        return stamped(self.id, self.test(inspection))


@dataclass(frozen=True, slots=True)
class Review:
    """A check of what the other checks answered; its fields mean what those of ``Check`` do."""

    id: str
    claim: str
    title: str
    doc: str
    test: ReviewTest
    least: str = "ignore"
    about_table: bool = False
    worst: str = "undecided"

    def __call__(self, inspection: Inspection, outcomes: tuple[Outcome, ...]) -> Iterator[Outcome]:
        """Yield the outcomes about ``outcomes``, each stamped with this check's id."""
        return stamped(self.id, self.test(inspection, outcomes))


def stamped(id: str, outcomes: Iterable[Outcome]) -> Iterator[Outcome]:  # noqa: A002 - the word
    """Yield the outcomes as those of the check of this id."""
    for outcome in outcomes:
        findings = tuple(replace(finding, check=id) for finding in outcome.findings)
        yield replace(outcome, findings=findings, check=id)


def check(
    id: str,  # noqa: A002 - the word
    claim: str,
    doc: str | None,
    *,
    least: str = "ignore",
    about_table: bool = False,
    worst: str = "error",
) -> Callable[[Test], Check]:
    """Make a check of the function that follows; ``doc`` is its module's docstring."""
    title, text = _parts(id, doc)
    return lambda test: Check(id, claim, title, text, test, least, about_table, worst)


def review(
    id: str,  # noqa: A002 - the word
    claim: str,
    doc: str | None,
    *,
    least: str = "ignore",
    about_table: bool = False,
) -> Callable[[ReviewTest], Review]:
    """Make a check of other checks' outcomes of the function that follows."""
    title, text = _parts(id, doc)
    return lambda test: Review(id, claim, title, text, test, least, about_table)


def _parts(id: str, doc: str | None) -> tuple[str, str]:  # noqa: A002 - the word
    """Return a module docstring's first line without the id, and the rest."""
    assert doc, f"the check {id} has no documentation"
    first, _, rest = doc.partition("\n")
    return first.removeprefix(f"{id}: ").removesuffix("."), rest.strip()
