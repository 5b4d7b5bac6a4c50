"""What an ELF file tells about the runtime in it: build attributes, symbols, structure sizes."""

from collections.abc import Iterable

from mapinspect.model.arena import BuildEvidence, StructSize
from mapinspect.model.elf_file import ElfFile
from mapinspect.readers.dwarf_sizes import struct_sizes

_RUNTIME = "6tflite"  # the runtime's namespace in mangled names


def build_evidence(
    elf: ElfFile,
    wanted: Iterable[tuple[str, str]],
    chip: str | None = None,
    esp_nn_version: str | None = None,
) -> BuildEvidence:
    """Return the evidence of ``elf``; ``wanted`` names structures and the end of their unit.

    An empty unit means any. Debug information is only read where the runtime's namespace is
    linked. Raises InputError where it is damaged.
    """
    names = elf.symbols.names()
    structs: list[StructSize] = []
    if any(_RUNTIME in name for name in names):
        by_unit: dict[str, list[str]] = {}
        for name, unit in wanted:
            by_unit.setdefault(unit, []).append(name)
        for unit, group in by_unit.items():
            sizes = struct_sizes(elf, group, unit or None)
            structs += [StructSize(name, size, unit) for name, (size, _) in sizes.items()]
    return BuildEvidence(
        machine=elf.machine,
        bits=elf.bits,
        arm_attributes=elf.arm_attributes,
        symbols=names,
        structs=tuple(structs),
        chip=chip,
        esp_nn_version=esp_nn_version,
    )
