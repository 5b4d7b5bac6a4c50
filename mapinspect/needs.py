"""What of an image depends on its models; the pipeline's step between reading and facts."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from mapinspect.analysis.sections import sections_of_elf
from mapinspect.errors import InputError
from mapinspect.model.arena import ArenaNeed, BuildEvidence
from mapinspect.model.budget import ModelEntry
from mapinspect.model.elf_file import ElfFile, ElfSymbol, SymbolKind
from mapinspect.model.embedded import StoredModel
from mapinspect.model.inspection import POINTER_SIZES
from mapinspect.model.layer import LogNote
from mapinspect.model.link_map import LinkMap
from mapinspect.model.network import Network
from mapinspect.model.runtime import Recognised
from mapinspect.readers.source import SourceFile

# What TFLM's examples and those of its ports call the size of the arena.
ARENA_SIZES = ("kTensorArenaSize", "kArenaSize", "kTensorArenaBytes", "TENSOR_ARENA_SIZE")
_ALIGNMENT = 16  # bytes; the persistent part grows down from the arena's end, wherever that is


def arena_need(entry: ModelEntry, network: Network, elf: ElfFile | None) -> ArenaNeed:
    """Return what the model of a table's entry needs of its arena.

    The entry's target and kernels decide where it names them, else its runtime and what is seen
    in the image. Where the image contradicts the entry the figure is a lower bound. Raises
    InputError for a target or kernel set that is not known.
    """
    from mapinspect.analysis.arena.fit import default_kernels  # noqa: PLC0415 - start-up time
    from mapinspect.analysis.arena.image_need import image_need, target_need  # noqa: PLC0415
    from mapinspect.analysis.arena.profile import UnknownProfileError  # noqa: PLC0415

    end, evidence = _end(entry, elf), _evidence(elf)
    if entry.target is None:
        found = image_need(network, entry.runtime, evidence, end=end)
        return replace(found, model=entry.name)
    kernels = entry.kernels or default_kernels(entry.target)
    try:
        found = target_need(network, entry.target, kernels, evidence, end=end)
        return replace(found, model=entry.name)
    except UnknownProfileError as error:
        place = entry.declared
        remedy = "see mapinspect model --help for targets and kernels"
        raise InputError(place.file, place.line, str(error), remedy) from None


def _end(entry: ModelEntry, elf: ElfFile | None) -> int:
    """Return by how many bytes the arena's end lies past a multiple of 16; 0 without one array."""
    if elf is None:
        return 0
    from mapinspect.analysis.arenas import DEFAULT_SYMBOL  # noqa: PLC0415 - start-up time
    from mapinspect.analysis.locate import selected  # noqa: PLC0415 - the same

    ends = {
        symbol.address + symbol.size
        for symbol in selected(elf, entry.arena or DEFAULT_SYMBOL)
        if symbol.size not in (0, *POINTER_SIZES)
        if symbol.kind is not SymbolKind.FUNCTION and _is_written(elf, symbol)
    }
    return ends.pop() % _ALIGNMENT if len(ends) == 1 else 0


def _is_written(elf: ElfFile, symbol: ElfSymbol) -> bool:
    return symbol.section is not None and elf.sections[symbol.section].writable


def _evidence(elf: ElfFile | None) -> BuildEvidence | None:
    """Return what the image tells about its runtime."""
    if elf is None:
        return None
    from mapinspect.analysis.arena.dwarf_structs import wanted_structs  # noqa: PLC0415
    from mapinspect.readers.tflite_evidence import build_evidence  # noqa: PLC0415

    return build_evidence(elf, wanted_structs())


def models_in(
    elf: ElfFile | None, given: Iterable[tuple[bytes, Network]]
) -> tuple[StoredModel, ...]:
    """Return the .tflite models among the loadable bytes of the image."""
    if elf is None or b"TFL3" not in elf.content:
        return ()
    from mapinspect.readers.stored_models import stored_models  # noqa: PLC0415 - start-up time

    return stored_models(elf, tuple(given))


def recognised_in(
    elf: ElfFile | None, link_map: LinkMap | None, tables: Sequence[SourceFile]
) -> tuple[Recognised, ...]:
    """Return what the patterns of the shipped table and of ``tables`` recognise in the image.

    Raises InputError for a table that is not of the declared form.
    """
    from mapinspect.analysis.owners import pieces_of  # noqa: PLC0415 - start-up time
    from mapinspect.analysis.recognise import recognise  # noqa: PLC0415
    from mapinspect.readers.demangle import demangle  # noqa: PLC0415
    from mapinspect.readers.runtimes import read_runtimes  # noqa: PLC0415

    patterns = read_runtimes(tables)
    if elf is None:
        return ()
    pieces = pieces_of(elf, link_map)
    homes = [section for section in sections_of_elf(elf) if section.size]

    def owner(address: int) -> str | None:
        """Return the object that contributed the byte at ``address``, by the map."""
        for section in homes:
            if section.vma <= address < section.vma + section.size:
                piece = pieces.at(section, address)
                return piece.owner.path if piece is not None and piece.owner is not None else None
        return None

    return recognise(elf, patterns, demangle, owner)


def arena_sizes(elf: ElfFile | None) -> dict[str, int]:
    """Return the constants that say how large the arena is, where debug information keeps them.

    Raises InputError where debug information is damaged.
    """
    if elf is None:
        return {}
    from mapinspect.readers.dwarf_sizes import constants  # noqa: PLC0415 - start-up time

    return constants(elf, ARENA_SIZES)


def explained(log: SourceFile, needs: Iterable[ArenaNeed]) -> tuple[LogNote, ...]:
    """Return what the runtime's lines mean for these models.

    Each line is explained by the need that it agrees with, else by the first one.
    """
    from mapinspect.analysis.arena.log import explain  # noqa: PLC0415 - start-up time

    lines = log.content.decode("utf-8", "surrogateescape").splitlines()
    found: dict[int, LogNote] = {}
    for need in needs:
        for note in explain(lines, need):
            if note.agrees or note.line not in found:
                found[note.line] = note
    return tuple(found[line] for line in sorted(found))
