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
    start-up copies to RAM; ``lost_values`` those of initial values in sections of which the image
    stores nothing. ``guards`` are linked functions that notice a stack overflow, ``sbrk`` those
    that let a heap grow, ``sbrk_words`` the addresses that their code builds, but those of
    variables. ``dma_buffers`` are variables that are one by their name.
    ``thread_local`` is the size of what every thread has a copy of.
    ``valued`` are the ordinals of the sections that hold more than zeros.
    """

    allocators: tuple[Located, ...] = ()
    requests: tuple[Evidence, ...] = ()
    constructors: tuple[str, ...] = ()
    constants: tuple[Located, ...] = ()
    copied_constants: tuple[Located, ...] = ()
    lost_values: tuple[Located, ...] = ()
    guards: tuple[str, ...] = ()
    sbrk: tuple[str, ...] = ()
    sbrk_words: tuple[int, ...] = ()
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
class StackStart:
    """Where the main stack starts: the address behind its first byte.

    ``regions`` and ``bank``, of the part, have that byte. ``is_loaded`` is whether the processor
    loads the address at reset; else a label says so.
    """

    address: int
    regions: tuple[str, ...]
    bank: str | None
    evidence: Evidence
    is_loaded: bool

    @property
    def home(self) -> str | None:
        """Return the memory that has the stack's first byte; None where none has."""
        return self.regions[0] if self.regions else self.bank


@dataclass(frozen=True, slots=True)
class Margins:
    """What lies around stacks and heaps.

    ``collisions`` are the bytes that two of them share, ``strays`` those where a memory (``other``)
    has ended. ``room`` is the bytes between the main stack's top and whatever lies next below it,
    where no symbol says how large it is; ``start`` is where it starts. ``largest_free`` is the
    largest run of RAM that nothing takes, None where no region of RAM is known.
    """

    collisions: tuple[Collision, ...] = ()
    strays: tuple[Collision, ...] = ()
    room: int | None = None
    start: StackStart | None = None
    largest_free: Span | None = None
