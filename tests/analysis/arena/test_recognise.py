"""Recognising a runtime build: from the evidence of real images, and from objects of our own."""

import json
import subprocess
from dataclasses import replace
from pathlib import Path
from shutil import which

import pytest

from mapinspect.analysis.arena.build_need import build_need
from mapinspect.analysis.arena.dwarf_structs import measured_sizes, wanted_structs
from mapinspect.analysis.arena.need import need
from mapinspect.analysis.arena.profile import profile
from mapinspect.analysis.arena.recognise import ProfileChoice, recognise
from mapinspect.analysis.arena.structs import struct_sizes
from mapinspect.model.arena import BuildEvidence, StructSize
from mapinspect.model.network import Network
from mapinspect.readers.elf import read_elf
from mapinspect.readers.tflite import read_network
from mapinspect.readers.tflite_evidence import build_evidence
from tests.model_builder import G, Op, write_model
from tests.single_operators import convolution, per_channel, tensor

RUNTIME = "_ZN6tflite16MicroInterpreterC1EPKNS_5ModelERKNS_15MicroOpResolverE"
M4 = {5: "7E-M", 6: 13, 26: 1}
M55 = {5: "cortex-m55", 6: 21, 26: 1, 46: 1, 48: 2}


def arm(attributes: dict[int, int | str], *symbols: str) -> BuildEvidence:
    return BuildEvidence("ARM", 32, attributes, (RUNTIME, *symbols))


def chosen(build: BuildEvidence) -> ProfileChoice:
    found = recognise(build)
    assert found is not None
    return found


def conv() -> Network:
    return read_network("m", convolution("CONV_2D", "INT8", "INT8"))


@pytest.mark.parametrize(
    ("attributes", "core"),
    [
        ({5: "Cortex-M0", 6: 11, 26: 1}, "plain C"),
        ({5: "7-M", 6: 10, 7: 77, 26: 1}, "plain C"),
        (M4, "DSP"),
        ({5: "8-M.MAIN", 6: 17, 26: 1}, "plain C"),
        ({5: "8-M.MAIN", 6: 17, 26: 1, 46: 1}, "DSP"),
        ({5: "8.1-M.MAIN", 6: 21, 26: 1, 46: 1}, "DSP"),
        (M55, "MVE"),
    ],
)
def test_the_core_follows_the_build_attributes(attributes: dict[int, int | str], core: str) -> None:
    assert chosen(arm(attributes, "arm_convolve_s8")).profiles[0].core == core


def test_the_kernel_set_follows_the_linked_functions() -> None:
    assert chosen(arm(M4)).profiles[0].variant == "reference"
    assert chosen(arm(M4, "arm_convolve_wrapper_s8")).profiles[0].variant == "cmsis-nn"


def test_int_enumerations_follow_the_build_attributes() -> None:
    assert chosen(arm(M4)).profiles[0].sizes["TfLiteTensor"] == 32
    assert chosen(arm({**M4, 26: 2})).profiles[0].sizes["TfLiteTensor"] == 40


def test_without_build_attributes_the_figure_is_no_exact_one() -> None:
    choice = chosen(arm({}))
    assert "no ARM build attributes" in choice.reasons[0]
    assert build_need(conv(), choice).enough is None


@pytest.mark.parametrize(
    ("function", "variant"),
    [
        ("esp_nn_get_conv_scratch_size_opt", "opt"),
        ("esp_nn_get_conv_scratch_size_esp32s3", "esp32s3"),
        ("esp_nn_get_depthwise_conv_scratch_size_esp32p4", "esp32p4"),
        ("esp_nn_get_softmax_scratch_size_ansi", "ansi"),
    ],
)
def test_the_esp_nn_variant_follows_its_scratch_size_function(function: str, variant: str) -> None:
    # Functions of other variants are linked as fall-backs and prove nothing.
    symbols = (RUNTIME, function, "esp_nn_conv_s8_ansi")
    build = BuildEvidence("XTENSA", 32, {}, symbols)
    assert chosen(build).profiles[0].variant == variant


def test_an_esp_nn_version_that_is_not_told_leaves_a_range() -> None:
    symbols = (RUNTIME, "esp_nn_get_conv_scratch_size_esp32s3")
    build = BuildEvidence("XTENSA", 32, {}, symbols)
    found = build_need(conv(), chosen(build))
    assert not found.exact
    assert found.enough is not None
    assert found.enough > found.smallest
    told = build_need(conv(), chosen(replace(build, esp_nn_version="1.2.3")))
    assert told.exact
    assert told.enough == told.smallest


def test_mve_leaves_kernels_for_speed_or_size_open() -> None:
    weights, bias = per_channel((8, 16), "INT8", 1), per_channel((8,), "INT32", 1, scale=0.005)
    tensors = [tensor((1, 16)), weights, bias, tensor((1, 8))]
    operator = Op("FULLY_CONNECTED", [0, 1, 2], [3], {}, "FullyConnectedOptions")
    dense = read_network("m", write_model(G(tensors, [operator], [0], [3])))
    choice = chosen(arm(M55, "arm_fully_connected_s8"))
    assert [entry.for_speed for entry in choice.profiles] == [True, False]
    sizes = {need(dense, entry).smallest for entry in choice.profiles}
    found = build_need(dense, choice)
    assert (found.smallest, found.enough) == (min(sizes), max(sizes))


def test_a_linked_recording_allocator_may_be_the_one_used() -> None:
    recording = "_ZN6tflite23RecordingMicroAllocatorC1EPNS_35RecordingSingleArenaBufferAllocatorE"
    choice = chosen(arm(M4, recording))
    assert [entry.recording for entry in choice.profiles] == [False, True]


@pytest.mark.parametrize("function", ["xa_nn_conv2d_per_chan_sym8sxasym8s", "mli_krn_conv2d"])
def test_a_kernel_library_without_rules_is_a_lower_bound(function: str) -> None:
    choice = chosen(BuildEvidence("XTENSA", 32, {}, (RUNTIME, function)))
    assert "not modelled here" in choice.reasons[0]
    assert build_need(conv(), choice).enough is None


def test_signal_operators_are_certain_where_their_library_is_linked() -> None:
    window = Op("CUSTOM", [0, 1], [2], custom="SignalWindow")
    tensors = [tensor((1, 480), "INT16"), tensor((480,), "INT16", data=960)]
    model = read_network(
        "m", write_model(G([*tensors, tensor((1, 480), "INT16")], [window], [0], [2]))
    )
    assert not build_need(model, chosen(arm(M4))).exact
    linked = "_ZN6tflite11tflm_signal15Register_WINDOWEv"
    assert build_need(model, chosen(arm(M4, linked))).exact


def test_resource_variables_cost_nothing_where_they_cannot_be_created() -> None:
    handle = Op("VAR_HANDLE", [], [0], {"container": "", "shared_name": "v"}, "VarHandleOptions")
    model = read_network("m", write_model(G([tensor((), "RESOURCE")], [handle])))
    create = "_ZN6tflite22MicroResourceVariables6CreateEPNS_14MicroAllocatorEi"
    without = build_need(model, chosen(arm(M4)))
    with_them = build_need(model, chosen(arm(M4, create)))
    # 12 bytes and one entry of 20, each rounded to 16.
    assert with_them.persistent - without.persistent == 16 + 32


def test_an_image_without_the_runtime_is_not_recognised() -> None:
    assert recognise(BuildEvidence("ARM", 32, M4, ("main", "arm_convolve_s8"))) is None


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("image", "target", "kernels"),
    [
        ("ref_m4", "cortex-m4", "reference"),
        ("cmsis_m4", "cortex-m4", "cmsis-nn"),
        ("cmsis_m55", "cortex-m55", "cmsis-nn"),
    ],
)
def test_real_images_are_recognised(shared: Path, image: str, target: str, kernels: str) -> None:
    evidence = json.loads((shared / "reference/tflm_elf_evidence.json").read_text())
    entry = evidence["images"][image]
    attributes = M55 if image == "cmsis_m55" else M4
    names = [name for name, _, _ in entry["symbols"]]
    first = chosen(BuildEvidence("ARM", 32, attributes, names)).profiles[0]
    wanted = profile(target, kernels)
    assert (first.variant, first.core, first.sizes.abi) == (
        wanted.variant,
        wanted.core,
        wanted.sizes.abi,
    )


@pytest.mark.corpus
def test_sizes_of_real_debug_information_are_those_of_the_table(shared: Path) -> None:
    evidence = json.loads((shared / "reference/tflm_elf_evidence.json").read_text())
    table = struct_sizes("arm")
    found = 0
    for file, structs in evidence["dwarf_structs_per_file"].items():
        unit = f"tensorflow/lite/micro/{file}".replace("kernels_cmsis_nn_", "kernels/cmsis_nn/")
        unit = unit.replace("kernels_", "kernels/")
        records = [StructSize(name, size, unit) for name, size in structs.items()]
        sizes, unclear = measured_sizes(records, table)
        assert unclear == ()
        for row, (size, _) in sizes.items():
            assert size == table[row], (file, row)
            found += 1
    assert found > 100
    names = {name for name, _ in wanted_structs()}
    assert {"OpData", "GreedyMemoryPlanner", "CmsisNnOpDataSvdf"} <= names


SOURCE = """
namespace tflite {
class Model; class MicroOpResolver;
struct OpDataConv { int field[14]; };
struct MicroAllocator { char field[SIZE]; };
namespace { struct OpData { int field[15]; }; }
struct MicroInterpreter { MicroInterpreter(const Model*, const MicroOpResolver&); int field; };
MicroInterpreter::MicroInterpreter(const Model*, const MicroOpResolver&) {
  static OpDataConv a; static MicroAllocator b; static OpData c;
  field = a.field[0] + b.field[0] + c.field[0];
}
}
extern "C" void arm_convolve_wrapper_s8() {}
extern "C" int _start() { return 0; }
"""


@pytest.mark.toolchain
@pytest.mark.parametrize("debug", [False, True], ids=["without DWARF", "with DWARF"])
def test_an_image_of_our_own_is_recognised(tmp_path: Path, debug: bool) -> None:
    compiler = which("arm-none-eabi-g++")
    if compiler is None:
        pytest.skip("needs arm-none-eabi-g++")
    folder = tmp_path / "cmsis_nn"
    folder.mkdir()
    (folder / "conv.cc").write_text(SOURCE.replace("SIZE", "40"))
    command = [compiler, "-mcpu=cortex-m4", "-mthumb", "-Os", "-nostdlib", "-ffreestanding"]
    command += ["-fno-exceptions", *(["-g"] if debug else []), "-o", "app.elf"]
    subprocess.run([*command, "cmsis_nn/conv.cc"], cwd=tmp_path, check=True)
    elf = read_elf("app.elf", (tmp_path / "app.elf").read_bytes())
    choice = chosen(build_evidence(elf, wanted_structs()))
    first = choice.profiles[0]
    assert (first.variant, first.core) == ("cmsis-nn", "DSP")
    # 40 bytes are what this image says; the table of August 2026 says 36.
    assert first.sizes["MicroAllocator"] == (40 if debug else 36)
    assert first.sizes["ConvCm"] == 60
    assert any("debug information" in line for line in choice.evidence)
