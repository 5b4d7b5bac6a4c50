"""Whether models fit, as text or JSON: one block per model and place."""

import json
from collections.abc import Sequence
from typing import Any

from tabulate import tabulate

from mapinspect.model.fit import Fit, FitRow
from mapinspect.reports.printable import printable
from mapinspect.reports.sizes import grouped

_ROLES = {"flash": "model file", "arena": "arena", "region": "all of it"}


def render_text(fits: Sequence[Fit]) -> str:
    """Return one table of all models and places, then what each verdict rests on."""
    rows = [cells for fit in fits for cells in _rows(fit)]
    headers = ("model", "in", "memory", "holds", "needs", "of", "free", "")
    align = ("left", "left", "left", "left", "right", "right", "right", "left")
    table = tabulate(rows, headers, tablefmt="simple", colalign=align, disable_numparse=True)
    return "\n\n".join((table, *(_verdict(fit) for fit in fits))) + "\n"


def _rows(fit: Fit) -> list[tuple[str, ...]]:
    names = (_tail(fit.model), _tail(fit.place))
    return [
        (
            *(names if index == 0 else ("", "")),
            printable(row.memory),
            _ROLES[row.role],
            _needed(row),
            grouped(row.limit),
            grouped(row.free),
            row.verdict.value,
        )
        for index, row in enumerate(fit.rows)
    ] or [(*names, "-", "-", "-", "-", "-", "unknown")]


def _needed(row: FitRow) -> str:
    return f">= {grouped(row.needed)}" if row.lower_bound else grouped(row.needed)


def _tail(path: str, width: int = 24) -> str:
    shown = printable(path.replace("\\", "/").rsplit("/", 1)[-1])
    return shown if len(shown) <= width else f"..{shown[2 - width :]}"


def _verdict(fit: Fit) -> str:
    replaced = f" in place of {printable(fit.replaced)}" if fit.replaced else ""
    lines = [
        f"{fit.verdict.value.upper()}  {printable(fit.model)} on {printable(fit.place)}{replaced}",
        f"  {printable(fit.profile)}: declare an arena of {fit.arena:,} bytes",
    ]
    if fit.missing:
        lines.append(f"  operators without a kernel in the image: {', '.join(fit.missing)}")
    lines += [f"  not known: {printable(reason, 1000)}" for reason in fit.reasons]
    return "\n".join(lines)


def render_json(fits: Sequence[Fit]) -> str:
    """Return the same as JSON, format ``mapinspect-fit`` version 1; sizes are bytes."""
    document = {
        "format": "mapinspect-fit",
        "version": 1,
        "fits": [_object(fit) for fit in fits],
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _object(fit: Fit) -> dict[str, Any]:
    return {
        "model": printable(fit.model, 4096),
        "place": printable(fit.place, 4096),
        "profile": fit.profile,
        "replaced": fit.replaced,
        "verdict": fit.verdict.value,
        "arena": fit.arena,
        "memories": [
            {
                "memory": printable(row.memory),
                "role": row.role,
                "needed": row.needed,
                "lower_bound": row.lower_bound,
                "limit": row.limit,
                "free": row.free,
                "verdict": row.verdict.value,
            }
            for row in fit.rows
        ],
        "missing_operators": list(fit.missing),
        "reasons": [printable(reason, 1000) for reason in fit.reasons],
    }
