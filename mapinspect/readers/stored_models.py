"""Loadable bytes of an ELF → the .tflite models among them, each read as a file would be."""

import struct
from collections.abc import Iterator, Sequence
from dataclasses import replace

from mapinspect.errors import InputError
from mapinspect.model.elf_file import ElfFile, ElfSection
from mapinspect.model.embedded import StoredModel, loadable
from mapinspect.model.network import Network
from mapinspect.readers.tflite import read_embedded

_IDENTIFIER = b"TFL3"  # at offset 4 of a model; FlatBuffers file identifier
_READ_LIMIT = 32  # models looked into; more in one image is no firmware, and each takes time


def stored_models(
    elf: ElfFile, known: Sequence[tuple[bytes, Network]] = ()
) -> tuple[StoredModel, ...]:
    """Return every place where a model begins, by address; ``known`` models are not read again.

    The identifier alone is also a string of a runtime's code: only places whose root offset leads
    to a table count. What begins so and is not a complete model is kept with its fault.
    """
    places = ((section, start) for section in loadable(elf) for start in _starts(elf, section))
    found = [
        _stored(elf, section, start, known, too_many=number >= _READ_LIMIT)
        for number, (section, start) in enumerate(places)
    ]
    return tuple(sorted(found, key=lambda model: (model.vma, model.section)))


def _stored(
    elf: ElfFile,
    section: ElfSection,
    start: int,
    known: Sequence[tuple[bytes, Network]],
    *,
    too_many: bool,
) -> StoredModel:
    vma, end = section.vma + start - section.offset, section.offset + section.size
    place = StoredModel(section.ordinal, start, vma, 0, None)
    for content, network in known:
        if start + len(content) <= end and elf.content.startswith(content, start):
            return replace(place, size=len(content), network=network)
    if too_many:
        return replace(place, fault=f"is behind {_READ_LIMIT} others, not looked into")
    try:
        network = read_embedded(f"the model at {vma:#010x}", elf.content[start:end])
    except InputError as error:
        return replace(place, fault=error.what)
    return replace(place, size=network.size, network=network)


def _starts(elf: ElfFile, section: ElfSection) -> Iterator[int]:
    """Yield the file offsets in a section where a flatbuffer with the identifier begins."""
    content, end = elf.content, section.offset + section.size
    at = content.find(_IDENTIFIER, section.offset + 4, end)
    while at >= 0:
        if _is_root(content, at - 4, end):
            yield at - 4
        at = content.find(_IDENTIFIER, at + 1, end)


def _is_root(content: bytes, start: int, end: int) -> bool:
    """Return whether the root offset at ``start`` leads to a table with a vtable of its own."""
    if end - start < 16:
        return False
    root = start + int(struct.unpack_from("<I", content, start)[0])
    if (root - start) % 4 or not start + 8 <= root <= end - 4:
        return False
    vtable = root - int(struct.unpack_from("<i", content, root)[0])
    if not start + 8 <= vtable <= end - 4:
        return False
    size, inline = struct.unpack_from("<HH", content, vtable)
    return bool(size >= 4 and size % 2 == 0 and vtable + size <= end and inline >= 4)
