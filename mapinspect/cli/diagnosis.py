"""What to say when a link failed; only ``mapinspect link`` needs it."""

from pathlib import Path

from mapinspect.diagnosing import diagnose
from mapinspect.pipeline import Request
from mapinspect.reports import diagnosis


def explain(map_: Path, config: Path | None, models: tuple[Path, ...], *, stale: bool) -> str:
    """Return the diagnosis of a failed link; ``stale``: it did not write the map that is there."""
    request = Request(map=map_, config=config, models=models)
    return diagnosis.render(diagnose(request, stale=stale))
