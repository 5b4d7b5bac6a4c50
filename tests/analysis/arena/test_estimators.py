"""Rules of thumb against the worked numbers of the chapters they come from (concepts.md, 2)."""

import pytest

from mapinspect.analysis.arena.cost import cost
from mapinspect.analysis.arena.estimators import estimates, gates, im2col, runtime_overhead
from mapinspect.analysis.arena.profile import profile
from mapinspect.model.layer import Estimate
from mapinspect.model.network import Network
from mapinspect.readers.parts import read_part
from mapinspect.readers.source import SourceFile
from mapinspect.readers.tflite_sketch import read_sketch

# The two-conv CNN that chapter 001 calls feasible on a GD32F303.
TWO_CONV = """operator,output,kernel
INPUT,1x32x32x1,
CONV_2D,1x32x32x16,3x3
CONV_2D,1x32x32x32,3x3
FULLY_CONNECTED,1x128,
FULLY_CONNECTED,1x2,
"""


def sketch(rows: str, ending: str = "csv") -> Network:
    return read_sketch(SourceFile(f"table.{ending}", rows.encode()))


def by_name(network: Network) -> dict[str, Estimate]:
    return {estimate.name: estimate for estimate in estimates(network)}


@pytest.mark.parametrize(
    ("layer", "shape", "kernel", "parameters"),
    [
        ("CONV_2D", ("1x8x8x32", "1x8x8x64"), "3x3", 18_432 + 64),
        ("CONV_2D", ("1x32x32x1", "1x32x32x16"), "3x3", 160),
        ("CONV_2D", ("1x32x32x16", "1x32x32x32"), "3x3", 4_640),
        ("DEPTHWISE_CONV_2D", ("1x8x8x16", "1x8x8x16"), "3x3", 3 * 3 * 16 + 16),
        ("FULLY_CONNECTED", ("1x32x32x32", "1x128"), "", 4_194_432),
    ],
)
def test_parameters_of_a_layer(
    layer: str, shape: tuple[str, str], kernel: str, parameters: int
) -> None:
    rows = f"operator,output,kernel\nINPUT,{shape[0]},\n{layer},{shape[1]},{kernel}\n"
    (row,) = cost(sketch(rows), profile("cortex-m4")).layers
    assert row.parameters == parameters


@pytest.mark.parametrize(
    ("shape", "kind", "size"),
    [("1x96x96x16", "INT8", 147_456), ("1x112x112x32", "FLOAT32", 1_605_632)],
)
def test_largest_tensor(shape: str, kind: str, size: int) -> None:
    found = by_name(sketch(f"operator,output,type\nINPUT,{shape},{kind}\n"))
    assert (found["largest tensor"].low, found["largest tensor"].high) == (size, size)


def test_double_buffering() -> None:
    # 10x40x16 = 6,400 B of the first layer's output, twice.
    rows = "operator,output,kernel\nINPUT,1x10x40x1,\nCONV_2D,1x10x40x16,3x3\n"
    assert by_name(sketch(rows))["double buffering"].high == 12_800


def test_im2col() -> None:
    assert im2col((3, 3), 16, 32 * 32, 1) == 147_456
    assert im2col((1, 1), 16, 32 * 32, 1) == 16_384
    found = by_name(sketch(TWO_CONV))["im2col"]
    assert (found.low, found.high) == (147_456, 147_456)


def test_recurrent_gates() -> None:
    assert gates(49, 128, 3) == 18_816


def test_runtime_overhead_of_twenty_tensors() -> None:
    found = runtime_overhead(20)
    assert (found.low, found.high) == (23_600, 25_600)


def test_the_two_conv_network_needs_all_memory_of_a_gd32f303_before_anything_else() -> None:
    found = cost(sketch(TWO_CONV), profile("cortex-m4", "reference"))
    ram = read_part("GD32F303xC").total("ram")
    # 16,384 + 32,768 while the second convolution runs: all of 48 KiB.
    assert found.peak.bound == 49_152 == ram
    assert by_name(found.network)["input + output"].high == 49_152
    assert found.need.smallest > ram
    assert not found.need.exact
    assert found.complete
