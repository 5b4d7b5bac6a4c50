"""Runtimes for neural networks: how they name things, and what was recognised by that."""

from dataclasses import dataclass

from mapinspect.model.image import Evidence, Span

CONFIDENCES = ("high", "medium", "low")


@dataclass(frozen=True, slots=True)
class RuntimePattern:
    """One way in which a runtime names its weights or activations; all lists hold globs.

    An empty list asks nothing. ``companion`` must match some symbol of the image, or be None.
    ``because`` is the reason that reports give, after "the name" or "the section".
    """

    runtime: str
    role: str  # "weights", "arena" or "workspace"
    symbols: tuple[str, ...]
    excluded: tuple[str, ...]
    sections: tuple[str, ...]
    objects: tuple[str, ...]
    companion: str | None
    confidence: str  # one of CONFIDENCES
    because: str
    declared: Evidence


@dataclass(frozen=True, slots=True)
class Recognised:
    """Something of an image that is taken for weights, an arena or a workspace, and why.

    ``span`` has size 0 where nothing says how long it is. ``pointer`` marks a variable that is
    only the address of what it is named for: that lies on the heap, so its size is unknown.
    ``names`` are all symbols of these bytes, the most telling first.
    """

    role: str
    name: str
    names: tuple[str, ...]
    span: Span
    section: str
    runtime: str
    confidence: str
    reasons: tuple[str, ...]
    pointer: bool
    evidence: Evidence

    def sentence(self) -> str:
        """Return ``recognised as arena of RUNTIME because …``."""
        return f"recognised as {self.role} of {self.runtime} because {'; '.join(self.reasons)}"
