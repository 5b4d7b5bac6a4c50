"""A failed link, explained in a few lines for the build log."""

from collections.abc import Iterator

from mapinspect.model.diagnosis import Contributor, Diagnosis, Overflow, Piece, PlannedArena
from mapinspect.model.image import Role
from mapinspect.reports.printable import printable
from mapinspect.reports.sizes import grouped

_POINTERS = (2, 4, 8)  # bytes; AVR, 32-bit and 64-bit targets


def render(diagnosis: Diagnosis) -> str:
    """Return the diagnosis as text; sizes are bytes."""
    return "".join(f"{line}\n" for line in _lines(diagnosis))


def _lines(diagnosis: Diagnosis) -> Iterator[str]:
    name = printable(diagnosis.map)
    if diagnosis.doubt is not None:
        yield "mapinspect: the link failed; why is in the linker's messages above"
        yield f"  {name}: {printable(diagnosis.doubt, 1000)}"
        return
    yield f"mapinspect: the link failed; this is what {name} says"
    for overflow in diagnosis.overflows:
        yield from _overflow(overflow)
    if not diagnosis.overflows:
        yield "  every region holds what was linked: why is in the linker's messages above"
    for arena in diagnosis.arenas:
        yield _arena(arena, diagnosis.overflows)
    for weights in diagnosis.weights:
        yield (
            f"  weights of {printable(weights.model)}: {_shown(weights.piece)}, copied there from "
            f"{printable(weights.piece.loaded_from or '')} at start-up: is the array const?"
        )
    if diagnosis.unread is not None:
        yield f"  not compared with the models: {printable(diagnosis.unread, 1000)}"


def _overflow(overflow: Overflow) -> Iterator[str]:
    name, length = printable(overflow.region.name), overflow.region.span.size
    yield (
        f"  {name} overflows by {grouped(overflow.over)} B: "
        f"{grouped(overflow.used)} of {grouped(length)} B. Largest in it:"
    )
    for item in overflow.contributors:
        yield f"    {grouped(item.bytes):>10}  {printable(item.name, 60)}  {_owner(item)}"


def _owner(item: Contributor) -> str:
    if item.owner is None:
        return "(reserved or padded by the linker script)"
    load = " (load image)" if item.role is Role.LOAD else ""
    return printable(item.owner) + load


def _arena(arena: PlannedArena, overflows: tuple[Overflow, ...]) -> str:
    at_least = "" if arena.exact else "at least "
    models = printable(" and ".join(arena.models))
    need = f"  arena of {models}: needs {at_least}{grouped(arena.needed)} B"
    if not arena.pieces:
        return f"{need}; the map does not show {printable(arena.wanted)}"
    if len(arena.pieces) > 1:
        return f"{need}; it may be " + " or ".join(_shown(piece) for piece in arena.pieces)
    [piece] = arena.pieces
    return f"{need}; {_shown(piece)}, {_comparison(arena, piece, overflows)}"


def _comparison(arena: PlannedArena, piece: Piece, overflows: tuple[Overflow, ...]) -> str:
    spare = piece.span.size - arena.needed
    if spare < 0 and piece.span.size in _POINTERS:
        return "as many as a pointer has: is the arena on the heap?"
    if spare < 0:
        return f"{grouped(-spare)} B too few"
    if spare == 0:
        return "just that"
    over = next((item.over for item in overflows if item.region.name == piece.memory), None)
    enough = arena.exact and piece.exact and over is not None and spare >= over
    return f"{grouped(spare)} B more" + (": enough to end the overflow" if enough else "")


def _shown(piece: Piece) -> str:
    place = f" in {printable(piece.memory)}" if piece.memory else ""
    at_most = "" if piece.exact else "at most "
    return f"{printable(piece.name, 60)} has {at_most}{grouped(piece.span.size)} B{place}"
