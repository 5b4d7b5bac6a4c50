"""Sections of a map whose bytes are not all explained."""

from dataclasses import dataclass

from mapinspect.model.image import Evidence


@dataclass(frozen=True, slots=True)
class Unconserved:
    """An output section whose inputs, fills and data do not add up to its size in the map."""

    section: str
    expected: int
    found: int
    evidence: Evidence
