"""What ``mapinspect show`` and ``why`` say, as JSON: integers for sizes and addresses."""

import json
from typing import Any

from mapinspect.model.listing import Listing
from mapinspect.reports.printable import printable

_NO_LIMIT = 1 << 20  # characters; JSON keeps long names whole, but not without end


def render(listing: Listing) -> str:
    """Return the rows under their noun; notes and what is missing only where there are any."""
    document: dict[str, Any] = {"format": "mapinspect-show", "version": 1}
    document[listing.noun] = listing.rows
    if listing.notes:
        document["notes"] = listing.notes
    if listing.incomplete:
        document["incomplete"] = listing.incomplete
    return dump(document)


def dump(document: dict[str, Any]) -> str:
    """Return a document as text, with every string in it made printable."""
    return json.dumps(_printable(document), indent=2, allow_nan=False) + "\n"


def _printable(value: Any) -> Any:
    if isinstance(value, str):
        return printable(value, _NO_LIMIT)
    if isinstance(value, dict):
        return {printable(key, _NO_LIMIT): _printable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_printable(item) for item in value]
    return value
