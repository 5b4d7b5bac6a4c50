"""Arena memory of the runtime's signal library: audio front ends as custom operators.

Source: ARENA.md; signal/micro/kernels of TFLM 90b983c2. Transforms are
KissFFT's, whose state is counted by its own allocation rule.
"""

from collections.abc import Callable
from dataclasses import replace

from mapinspect.analysis.arena.kernels.node import KernelMemory, Node, dimension, elements

# Bytes of a real number by the library's option T, a tensor type of the schema.
_REAL_BYTES = {0: 4, 2: 4, 7: 2}  # FLOAT32, INT32, INT16
_FFT_FACTORS = 2 * 32  # KissFFT MAXFACTORS pairs of int


def fft_state(node: Node, length: int, real: int) -> int:
    """Return the bytes of KissFFT's state for a real transform of ``length`` points."""
    half, complex_bytes = length // 2, 2 * real
    complex_state = 4 * (2 + _FFT_FACTORS) + complex_bytes * half
    return 3 * node.profile.sizes.pointer + complex_state + complex_bytes * (half * 3 // 2)


def ring_buffer(node: Node, capacity: int) -> int:
    """Return the bytes of a ring buffer of ``capacity`` int16 values, each stored twice."""
    return node.profile.sizes["CircularBuffer"] + 4 * capacity


def _outer(node: Node, inner: int) -> int:
    count = elements(node.input(0))
    return count // inner if inner > 0 else 0


def _record(node: Node, memory: KernelMemory, name: str, *more: int) -> KernelMemory:
    return replace(memory, records=(node.profile.sizes[f"Signal{name}Params"], *more))


def _rings(node: Node, outer: int, capacity: int) -> tuple[int, ...]:
    pointers = outer * node.profile.sizes.pointer
    return (pointers, pointers, *(ring_buffer(node, capacity),) * outer)


def _transform(node: Node, memory: KernelMemory, name: str) -> KernelMemory:
    length = node.number("fft_length")
    real = _REAL_BYTES.get(node.number("T"), 4)
    result = _record(node, memory, name, fft_state(node, length, real))
    return replace(result, scratch=(length * real,)) if name == "Rfft" else result


def rfft(node: Node, memory: KernelMemory) -> KernelMemory:
    """SignalRfft: the transform's state and a zero-padded copy of its input."""
    return _transform(node, memory, "Rfft")


def irfft(node: Node, memory: KernelMemory) -> KernelMemory:
    """SignalIrfft: the transform's state."""
    return _transform(node, memory, "Irfft")


def filter_bank(node: Node, memory: KernelMemory) -> KernelMemory:
    """SignalFilterBank: a 64-bit sum per channel and one more."""
    return _record(node, memory, "FilterBank", 8 * (node.number("num_channels") + 1))


def spectral_subtraction(node: Node, memory: KernelMemory) -> KernelMemory:
    """SignalFilterBankSpectralSubtraction: the noise estimate of every channel."""
    return _record(node, memory, "SpectralSubtraction", 4 * node.number("num_channels"))


def stacker(node: Node, memory: KernelMemory) -> KernelMemory:
    """SignalStacker: a ring buffer of all frames it stacks."""
    frames = node.number("stacker_left_context") + node.number("stacker_right_context") + 1
    return _record(node, memory, "Stacker", ring_buffer(node, node.number("num_channels") * frames))


def framer(node: Node, memory: KernelMemory) -> KernelMemory:
    """SignalFramer: a ring buffer per outer element, in whole frame steps."""
    step = max(node.number("frame_step"), 1)
    capacity = -(-node.number("frame_size") // step) * step
    outer = _outer(node, dimension(node.input(0), -1))
    return replace(_record(node, memory, "Framer"), persistent=_rings(node, outer, capacity))


def delay(node: Node, memory: KernelMemory) -> KernelMemory:
    """SignalDelay: a ring buffer per outer element."""
    frame = dimension(node.input(0), -1)
    capacity = frame + node.number("delay_length")
    return replace(
        _record(node, memory, "Delay"), persistent=_rings(node, _outer(node, frame), capacity)
    )


def overlap_add(node: Node, memory: KernelMemory) -> KernelMemory:
    """SignalOverlapAdd: a frame of state per outer element."""
    frame = dimension(node.input(0), -1)
    outer = _outer(node, frame * dimension(node.input(0), -2))
    state = frame * _REAL_BYTES.get(node.number("T"), 4)
    pointers = outer * node.profile.sizes.pointer
    return replace(_record(node, memory, "OverlapAdd"), persistent=(pointers, *(state,) * outer))


def _plain(name: str) -> Callable[[Node, KernelMemory], KernelMemory]:
    return lambda node, memory: _record(node, memory, name)


def _nothing(node: Node, memory: KernelMemory) -> KernelMemory:
    del node
    return memory


RULES: dict[str, Callable[[Node, KernelMemory], KernelMemory]] = {
    "SignalDelay": delay,
    "SignalEnergy": _plain("Energy"),
    "SignalFftAutoScale": _nothing,
    "SignalFilterBank": filter_bank,
    "SignalFilterBankLog": _plain("FilterBankLog"),
    "SignalFilterBankSpectralSubtraction": spectral_subtraction,
    "SignalFilterBankSquareRoot": _nothing,
    "SignalFramer": framer,
    "SignalIrfft": irfft,
    "SignalOverlapAdd": overlap_add,
    "SignalPCAN": _plain("Pcan"),
    "SignalRfft": rfft,
    "SignalStacker": stacker,
    "SignalWindow": _plain("Window"),
}
