"""The ways out of a full region, as text."""

from mapinspect.model.remedy import Heavy, Move, Remedy
from mapinspect.reports.printable import printable
from mapinspect.reports.sizes import grouped

_NAME_WIDTH = 30  # characters; keeps the lines within 80 columns but for long actions


def remedy_text(remedy: Remedy) -> str:
    """Return what would bring the region under its limit; sizes are bytes."""
    region = printable(remedy.region, _NAME_WIDTH)
    if any(move.enough for move in remedy.moves):
        how = "each of these is enough" if len(remedy.moves) > 1 else "this is enough"
    elif remedy.enough:
        how = "these are enough together"
    elif remedy.moves:
        how = "these are not enough"
    else:
        how = "nothing is known that could go elsewhere"
    lines = [f"To bring {region} under its limit by {grouped(remedy.over)} bytes, {how}:"]
    if not remedy.moves:
        lines = [lines[0].removesuffix(":")]
    lines += [_move(move) for move in remedy.moves]
    if remedy.heavy:
        lines.append(f"The largest objects in {region}:")
        lines += [_heavy(heavy) for heavy in remedy.heavy]
    return "\n".join(lines)


def _move(move: Move) -> str:
    where = f" to {printable(move.to, _NAME_WIDTH)}" if move.to else ""
    subject, action = printable(move.subject, _NAME_WIDTH), printable(move.action)
    return f"  {subject}: {action}{where}, -{grouped(move.bytes)} B"


def _heavy(heavy: Heavy) -> str:
    return f"  {printable(heavy.object, 48)}, {grouped(heavy.bytes)} B: {printable(heavy.because)}"
