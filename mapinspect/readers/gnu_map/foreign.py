"""Recognise the maps of other linkers, to refuse them by name."""

import json
import re

from mapinspect import resources
from mapinspect.errors import InputError

_HEAD = 64 * 1024  # bytes; every linker names itself well before


def foreign_map(path: str, text: bytes) -> InputError | None:
    """Return the refusal of another linker's map, or None for a text that nobody claims."""
    head = text[:_HEAD].decode("latin-1")
    for tool in json.loads(resources.text("grammars", "other_maps.json"))["tools"]:
        if "anywhere" in tool:
            found = f"\n{tool['anywhere']}\n".encode() in text
        else:
            found = re.search(tool["pattern"], head, re.MULTILINE) is not None
        if found:
            name = tool["tool"]
            what = f"is a map of {name}, not of GNU ld" if name != "nm" else "is a listing of nm"
            return InputError(path, None, what, tool["remedy"])
    return None
