"""What to say when a link failed; only ``mapinspect link`` needs it."""

from pathlib import Path

from mapinspect.cli.outputs import trace
from mapinspect.pipeline import Request, diagnose
from mapinspect.reports import diagnosis


def explain(
    map_: Path, before: tuple[int, ...] | None, config: Path | None, models: tuple[Path, ...]
) -> str:
    """Return the diagnosis of a failed link; ``before`` is the map's trace when it began."""
    stale = before is not None and trace(map_) == before
    request = Request(map=map_, config=config, models=models)
    return diagnosis.render(diagnose(request, map_, stale=stale))
