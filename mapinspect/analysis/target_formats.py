"""The map's output format against the ELF's header: class, byte order, machine."""

from re import compile as pattern
from typing import Final

from mapinspect.model.elf_file import ElfFile
from mapinspect.model.image import Evidence
from mapinspect.model.inspection import Disagreement
from mapinspect.model.link_map import LinkMap

# ELF targets as BFD names them (binutils bfd/targets.c, bfd/config.bfd). Where the byte order is
# not in the name (elf32-avr), nothing is said about it.
_FORMAT: Final = pattern(r"elf(?P<bits>32|64)-(?P<rest>.+)")
_ORDER: Final = pattern(r"little|big|(?<=[a-z])(?:-le|-be|le|l)$")
_LITTLE: Final = ("little", "-le", "le", "l")
# A part of BFD's name, and what pyelftools calls the machines of that family. The longer names
# come first: "aarch64" also ends like no other, but "riscv" must not be looked for in "sparc".
_MACHINES: Final = (
    ("aarch64", ("AARCH64",)),
    ("x86-64", ("X86_64",)),
    ("xtensa", ("XTENSA",)),
    ("riscv", ("RISCV",)),
    ("msp430", ("MSP430",)),
    ("powerpc", ("PPC", "PPC64")),
    ("loongarch", ("LOONGARCH",)),
    ("microblaze", ("MICROBLAZE",)),
    ("tricore", ("TRICORE",)),
    ("m68k", ("68K",)),
    ("mips", ("MIPS", "MIPS_RS3_LE", "MIPS_X")),
    ("i386", ("386",)),
    ("avr", ("AVR",)),
    ("arm", ("ARM",)),
    ("sh", ("SH",)),
)


def target_disagreement(link_map: LinkMap, elf: ElfFile) -> Disagreement | None:
    """Return that the map is of another target than the ELF, or None where it may be the same."""
    found = _FORMAT.fullmatch(link_map.output_format or "")
    if found is None:
        return None  # "binary", or a map that does not say
    bits, rest = int(found["bits"]), found["rest"]
    machines = next((names for part, names in _MACHINES if part in rest), None)
    same_machine = machines is None or elf.machine in machines
    if bits == elf.bits and same_machine and _little(rest) in (None, elf.little_endian):
        return None
    order = "little" if elf.little_endian else "big"
    said = f"{elf.machine}, {elf.bits} bits, {order}-endian"
    return Disagreement(
        subject="architecture",
        message=f"the map is of a link for {link_map.output_format}, the ELF for {said}",
        in_map=Evidence(link_map.path, None, f"OUTPUT(… {link_map.output_format})"),
        in_elf=Evidence(elf.path, None, said),
    )


def _little(rest: str) -> bool | None:
    """Return whether the name says little-endian, None where it does not say."""
    order = _ORDER.search(rest)
    return None if order is None else order[0] in _LITTLE
