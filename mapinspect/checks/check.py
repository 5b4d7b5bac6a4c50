"""What a check is: a claim about an image, answered by outcomes."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from mapinspect.model.finding import Finding, Outcome
from mapinspect.model.inspection import Inspection

Test = Callable[[Inspection], Iterator[Outcome]]


@dataclass(frozen=True, slots=True)
class Check:
    """A named claim; running it yields one outcome for each thing it is claimed of.

    ``id`` is the file's name with dashes and never changes once released. ``claim`` is what a
    report says when it holds; ``doc`` why it matters, how it is decided and how to mend it.
    """

    id: str
    claim: str
    doc: str
    test: Test

    def __call__(self, inspection: Inspection) -> Iterator[Outcome]:
        """Yield the outcomes, each stamped with this check's id."""
        for outcome in self.test(inspection):
            findings = tuple(self._stamp(finding) for finding in outcome.findings)
            yield replace(outcome, findings=findings, check=self.id)

    def _stamp(self, finding: Finding) -> Finding:
        return replace(finding, check=self.id)


def check(id: str, claim: str, doc: str | None) -> Callable[[Test], Check]:  # noqa: A002 - the word
    """Make a check of the function that follows; ``doc`` is its module's docstring."""
    assert doc, f"the check {id} has no documentation"

    def make(test: Test) -> Check:
        return Check(id, claim, doc.split("\n", 1)[1].strip(), test)

    return make
