"""Whether a model would fit, on a part or in an image that holds another one now."""

from dataclasses import dataclass
from enum import Enum


class FitVerdict(Enum):
    """FITS needs proof of every row; NO is one row that cannot hold; the rest is UNKNOWN."""

    FITS = "fits"
    NO = "does not fit"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class FitRow:
    """One memory: what it would hold of how much, in bytes.

    ``role`` is "flash" or "arena" for the model alone, "region" for everything in a region of an
    image. ``needed`` is None where it is not known; ``lower_bound`` marks a need that may be
    larger.
    """

    memory: str
    role: str
    needed: int | None
    limit: int
    lower_bound: bool = False

    @property
    def free(self) -> int | None:
        """Return the bytes left, negative when they do not suffice; None when not known."""
        return None if self.needed is None else self.limit - self.needed

    @property
    def verdict(self) -> FitVerdict:
        """Return what this row alone says."""
        if self.needed is not None and self.needed > self.limit:
            return FitVerdict.NO
        return FitVerdict.UNKNOWN if self.needed is None or self.lower_bound else FitVerdict.FITS


@dataclass(frozen=True, slots=True)
class Fit:
    """A model in one place: a part, or an image in which it replaces ``replaced``.

    ``arena`` is the size to declare for it. ``missing`` are operators of the model without a
    kernel in the image, ``reasons`` what is not known.
    """

    model: str
    place: str
    profile: str
    replaced: str | None
    arena: int
    rows: tuple[FitRow, ...]
    missing: tuple[str, ...]
    reasons: tuple[str, ...]

    @property
    def verdict(self) -> FitVerdict:
        """Return NO when a row or an operator rules the model out, FITS when all is proven."""
        verdicts = [row.verdict for row in self.rows]
        if FitVerdict.NO in verdicts or self.missing:
            return FitVerdict.NO
        certain = not self.reasons and FitVerdict.UNKNOWN not in verdicts
        return FitVerdict.FITS if certain else FitVerdict.UNKNOWN
