"""What an image does at run time besides holding bytes. Sizes are bytes."""

from dataclasses import dataclass

from mapinspect.model.image import Evidence, Span
from mapinspect.model.placed import Located
from mapinspect.model.reservation import Reservation


@dataclass(frozen=True, slots=True)
class Habits:
    """What the ELF's symbols and sections tell of an image's habits.

    ``allocators`` are the linked functions that take memory from a heap; ``requests`` says for
    archive members that hold one which object asked for them. ``constructors`` are the functions
    that run before ``main``, by name or address. ``constants`` are initialised variables in RAM
    that are large, largest first; ``copied_constants`` the input sections of constants that
    start-up copies to RAM. ``guards`` are linked functions that notice a stack overflow, ``sbrk``
    those that let a heap grow. ``dma_buffers`` are variables that are one by their name.
    ``thread_local`` is the size of what every thread has a copy of. ``valued`` are the ordinals of
    the sections that are stored where they run and hold more than zeros.
    """

    allocators: tuple[Located, ...] = ()
    requests: tuple[Evidence, ...] = ()
    constructors: tuple[str, ...] = ()
    constants: tuple[Located, ...] = ()
    copied_constants: tuple[Located, ...] = ()
    guards: tuple[str, ...] = ()
    sbrk: tuple[str, ...] = ()
    dma_buffers: tuple[Located, ...] = ()
    thread_local: int = 0
    valued: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Collision:
    """Something that lies in a stack or heap: a section's bytes, or another reserve.

    Where ``span`` is not in its place, it is another address of the same bytes.
    """

    reserve: Reservation
    other: str
    span: Span
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class Margins:
    """What lies around stacks and heaps.

    ``collisions`` are the bytes that two of them share. ``room`` is the bytes between the main
    stack's top and whatever lies next below it, where no symbol says how large it is; ``top`` is
    where it starts. ``largest_free`` is the largest run of RAM that nothing takes, None where no
    region of RAM is known.
    """

    collisions: tuple[Collision, ...] = ()
    room: int | None = None
    top: Evidence | None = None
    largest_free: Span | None = None
