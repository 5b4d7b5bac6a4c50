"""Models found in an image by their content. Addresses and offsets are integers, sizes bytes."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from mapinspect.model.elf_file import ElfFile, ElfSection
from mapinspect.model.network import Network
from mapinspect.model.placed import Located


@dataclass(frozen=True, slots=True)
class StoredModel:
    """A place among an ELF's loadable bytes where a .tflite model begins.

    ``section`` is its ordinal, ``offset`` the model's in the ELF file; ``size`` reaches to the last
    byte that the model's tables name.
    ``network`` is None where the model is not complete; ``fault`` then says why.
    """

    section: int
    offset: int
    vma: int
    size: int
    network: Network | None
    fault: str = ""


@dataclass(frozen=True, slots=True)
class EmbeddedModel:
    """A .tflite model in the image, found by its identifier, whatever its name.

    ``place`` is named after the symbol that begins there, else after its section; ``symbols`` are
    all of them. ``entry`` is the name of the given model that it is, or None. ``network`` is
    None where it is not complete; ``fault`` then says why. ``digest`` is the SHA-256 of its bytes,
    in hexadecimal.
    """

    place: Located
    symbols: tuple[str, ...]
    network: Network | None
    fault: str
    entry: str | None
    digest: str = ""


@dataclass(frozen=True, slots=True)
class TensorPlace:
    """A constant tensor of a model: who uses it, where it lies in the file and in the image.

    ``layer`` is (subgraph, operator) of its first use, ``code`` that operator's; ``role`` is
    "weights", "bias" or "constant". ``places`` are named after the array that holds it.
    """

    name: str
    layer: tuple[int, int]
    code: str
    role: str
    offset: int
    size: int
    places: tuple[Located, ...] = ()

    def at(self, *places: Located) -> "TensorPlace":
        """Return the tensor at these places."""
        return replace(self, places=places)


def loadable(elf: ElfFile) -> tuple[ElfSection, ...]:
    """Return the sections whose bytes a loader stores.

    They hold every byte of every PT_LOAD: an ELF in which they do not is refused when it is read.
    """
    return tuple(
        section
        for section in elf.sections
        if section.allocated and section.has_contents and section.size
    )


def unnamed(models: Iterable[EmbeddedModel]) -> tuple[EmbeddedModel, ...]:
    """Return the complete models that are none of those given."""
    return tuple(model for model in models if model.network is not None and model.entry is None)
