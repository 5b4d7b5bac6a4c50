"""C code as generators write it from a model: weights in arrays of their own, no .tflite.

The conventions are those of Edge Impulse's EON compiler (a constant array for each tensor, local
to a file `*_compiled.cpp`, the arena `tensor_arena`) and of X-CUBE-AI (all weights in one array
of 64-bit words, activations in `pool0`). The code is our own and runs nothing.
"""

import struct

from mapinspect.model.network import Network, Tensor
from mapinspect.readers.tflite import read_network

LEAST = 16  # bytes of a tensor that is worth a search


def stored(network: Network) -> list[Tensor]:
    """The constant tensors in file order, each once."""
    found = {
        (tensor.data_offset, tensor.data_size): tensor
        for graph in network.subgraphs
        for tensor in graph.tensors
        if tensor.data_size
    }
    return [found[key] for key in sorted(found)]


def eon(model: bytes, *, const: bool = True, skip: int = -1) -> str:
    """`net_compiled.cpp`: an array for each constant tensor, but number ``skip``."""
    lines = ["#include <stdint.h>", "namespace {", "constexpr int kTensorArenaSize = 2048;"]
    lines.append("alignas(16) uint8_t tensor_arena[kTensorArenaSize];")
    word = "const " if const else ""
    names = []
    for number, tensor in enumerate(stored(read_network("net.tflite", model))):
        if number == skip:
            continue
        content = model[tensor.data_offset : tensor.data_offset + tensor.data_size]
        octets = ", ".join(map(str, content))
        lines.append(
            f"alignas(16) {word}uint8_t tensor_data{number}[{len(content)}] = {{{octets}}};"
        )
        names.append(f"tensor_data{number}")
    lines.append("}")
    lines.append("const void *volatile seen;")
    lines.append('extern "C" void _start() {')
    lines += [f"  seen = {name};" for name in [*names, "tensor_arena"]]
    return "\n".join([*lines, "}"]) + "\n"


def cube(model: bytes) -> str:
    """`network_data_params.c`: all weights in one array of words, activations in `pool0`."""
    tensors = stored(read_network("net.tflite", model))
    content = b"".join(
        model[item.data_offset : item.data_offset + item.data_size].ljust(
            -(-item.data_size // 8) * 8, b"\0"
        )
        for item in tensors
    )
    words = ", ".join(f"{word:#018x}ULL" for (word,) in struct.iter_unpack("<Q", content))
    return f"""#include <stdint.h>
#define AI_ALIGNED(n) __attribute__((aligned(n)))
AI_ALIGNED(32) const uint64_t s_network_weights_array_u64[{len(content) // 8}] = {{{words}}};
AI_ALIGNED(32) static uint8_t pool0[2048];
AI_ALIGNED(32) static uint8_t data_in_1[64];
const void *volatile seen;
void _start(void) {{
  seen = s_network_weights_array_u64;
  seen = pool0;
  seen = data_in_1;
}}
"""
