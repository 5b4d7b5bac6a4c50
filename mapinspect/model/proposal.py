"""A budget table that is proposed for an image, before it is written as TOML. Sizes are bytes."""

from dataclasses import dataclass

Value = str | int | bool | tuple[str, ...] | dict[str, str]


@dataclass(frozen=True, slots=True)
class Entry:
    """One key of a proposed row: ``comment`` stands behind it.

    ``hexadecimal`` asks for an address; ``off`` for a line that is commented out: a suggestion
    that would fail today.
    """

    key: str
    value: Value
    comment: str = ""
    hexadecimal: bool = False
    off: bool = False


@dataclass(frozen=True, slots=True)
class ProposedRow:
    """A table or row: its keys in order, and the comment lines above it."""

    entries: tuple[Entry, ...]
    above: tuple[str, ...] = ()

    def value(self, key: str) -> Value | None:
        """Return the value of a key, None where the row does not have it."""
        found = (entry.value for entry in self.entries if entry.key == key and not entry.off)
        return next(found, None)


@dataclass(frozen=True, slots=True)
class Proposal:
    """The rows of a proposed table, and what its reader should know first.

    ``defects`` are what the image does wrong by the recommended policy: the table keeps failing
    on them. ``open_questions`` are what nobody but the reader can fill in.
    """

    project: ProposedRow
    inputs: ProposedRow
    models: tuple[ProposedRow, ...]
    regions: tuple[ProposedRow, ...]
    budgets: tuple[ProposedRow, ...]
    placements: tuple[ProposedRow, ...]
    defects: tuple[str, ...] = ()
    open_questions: tuple[str, ...] = ()
