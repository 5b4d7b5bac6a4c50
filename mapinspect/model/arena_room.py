"""The room in a linked arena: what alignment takes of it, and what the models leave."""

from mapinspect.model.inspection import ArenaFacts

_TENTH = 10  # per cent; above this and 1 KiB, what an arena has too much is worth a look
_KIB = 1024
ARENA_ALIGNMENT = 16  # bytes; the alignment that TensorFlow Lite Micro gives its arena


def lost(arena: ArenaFacts) -> int:
    """Return the bytes before the first aligned one of the arena, which nobody can use."""
    return 0 if arena.place is None else -arena.place.span.start % ARENA_ALIGNMENT


def slack(arena: ArenaFacts) -> int | None:
    """Return the bytes the arena has more than its models need; None where either is unknown.

    An upper bound where the need is not exact; negative when the arena is too small.
    """
    if arena.place is None or arena.needed is None or arena.is_pointer:
        return None
    size = arena.place.span.size
    return size - lost(arena) - arena.needed if size else None


def slack_allowed(arena: ArenaFacts) -> int | None:
    """Return how many bytes more than needed are no waste; None where the need is not known.

    The table's amount, of what suffices where it is a share; without one the larger of a tenth
    and 1 KiB.
    """
    if arena.sufficient is None:
        return None
    if arena.slack is not None:
        return arena.slack.at_most(arena.sufficient)
    return max(arena.sufficient * _TENTH // 100, _KIB)
