"""Profiles: for which core, ABI and kernel set the arena is computed.

A profile is named by a target and a kernel set, as on the command line:
``cortex-m4`` + ``cmsis-nn``, ``esp32s3`` + ``esp-nn@1.1``.
"""

from dataclasses import dataclass, replace

from mapinspect.analysis.arena.structs import StructSizes, struct_sizes

# CMSIS-NN classes of cores: which of its scratch rules the compiler's target selects.
PLAIN, DSP, MVE = "plain C", "DSP", "MVE"
CORTEX = {
    "cortex-m0": PLAIN,
    "cortex-m0+": PLAIN,
    "cortex-m0plus": PLAIN,
    "cortex-m1": PLAIN,
    "cortex-m3": PLAIN,
    "cortex-m4": DSP,
    "cortex-m7": DSP,
    "cortex-m23": PLAIN,
    "cortex-m33": DSP,  # GCC's -mcpu=cortex-m33 has the DSP extension unless +nodsp
    "cortex-m33+nodsp": PLAIN,
    "cortex-m35p": DSP,
    "cortex-m35p+nodsp": PLAIN,
    "cortex-m52": MVE,
    "cortex-m52+nomve": DSP,
    "cortex-m55": MVE,
    "cortex-m55+nomve": DSP,
    "cortex-m85": MVE,
    "cortex-m85+nomve": DSP,
}
# ESP-NN variants by chip when CONFIG_NN_OPTIMIZED is set; everything but S3 and P4 is generic.
ESP = {
    "esp32": "opt",
    "esp32s2": "opt",
    "esp32s3": "esp32s3",
    "esp32c2": "opt",
    "esp32c3": "opt",
    "esp32c5": "opt",
    "esp32c6": "opt",
    "esp32c61": "opt",
    "esp32h2": "opt",
    "esp32p4": "esp32p4",
}
OTHER = ("riscv32", "x86-64")
TARGETS = (*CORTEX, *ESP, *OTHER)
KERNELS = ("reference", "cmsis-nn", "cmsis-nn-size", "esp-nn", "esp-nn-ansi")
ESP_NN_NEWEST = (1, 2, 3)
# Versions with other scratch rules, each the last of its kind.
OLDER_RULES = {"esp32s3": ("1.2.2", "1.2.0", "1.1"), "esp32p4": ("1.2.2",)}
LAST_PATCH = 99
# The tflite-micro wheel of 2026-10 holds one structure that is newer than the rest.
WHEEL_STRUCTS = {"TfLiteFullyConnectedParams": (32, 8)}


@dataclass(frozen=True, slots=True)
class Profile:
    """A runtime build: ABI with its structure sizes, kernel set, planner, allocator.

    ``variant`` names the kernel rules: ``reference``, ``cmsis-nn``, or an ESP-NN variant
    (``ansi``, ``opt``, ``esp32s3``, ``esp32p4``) with ``version``; ``core`` is the CMSIS-NN class
    and ``for_speed`` its KERNELS_OPTIMIZED_FOR_SPEED. ``recording`` says that the application
    uses the recording allocator, ``linear`` that it preserves all tensors.
    """

    name: str
    target: str
    kernels: str
    sizes: StructSizes
    variant: str
    core: str
    version: tuple[int, ...]
    version_given: bool
    for_speed: bool
    recording: bool
    linear: bool = False

    def with_linear_planner(self) -> "Profile":
        """Return the same build with the linear planner (all tensors are preserved)."""
        return replace(self, linear=True, name=f"{self.name}, linear planner")

    @property
    def version_matters(self) -> bool:
        """Return whether the scratch rules depend on a version that was not given."""
        return self.variant in ("esp32s3", "esp32p4") and not self.version_given


class UnknownProfileError(ValueError):
    """A target, kernel set or combination that mapinspect has no rules for."""


def profile(target: str, kernels: str = "reference", *, recording: bool = False) -> Profile:
    """Return the profile of ``target`` (one of TARGETS) and ``kernels``, ``NAME[@VERSION]``.

    Raises UnknownProfileError, its message naming what is known.
    """
    if target not in TARGETS:
        raise UnknownProfileError(f"unknown target {target}; known are {', '.join(TARGETS)}")
    family, _, version_text = kernels.partition("@")
    variant = _variant(target, family)
    wheel = target == "x86-64" and recording
    sizes = struct_sizes("x64-compression" if wheel else _abi(target))
    return Profile(
        name="x86-64-wheel" if wheel else f"{target} {kernels}",
        target=target,
        kernels=family,
        sizes=sizes.replaced(WHEEL_STRUCTS) if wheel else sizes,
        variant=variant,
        core=CORTEX.get(target, ""),
        version=_version(family, version_text),
        version_given=bool(version_text),
        for_speed=family != "cmsis-nn-size",
        recording=recording,
    )


def older_versions(of: Profile) -> tuple[Profile, ...]:
    """Return the profiles of the other known rules of an ESP-NN variant, newest first."""
    return tuple(
        replace(of, name=f"{of.target} {of.kernels}@{text}", version=_version(of.kernels, text))
        for text in OLDER_RULES.get(of.variant, ())
    )


def _abi(target: str) -> str:
    if target in CORTEX:
        return "arm"
    return "x64" if target == "x86-64" else "ilp32"


def _variant(target: str, family: str) -> str:
    if family == "reference":
        return family
    if family in ("cmsis-nn", "cmsis-nn-size") and target in CORTEX:
        return "cmsis-nn"
    if family in ("esp-nn", "esp-nn-ansi") and target in ESP:
        return ESP[target] if family == "esp-nn" else "ansi"
    if family not in KERNELS:
        raise UnknownProfileError(f"unknown kernel set {family}; known are {', '.join(KERNELS)}")
    raise UnknownProfileError(f"the kernel set {family} does not exist for {target}")


def _version(family: str, text: str) -> tuple[int, ...]:
    if not text:
        return ESP_NN_NEWEST if family == "esp-nn" else ()
    if not family.startswith("esp-nn"):
        raise UnknownProfileError(f"the kernel set {family} has no versions here")
    parts = text.split(".")
    if not all(part.isdigit() for part in parts) or not 1 < len(parts) <= 4:
        raise UnknownProfileError(f"{text} is no version of {family}; write for example 1.2.3")
    numbers = tuple(int(part) for part in parts)
    # A version of two numbers stands for its last release: 1.1 for 1.1.2, 1.2 for the newest.
    return numbers if len(numbers) > 2 else (*numbers, LAST_PATCH)
