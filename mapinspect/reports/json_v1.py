"""The report as JSON, version 1: integers for sizes and addresses, paths from the budget."""

import json
import os
from typing import Any

from mapinspect import __version__
from mapinspect.model.finding import Finding, Status
from mapinspect.model.inspection import Inspection
from mapinspect.model.layer import LogNote
from mapinspect.model.measurement import Weighed
from mapinspect.model.remedy import Remedy
from mapinspect.model.report import Report
from mapinspect.reports.printable import printable

_CLAIMS = (Status.HOLDS, Status.BROKEN, Status.UNDECIDED, Status.WAIVED)
_NO_LIMIT = 1 << 20  # characters; JSON keeps long names whole, but not without end


def render(report: Report) -> str:
    """Return the report as one JSON document, the same for the same inputs."""
    facts = report.inspection
    document = {
        "format": "mapinspect-report",
        "version": 1,
        "tool": {"name": "mapinspect", "version": __version__},
        "verdict": report.verdict.value,
        "inputs": _inputs(report),
        "target": _target(facts),
        "regions": _regions(facts) if facts else [],
        "budget": [
            {
                "scope": line.scope,
                "row": _text(line.row),
                "memory": _text(line.memory),
                "estimated": line.estimated,
                "linked": line.linked,
                "measured": line.measured,
                "limit": line.limit,
                "free": line.free,
                "status": line.status,
                "parts": [{"name": name, "bytes": size} for name, size in line.parts],
            }
            for line in report.lines
        ],
        "rows": _rows(facts) if facts else [],
        "weights": _weights(facts) if facts else [],
        "tensors": _tensors(facts) if facts else [],
        "embedded": _embedded(facts) if facts else [],
        "recognised": _recognised(facts) if facts else [],
        "arena": _arenas(facts) if facts else [],
        "remedies": [_remedy(report, remedy) for remedy in report.remedies],
        "measured": [_measured(report, item) for item in facts.measured] if facts else [],
        "claims": {status.value: report.count(status) for status in _CLAIMS},
        "findings": [_finding(report, finding) for finding in report.findings],
        "notes": [_text(note) for note in report.notes],
        "log": [_log_note(note) for note in report.log],
    }
    return json.dumps(document, indent=2, allow_nan=False) + "\n"


def _inputs(report: Report) -> list[dict[str, Any]]:
    return [
        {
            "role": item.role,
            "path": _path(report, item.path),
            "size": item.size,
            "sha256": item.sha256,
        }
        for item in report.inputs
    ]


def _target(facts: Inspection | None) -> dict[str, str | None] | None:
    """Return what the image was linked for; None where no ELF says so."""
    if facts is None or facts.elf is None:
        return None
    return {"name": facts.elf.target, "part": facts.part.name if facts.part else None}


def _log_note(note: LogNote) -> dict[str, Any]:
    meaning = _text(note.meaning)
    return {"line": note.line, "text": _text(note.text), "meaning": meaning, "agrees": note.agrees}


def _text(text: str) -> str:
    return printable(text, _NO_LIMIT)


def _path(report: Report, path: str) -> str:
    """Return the path relative to the budget's folder, with forward slashes."""
    if not path or path.startswith("<"):
        return _text(path)
    return _text(os.path.relpath(path, report.folder or ".").replace(os.sep, "/"))


def _regions(facts: Inspection) -> list[dict[str, Any]]:
    return [
        {
            "name": _text(usage.region.name),
            "origin": usage.region.span.start,
            "length": usage.region.span.size,
            "used": usage.used,
            "occupied": usage.occupied,
            "elastic": usage.elastic,
            "reserved": usage.reserved,
            "charged": usage.charged,
            "charged_occupied": usage.charged_occupied,
            "free": usage.free,
        }
        for usage in facts.usages
    ]


def _rows(facts: Inspection) -> list[dict[str, Any]]:
    """Return the ``[[budget]]`` rows by id: what a later report compares itself with."""
    return [
        {
            "id": _text(row.id),
            "counts": _text(row.counts),
            "memory": _text(row.memory),
            "estimated": row.estimated,
            "linked": row.linked,
            "measured": row.measured,
            "limit": row.limit,
            "warn": row.warn,
            "minimum": row.minimum,
        }
        for row in facts.rows
    ]


def _weights(facts: Inspection) -> list[dict[str, Any]]:
    return [
        {
            "model": _text(model.entry.name),
            "symbol": _text(copy.place.name),
            "section": _text(copy.place.section.name),
            "region": copy.place.region and _text(copy.place.region),
            "vma": copy.place.span.start,
            "lma": copy.place.lma,
            "size": copy.place.span.size,
            "alignment": copy.place.alignment,
            "matches_file": copy.matches,
        }
        for model in facts.models
        for copy in model.copies
    ]


def _tensors(facts: Inspection) -> list[dict[str, Any]]:
    """Return the constant tensors of the given models; ``vma`` is null where one was not found."""
    return [
        {
            "model": _text(model.entry.name),
            "name": _text(tensor.name),
            "layer": list(tensor.layer),
            "operator": _text(tensor.code),
            "role": tensor.role,
            "size": tensor.size,
            "vma": tensor.places[0].span.start if tensor.places else None,
        }
        for model in facts.models
        for tensor in model.tensors
    ]


def _embedded(facts: Inspection) -> list[dict[str, Any]]:
    """Return the models found by their content; ``model`` is the given one that each is."""
    return [
        {
            "model": model.entry and _text(model.entry),
            "symbols": [_text(name) for name in model.symbols],
            "section": _text(model.place.section.name),
            "region": model.place.region and _text(model.place.region),
            "vma": model.place.span.start,
            "lma": model.place.lma,
            "size": model.place.span.size,
            "alignment": model.place.alignment,
            "writable": model.place.section.writable,
            "complete": model.network is not None,
            "fault": _text(model.fault),
        }
        for model in facts.embedded
    ]


def _recognised(facts: Inspection) -> list[dict[str, Any]]:
    return [
        {
            "role": item.role,
            "symbols": [_text(name) for name in item.names],
            "section": _text(item.section),
            "vma": item.span.start,
            "size": item.span.size,
            "runtime": _text(item.runtime),
            "confidence": item.confidence,
            "because": [_text(reason) for reason in item.reasons],
        }
        for item in facts.recognised
    ]


def _arenas(facts: Inspection) -> list[dict[str, Any]]:
    return [
        {
            "symbol": _text(place.name),
            "section": _text(place.section.name),
            "region": place.region and _text(place.region),
            "vma": place.span.start,
            "size": place.span.size,
            "alignment": place.alignment,
            "needed": arena.needed,
            "exact": arena.exact,
            "enough": arena.sufficient,
        }
        for arena in facts.arenas
        for place in arena.candidates
    ]


def _remedy(report: Report, remedy: Remedy) -> dict[str, Any]:
    return {
        "region": _text(remedy.region),
        "over": remedy.over,
        "enough": remedy.enough,
        "moves": [
            {
                "subject": _text(move.subject),
                "action": _text(move.action),
                "bytes": move.bytes,
                "to": move.to and _text(move.to),
                "enough": move.enough,
                "file": _path(report, move.evidence.file),
            }
            for move in remedy.moves
        ],
        "heavy": [
            {
                "object": _text(heavy.object),
                "bytes": heavy.bytes,
                "because": _text(heavy.because),
            }
            for heavy in remedy.heavy
        ],
    }


def _measured(report: Report, found: Weighed) -> dict[str, Any]:
    item = found.item
    return {
        "id": _text(item.id),
        "kind": item.kind,
        "subject": _text(item.subject),
        "bytes": item.bytes,
        "size": item.size,
        "file": _path(report, item.evidence.file),
        "line": item.evidence.line,
        "build": found.build.name.lower(),
        "reserved": found.reserved and _text(found.reserved),
        "room": found.room,
        "region": found.region and _text(found.region),
        "iterations": item.run.iterations,
        "duration": item.run.duration,
        "conditions": item.run.conditions and _text(item.run.conditions),
        "doubts": [_text(doubt) for doubt in found.doubts()],
    }


def _finding(report: Report, finding: Finding) -> dict[str, Any]:
    return {
        "check": finding.check,
        "severity": finding.severity.value,
        "subject": _text(finding.subject),
        "message": _text(finding.message),
        "evidence": [
            {"file": _path(report, item.file), "line": item.line, "text": _text(item.text)}
            for item in finding.evidence
        ],
        "help": _text(finding.help),
    }
