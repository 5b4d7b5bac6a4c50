"""pyelftools' names for the numbers in ELF headers."""

from collections.abc import Mapping

from elftools.elf import enums

_SECTION_KINDS = {
    "ARM": enums.ENUM_SH_TYPE_ARM,
    "AARCH64": enums.ENUM_SH_TYPE_AARCH64,
    "MIPS": enums.ENUM_SH_TYPE_MIPS,
    "RISCV": enums.ENUM_SH_TYPE_RISCV,
    "X86_64": enums.ENUM_SH_TYPE_AMD64,
}
_SEGMENT_KINDS = {
    "ARM": enums.ENUM_P_TYPE_ARM,
    "AARCH64": enums.ENUM_P_TYPE_AARCH64,
    "MIPS": enums.ENUM_P_TYPE_MIPS,
    "RISCV": enums.ENUM_P_TYPE_RISCV,
}
_LIMITS = ("LOOS", "HIOS", "LOPROC", "HIPROC", "LOUSER", "HIUSER", "NUM")  # not kinds


def machine_name(number: int) -> str | None:
    """Return ``ARM`` for 40, …; None for a number that names no machine."""
    if not number:
        return None
    return _names(enums.ENUM_E_MACHINE, "EM_").get(number)


def section_kinds(machine: str) -> dict[int, str]:
    """Return the section types of this machine by number, such as ``PROGBITS``."""
    return _names(_SECTION_KINDS.get(machine, enums.ENUM_SH_TYPE_BASE), "SHT_")


def segment_kinds(machine: str) -> dict[int, str]:
    """Return the segment types of this machine by number, such as ``LOAD``."""
    return _names(_SEGMENT_KINDS.get(machine, enums.ENUM_P_TYPE_BASE), "PT_")


def _names(numbers: Mapping[str, object], prefix: str) -> dict[int, str]:
    found: dict[int, str] = {}
    for name, number in numbers.items():
        short = name.removeprefix(prefix)
        if isinstance(number, int) and short not in _LIMITS:
            found.setdefault(number, short)
    return found
