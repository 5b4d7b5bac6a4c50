"""Link an image on the spot and audit it under a table: what does not hold, by check."""

from pathlib import Path

from mapinspect.model.finding import Outcome, Status
from mapinspect.pipeline import Request, check
from tests.linked import link

_UNPROVEN = (Status.BROKEN, Status.UNDECIDED)


def audited(
    folder: Path, script: str, source: str, table: str, *, statuses: bool = False
) -> dict[str, list[str]]:
    """Return the messages of all that is broken or undecided; none where the verdict is PASS.

    With ``statuses`` each begins with which of the two it is.
    """
    linked = link(folder, "arm", script, source)
    config = folder / "mapinspect.toml"
    config.write_text(f"version = 1\n{table}", encoding="utf-8")
    report = check(Request(elf=linked.elf, map=linked.map, config=config))
    assert report.failure is None, report.failure
    found: dict[str, list[str]] = {}
    for outcome in report.outcomes:
        if outcome.status in _UNPROVEN:
            found.setdefault(outcome.check, []).append(_told(outcome, statuses=statuses))
    assert bool(found) == (report.verdict.value != "pass")
    return found


def _told(outcome: Outcome, *, statuses: bool) -> str:
    message = outcome.findings[0].message
    return f"{outcome.status.value}: {message}" if statuses else message
