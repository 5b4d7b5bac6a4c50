"""The room in a linked arena: what alignment takes of it, and what the models leave."""

from mapinspect.model.inspection import ArenaFacts

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
