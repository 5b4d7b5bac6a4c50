"""What the runtime wrote, each line with its meaning."""

from collections.abc import Iterable

from mapinspect.model.layer import LogNote
from mapinspect.reports.printable import printable

_MARKS = {True: "agrees", False: "differs", None: "means"}


def log_text(notes: Iterable[LogNote]) -> str:
    """Return the lines of a log that are explained, and whether they agree with the prediction."""
    return "\n".join(
        f"log:{note.line} {printable(note.text, 120)}\n  {_MARKS[note.agrees]}: {note.meaning}"
        for note in notes
    )
