"""What the values of a linker script rest on: answers that the build could change."""

from dataclasses import dataclass, field

from mapinspect.model.image import Evidence


@dataclass(eq=False, slots=True)
class Grounds:
    """The assumptions of one expression: its own, and those of the symbols it uses.

    They are linked, never copied: a script may build each symbol on the one before.
    """

    own: list[Evidence] = field(default_factory=list)
    used: list["Grounds"] = field(default_factory=list)

    def collect(self, seen: set["Grounds"]) -> list[Evidence]:
        """Return all assumptions below this one, except those of grounds already ``seen``."""
        found: list[Evidence] = []
        waiting = [self]
        while waiting:
            grounds = waiting.pop()
            if grounds not in seen:
                seen.add(grounds)
                found += grounds.own
                waiting += reversed(grounds.used)
        return found
