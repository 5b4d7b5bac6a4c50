"""An earlier report, which growth limits compare with. Sizes are bytes."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from mapinspect.model.image import Evidence, Span


@dataclass(frozen=True, slots=True)
class BaselineRegion:
    """What one region held in the earlier build."""

    span: Span
    used: int
    occupied: int


@dataclass(frozen=True, slots=True)
class Baseline:
    """The numbers of an earlier report that growth limits need.

    ``fault`` says why the file cannot be compared with (it is missing, foreign, of another
    version); the mappings are then empty. ``rows`` are the linked bytes of each ``[[budget]]``
    row by its id, ``counts`` what each of them counted. ``tool`` is the version of mapinspect that
    wrote it, ``target`` and ``part`` what the image was for; None where the report does not say.
    """

    path: str
    fault: str | None = None
    regions: Mapping[str, BaselineRegion] = field(default_factory=dict)
    rows: Mapping[str, int] = field(default_factory=dict)
    counts: Mapping[str, str] = field(default_factory=dict)
    tool: str | None = None
    target: str | None = None
    part: str | None = None

    def evidence(self, text: str) -> Evidence:
        """Return what the earlier report says."""
        return Evidence(self.path, None, text)
