"""Why an object is in the image, as JSON."""

from collections.abc import Sequence
from typing import Any

from mapinspect.model.inclusion import Inclusion
from mapinspect.model.link_map import ObjectFile
from mapinspect.reports.show_json import dump


def render(inclusions: Sequence[Inclusion]) -> str:
    """Return the objects, each with its chain of references and everything that uses it."""
    return dump(
        {
            "format": "mapinspect-why",
            "version": 1,
            "members": [_member(item) for item in inclusions],
        }
    )


def _member(item: Inclusion) -> dict[str, Any]:
    return {
        **_object(item.object),
        "bytes": item.bytes,
        "because": [
            {
                **_object(step.member),
                "symbol": step.symbol,
                "requester": step.requester,
                "line": step.evidence.line,
            }
            for step in item.chain
        ],
        "used_by": [
            {"symbol": use.symbol, "files": list(use.users), "line": use.line} for use in item.uses
        ],
    }


def _object(item: ObjectFile) -> dict[str, str | None]:
    return {"object": item.path, "archive": item.archive}
