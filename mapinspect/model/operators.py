"""Operators that models use against kernels that an image registers. Sizes are bytes."""

from dataclasses import dataclass

from mapinspect.model.image import Evidence


@dataclass(frozen=True, slots=True)
class ModelOperators:
    """The operators of one model that the image has no kernel for.

    ``missing`` are builtin operators without a function that registers them; ``unnamed`` custom
    ones whose name stands nowhere in the image; ``narrow`` says of builtin ones which types they
    are used with, and which the only kernels are for. ``place`` is where the model comes from.
    """

    model: str
    used: tuple[str, ...]
    missing: tuple[str, ...]
    unnamed: tuple[str, ...]
    place: Evidence
    narrow: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class UnusedKernel:
    """Registered operators of one object file that no model uses, and the object's bytes.

    ``size`` is what the object adds to the image, None where no map says.
    """

    operators: tuple[str, ...]
    object: str
    size: int | None
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class Kernels:
    """The runtime's kernels in an image, against all models known to be in it.

    ``registered`` is empty where no function that registers is to be seen; ``doubt`` says why the
    list may be incomplete, or is "".
    """

    registered: tuple[str, ...]
    models: tuple[ModelOperators, ...]
    unused: tuple[UnusedKernel, ...]
    doubt: str
    evidence: Evidence
