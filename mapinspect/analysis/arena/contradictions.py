"""What a table says of its runtime's build, against what the image shows of it."""

from collections.abc import Iterator

from mapinspect.analysis.arena.profile import CORTEX, ESP, Profile
from mapinspect.analysis.arena.recognise import ENUM_SIZE, INT_ENUMS, ProfileChoice, core_class
from mapinspect.model.arena import BuildEvidence

# Chips with Xtensa cores; the other ESP32s are RISC-V (Espressif's chip series comparison).
_XTENSA = ("esp32", "esp32s2", "esp32s3")


def contradictions(
    declared: Profile, build: BuildEvidence, seen: ProfileChoice | None
) -> Iterator[str]:
    """Yield why the image is not the build that the table declares, and what no table settles.

    ``seen`` is what is recognised of the runtime, None where nothing is: then only the core can
    contradict.
    """
    machine = (build.machine, build.bits)
    if machine != _machine(declared.target):
        shown = f"{build.bits}-bit {build.machine}"
        yield f"the table says {declared.target}, but the image is for {shown}"
        return
    core = core_class(build)
    if core is not None and declared.core != core:
        yield f"the table says {declared.target} ({declared.core}), but the image is for {core}"
    if declared.target in CORTEX and build.arm_attributes.get(ENUM_SIZE) == INT_ENUMS:
        yield f"the structures of {declared.target} have packed enumerations, the image has int"
    if seen is None:
        return
    yield from (reason for reason in seen.reasons if reason not in seen.untold)
    variants = dict.fromkeys(profile.variant for profile in seen.profiles)
    if not seen.untold and declared.variant not in variants:
        shown = ", ".join(variants)
        yield f"the table says {declared.variant} kernels, but the image shows {shown}"


def _machine(target: str) -> tuple[str, int]:
    """Return the ELF's machine and bits for a target."""
    if target in CORTEX:
        return "ARM", 32
    if target in ESP:
        return ("XTENSA" if target in _XTENSA else "RISCV"), 32
    return ("X86_64", 64) if target == "x86-64" else ("RISCV", 32)
