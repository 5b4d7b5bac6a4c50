"""Which runtime build an image holds: ABI, core, kernel set and structure sizes, with reasons.

Each decision keeps what it rests on. Where an image leaves several builds possible, all are
returned: the arena then is a range.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace

from mapinspect.analysis.arena.dwarf_structs import measured_sizes
from mapinspect.analysis.arena.profile import DSP, MVE, PLAIN, Profile, older_versions, profile
from mapinspect.analysis.arena.structs import struct_sizes
from mapinspect.model.arena import BuildEvidence
from mapinspect.model.symbol_names import is_of_lto

# "Addenda to, and Errata in, the ABI for the Arm Architecture": build attribute tags.
CPU_NAME, CPU_ARCH, ENUM_SIZE, DSP_EXTENSION, MVE_ARCH = 5, 6, 26, 46, 48
INT_ENUMS = 2  # value of ENUM_SIZE: enumerations are int
_V7E_M, _V8_M_MAIN, _V8_1_M_MAIN = 13, 17, 21
# A core of each CMSIS-NN class, for the profile; the build attributes name the real one.
_CORES = {PLAIN: "cortex-m3", DSP: "cortex-m4", MVE: "cortex-m55"}
VERSION = "TFLM 90b983c2 (August 2026)"

_MANGLED = r"_ZNK?6tflite(?:5micro)?(?:11tflm_signal)?"
_RUNTIME = re.compile(rf"{_MANGLED}(?:16MicroInterpreter|14MicroAllocator)")
_NEWER = re.compile(r"_ZNK?6tflite5micro")
_OLDER = re.compile(r"_ZNK?6tflite21SimpleMemoryAllocator")
_RECORDING = re.compile(rf"{_MANGLED}23RecordingMicroAllocatorC[12]E")
_COMPRESSION = re.compile(r"_ZNK?6tflite\w*24GetTensorCompressionData")
_VARIABLES = re.compile(rf"{_MANGLED}22MicroResourceVariables6CreateE")
_SIGNAL = re.compile(r"_ZNK?6tflite(?:5micro)?11tflm_signal\d+Register_")
# CMSIS-NN's own functions, of every kernel and width (arm_nnfunctions.h); CMSIS-DSP has none of
# these names. Any one of them says that the kernels are built with it.
_CMSIS = re.compile(
    r"arm_(?:convolve|depthwise_conv|fully_connected|softmax|svdf|lstm|batch_matmul|transpose_conv"
    r"|avgpool|max_pool|elementwise|nn|pad|transpose|maximum|minimum)_(?:\w*_)?[su](?:4|8|16)(?!\d)"
)
_ESP = re.compile(r"esp_nn_get_(?:conv|depthwise_conv|softmax)_scratch_size_(\w+)")
_ESP_ANY = re.compile(r"esp_nn_\w+_(?:ansi|opt|esp32s3|esp32p4)")
# Kernel libraries without rules here: symbol prefix -> what it is.
_OTHERS = {
    "xa_nn_": "Cadence's HiFi library",
    "mli_": "the ARC MLI library",
    "riscv_convolve": "NMSIS-NN",
    "ceva_tflm": "CEVA's kernels",
}
# What a name must start with to tell of the runtime; most of an image's names do not.
_TELLING = ("_ZN6tflite", "_ZNK6tflite", "arm_", "esp_nn_", *_OTHERS)


@dataclass(frozen=True, slots=True)
class ProfileChoice:
    """The builds that an image may hold, best guess first, and what that rests on.

    ``reasons`` say what is in doubt beyond the choice between the profiles: they make every
    figure a lower bound; those in ``untold`` go away where the table names target and kernels.
    ``variables`` is False when the image cannot create resource variables;
    ``signal`` is True when the runtime's signal library is linked, so that its operators' kernels
    are certain.
    """

    profiles: tuple[Profile, ...]
    evidence: tuple[str, ...]
    reasons: tuple[str, ...]
    variables: bool
    signal: bool
    untold: tuple[str, ...] = ()


@dataclass(slots=True)
class _Notes:
    """What is found along the way; what the image leaves ``untold`` the table may say."""

    evidence: list[str] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    untold: list[str] = field(default_factory=list)


def recognise(build: BuildEvidence) -> ProfileChoice | None:
    """Return the builds that ``build`` may be; None where no TensorFlow Lite Micro is in it."""
    telling = [name for name in build.symbols if name.startswith(_TELLING)]
    if not any(_RUNTIME.match(name) for name in telling):
        return None
    inlined = [name for name in build.symbols if is_of_lto(name)]
    build = replace(build, symbols=[*telling, *inlined])
    notes = _Notes()
    first = _with_sizes(_base(build, notes), build, notes)
    profiles = tuple(_candidates(first, build, notes))
    return ProfileChoice(
        profiles=profiles,
        evidence=tuple(notes.evidence),
        reasons=(*notes.reasons, *notes.untold),
        variables=any(_VARIABLES.match(name) for name in build.symbols),
        signal=any(_SIGNAL.match(name) for name in build.symbols),
        untold=tuple(notes.untold),
    )


def _base(build: BuildEvidence, notes: _Notes) -> Profile:
    _refuse_other_kernels(build.symbols, notes)
    if build.machine == "ARM" and build.bits == 32:
        return _arm(build, notes)
    if build.machine in ("XTENSA", "RISCV") and build.bits == 32:
        return _esp_or_reference(build, notes)
    if build.machine == "X86_64" and build.bits == 64:
        notes.evidence.append("x86-64: 64-bit structures")
        return profile("x86-64", "reference")
    notes.reasons.append(f"the structures of a {build.bits}-bit {build.machine} are not known")
    return profile("x86-64" if build.bits == 64 else "riscv32", "reference")


def _refuse_other_kernels(symbols: Collection[str], notes: _Notes) -> None:
    for prefix, what in _OTHERS.items():
        found = min((name for name in symbols if name.startswith(prefix)), default=None)
        if found is not None:
            notes.reasons.append(f"kernels of {what} are linked ({found}), not modelled here")


def _arm(build: BuildEvidence, notes: _Notes) -> Profile:
    core = _noted_core(build, notes)
    kernels = "reference"
    found = min((name for name in build.symbols if _CMSIS.match(name)), default=None)
    if found is not None:
        kernels = "cmsis-nn"
        notes.evidence.append(f"CMSIS-NN kernels, since {found} is linked")
    else:
        notes.evidence.append("reference kernels, since no CMSIS-NN function is linked")
        _doubt_inlined(build, notes)
    chosen = profile(_CORES[core], kernels)
    if build.arm_attributes.get(ENUM_SIZE) == INT_ENUMS:
        notes.evidence.append("int enumerations, by Tag_ABI_enum_size")
        return replace(chosen, sizes=struct_sizes("ilp32"))
    notes.evidence.append("packed enumerations, by Tag_ABI_enum_size")
    return chosen


def _doubt_inlined(build: BuildEvidence, notes: _Notes) -> None:
    """Note that functions not seen may have been inlined, where link-time optimisation was on."""
    if any(map(is_of_lto, build.symbols)):
        what = "link-time optimisation may have inlined the functions that tell the kernel set"
        notes.untold.append(what)


def core_class(build: BuildEvidence) -> str | None:
    """Return the CMSIS-NN class of an ARM image's core; None without build attributes."""
    attributes = build.arm_attributes
    if not attributes:
        return None
    architecture = attributes.get(CPU_ARCH)
    if attributes.get(MVE_ARCH):
        return MVE
    dsp = architecture in (_V8_M_MAIN, _V8_1_M_MAIN) and attributes.get(DSP_EXTENSION)
    return DSP if architecture == _V7E_M or dsp else PLAIN


def _noted_core(build: BuildEvidence, notes: _Notes) -> str:
    core, name = core_class(build), str(build.arm_attributes.get(CPU_NAME, "ARM core"))
    if core is None:
        notes.untold.append("the image has no ARM build attributes, so its core is not known")
    else:
        notes.evidence.append(f"{core} by the build attributes of {name}")
    return core or PLAIN


def _esp_or_reference(build: BuildEvidence, notes: _Notes) -> Profile:
    variants = {match[1] for name in build.symbols if (match := _ESP.match(name))}
    if len(variants) == 1:
        (variant,) = variants
        notes.evidence.append(f"ESP-NN {variant}, by its scratch size function")
        return _esp(variant, build)
    if any(_ESP_ANY.match(name) for name in build.symbols):
        notes.untold.append("ESP-NN is linked, but which variant of it is not told")
    else:
        notes.evidence.append("reference kernels, since no ESP-NN function is linked")
        _doubt_inlined(build, notes)
    return profile("riscv32", "reference")


def _esp(variant: str, build: BuildEvidence) -> Profile:
    chips = {"esp32s3": "esp32s3", "esp32p4": "esp32p4"}
    kernels = "esp-nn-ansi" if variant == "ansi" else "esp-nn"
    if build.esp_nn_version and kernels == "esp-nn":
        kernels += f"@{build.esp_nn_version}"
    return profile(chips.get(variant, build.chip or "esp32"), kernels)


def _with_sizes(chosen: Profile, build: BuildEvidence, notes: _Notes) -> Profile:
    """Return the profile with the sizes that debug information gives, if there is any."""
    known, unclear = measured_sizes(build.structs, chosen.sizes)
    if unclear:
        notes.reasons.append(f"debug information gives several sizes of {', '.join(unclear)}")
    if known:
        other = sum(chosen.sizes[row] != size for row, (size, _) in known.items())
        notes.evidence.append(
            f"{len(known)} structure sizes from debug information, {other} unlike {VERSION}"
        )
        return replace(chosen, sizes=chosen.sizes.replaced(known))
    notes.evidence.append(f"structure sizes of {VERSION}, since no debug information gives them")
    if any(_OLDER.match(name) for name in build.symbols):
        notes.reasons.append("an older runtime (SimpleMemoryAllocator), sizes not known")
    if any(_NEWER.match(name) for name in build.symbols):
        notes.reasons.append("a newer runtime (namespace tflite::micro), sizes not known")
    if any(_COMPRESSION.match(name) for name in build.symbols):
        notes.reasons.append("a runtime built with compression, sizes not known")
    return chosen


def _candidates(first: Profile, build: BuildEvidence, notes: _Notes) -> Iterator[Profile]:
    """Yield the best guess and what else the image may be."""
    guesses = [first]
    if first.core == MVE and first.variant == "cmsis-nn":
        notes.evidence.append("kernels for speed or for size: the image does not tell")
        guesses.append(replace(first, for_speed=False, name=f"{first.name}-size"))
    if first.version_matters:
        notes.evidence.append("the version of ESP-NN is not told")
        guesses += older_versions(first)
    yield from guesses
    if any(_RECORDING.match(name) for name in build.symbols):
        notes.evidence.append("the recording allocator is linked: it may be the one used")
        for guess in guesses:
            yield replace(guess, recording=True, name=f"{guess.name}, recording")
