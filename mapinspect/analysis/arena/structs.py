"""Sizes of the runtime's structures, by ABI: bytes and alignment.

``structs.json`` holds them as the compilers gave them (sizeof and alignof) for TFLM 90b983c2:
``arm`` = bare-metal ARM, enumerations packed; ``ilp32`` = 32-bit with int enumerations (ESP32
class, RISC-V, ARM with -fno-short-enums); ``x64``; ``x64-compression`` = x86-64 built with
USE_TFLM_COMPRESSION. Rows of kernels are named after the structure where it has a name of its
own, else after the kernel: ConvCm is the OpData of CMSIS-NN's convolution.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_SIZES = Path(__file__).with_name("structs.json")


@dataclass(frozen=True, slots=True)
class StructSizes:
    """Bytes and alignment of every structure under one ABI; ``pointer`` is in bytes too."""

    abi: str
    pointer: int
    sizes: Mapping[str, tuple[int, int]]

    def __getitem__(self, name: str) -> int:
        """Return the size of the structure ``name``, in bytes."""
        return self.sizes[name][0]

    def alignment(self, name: str) -> int:
        """Return the alignment of the structure ``name``, in bytes."""
        return self.sizes[name][1]

    def replaced(self, sizes: Mapping[str, tuple[int, int]]) -> "StructSizes":
        """Return a copy in which the structures of ``sizes`` have those bytes and alignments."""
        return StructSizes(self.abi, self.pointer, {**self.sizes, **sizes})


@cache
def struct_sizes(abi: str) -> StructSizes:
    """Return the sizes of ``abi``, one of the columns of ``structs.json``."""
    table = json.loads(_SIZES.read_text(encoding="utf-8"))
    sizes = {name: (row[abi][0], row[abi][1]) for name, row in table.items()}
    return StructSizes(abi=abi, pointer=8 if abi.startswith("x64") else 4, sizes=sizes)
