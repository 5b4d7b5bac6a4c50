"""A map's summary as JSON, format ``mapinspect-map`` version 1; numbers are as printed."""

import json
from typing import Any

from mapinspect.model.link_map import MapRegion, MapSection
from mapinspect.model.map_summary import MapSummary, ObjectBytes

FORMAT = "mapinspect-map"
VERSION = 1


def render(summary: MapSummary) -> str:
    """Return the summary; addresses and lengths are those of the map, sizes are bytes."""
    link_map = summary.link_map
    document: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "linker": "gnu-ld",
        "complete": summary.complete,
        "regions": [_region(region) for region in link_map.regions],
        "output_sections": [
            _section(section) for section in link_map.sections if section.vma is not None
        ],
        "objects": [_object(row) for row in summary.objects],
        "unknown_lines": [
            {"line": line.line, "text": _text(line.text)} for line in link_map.unknown
        ],
        "not_conserved": [
            {"section": _text(fault.section), "expected": fault.expected, "found": fault.found}
            for fault in summary.unconserved
        ],
    }
    return json.dumps(document, indent=1) + "\n"


def _region(region: MapRegion) -> dict[str, Any]:
    return {
        "name": _text(region.name),
        "origin": region.origin,
        "length": region.length,
        "attributes": _text(region.attributes),
    }


def _section(section: MapSection) -> dict[str, Any]:
    return {
        "name": _text(section.name),
        "vma": section.vma,
        "size": section.size,
        "lma": section.lma,
        "line": section.line,
    }


def _object(row: ObjectBytes) -> dict[str, Any]:
    archive = row.owner.archive
    return {
        "object": _text(row.owner.path),
        "archive": None if archive is None else _text(archive),
        "bytes": row.bytes,
    }


def _text(name: str) -> str:
    r"""Return a name as Unicode; bytes that were not UTF-8 are spelt ``\xNN``."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
