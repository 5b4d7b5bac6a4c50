"""What users of TensorFlow Lite Micro met on their boards, caught before: one test a symptom.

Each test is named after a public report's symptom and builds the smallest firmware that has it.
"""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from mapinspect.analysis.arena.fit import fit_part
from mapinspect.analysis.arena.image_need import target_need
from mapinspect.analysis.arena.log import explain
from mapinspect.cli.run import run
from mapinspect.model.arena import ArenaNeed
from mapinspect.model.finding import Status
from mapinspect.model.fit import FitVerdict
from mapinspect.model.inspection import Inspection
from mapinspect.readers.parts import read_part
from mapinspect.readers.tflite import read_network
from tests.elf_builder import STT_FUNC, ElfSectionSpec, ElfSymbolSpec, bss, data
from tests.embedding import (
    DENSE,
    FLASH,
    MODELS,
    QSPI,
    RAM,
    entry,
    image,
    inspect_elf,
    messages,
    outcomes,
    rodata,
)
from tests.model_builder import G, Op, T, write_model

ROOT = Path(__file__).parents[1]
KWS = MODELS / "kws_int8.tflite"


def need_of(model: bytes, target: str = "cortex-m4", kernels: str = "cmsis-nn") -> ArenaNeed:
    return target_need(read_network("net.tflite", model), target, kernels)


def with_arena(
    size: int, *, at: int = RAM + 0x1000, home: ElfSectionSpec | None = None
) -> Inspection:
    """The dense model with an arena of this size, its runtime built for a Cortex-M4."""
    room = home or bss(0x8000, RAM + 0x1000)
    arena = ElfSymbolSpec("tensor_arena", at, size, room.name)
    named = replace(entry(runtime="tflite-micro"), target="cortex-m4", kernels="cmsis-nn")
    return inspect_elf(image(rodata(DENSE), room, symbols=[arena]), [(named, DENSE)])


def status(facts: Inspection, check: str) -> Status:
    [outcome] = outcomes(facts, check)
    return outcome.status


def said(capsys: pytest.CaptureFixture[str], *words: str | Path) -> str:
    """What `mapinspect model KWS …` prints."""
    run(["model", str(KWS), *map(str, words)])
    return capsys.readouterr().out


# ---- what does the arena need


def test_the_arena_size_must_be_found_by_experiment(capsys: pytest.CaptureFixture[str]) -> None:
    """The line to paste: no run on the device is needed."""
    assert "constexpr int kTensorArenaSize = " in said(capsys)


def test_which_operators_must_be_registered_is_not_known(
    capsys: pytest.CaptureFixture[str],
) -> None:
    codes = {op.code for op in read_network("m", KWS.read_bytes()).subgraphs[0].operators}
    assert all(code in said(capsys) for code in codes)


def test_arena_used_bytes_is_too_small_to_be_the_size() -> None:
    """What the runtime uses in the end is less than it needs to start: planning takes more."""
    need = need_of(DENSE)
    used = need.nonpersistent + need.persistent
    assert used < need.smallest
    assert status(with_arena(used), "arena-too-small") is Status.BROKEN


def test_one_step_below_the_need_fails_and_the_need_works() -> None:
    enough = -(-need_of(DENSE).smallest // 16) * 16
    assert status(with_arena(enough), "arena-too-small") is Status.HOLDS
    assert status(with_arena(enough - 16), "arena-too-small") is Status.BROKEN


def test_the_size_that_suffices_on_the_device_fails_on_a_64_bit_host() -> None:
    assert need_of(DENSE, "x86-64", "reference").persistent > need_of(DENSE).persistent


def test_a_small_model_needs_a_huge_arena_because_of_its_first_layer() -> None:
    """Conv on 96 x 96: 73,728 + 36,864 bytes of activations for 160 bytes of parameters."""
    tensors = [
        T([1, 96, 96, 4], "INT8", scales=[1.0], zero_points=[0]),
        T([8, 1, 1, 4], "INT8", data=bytes(32), scales=[1.0] * 8, zero_points=[0] * 8),
        T([8], "INT32", data=bytes(32), scales=[1.0] * 8, zero_points=[0] * 8),
        T([1, 96, 96, 8], "INT8", scales=[1.0], zero_points=[0]),
    ]
    options = {"padding": 1, "stride_w": 1, "stride_h": 1}
    conv = Op("CONV_2D", [0, 1, 2], [3], options, "Conv2DOptions")
    model = write_model(G(tensors, [conv], [0], [3]))
    assert need_of(model).nonpersistent >= 96 * 96 * 4 + 96 * 96 * 8


def test_a_home_made_estimate_counts_weights_into_the_arena() -> None:
    """Constants stay in Flash. By hand: 64 bytes in, 8 out, rounded up to 16."""
    tensors = [T([1, 64], "INT8"), T([8, 64], "INT8", data=bytes(512)), T([1, 8], "INT8")]
    dense = Op("FULLY_CONNECTED", [0, 1, -1], [2], table="FullyConnectedOptions")
    assert need_of(write_model(G(tensors, [dense], [0], [2]))).nonpersistent == 64 + 16


def test_a_rule_of_thumb_is_wanted(capsys: pytest.CaptureFixture[str]) -> None:
    text = said(capsys)
    assert "largest tensor" in text
    assert "im2col" in text


def test_the_input_tensor_has_another_size_than_the_code_assumes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    report = json.loads(said(capsys, "--format", "json"))
    model = report["models"][0] if "models" in report else report
    graph = read_network("m", KWS.read_bytes()).subgraphs[0]
    expected = graph.tensors[graph.inputs[0]]
    assert any(
        item["name"] == expected.name and item["bytes"] == expected.bytes
        for item in model["tensors"]
    )


# ---- what the runtime prints


@pytest.mark.parametrize(
    ("line", "words"),
    [
        pytest.param(
            "Failed to allocate temp memory. Requested: 64, available 12, missing: 52",
            "more than the",
            id="failed to allocate temp memory, with odd numbers",
        ),
        pytest.param(
            "Failed to resize buffer. Requested: 26496, available 23656, missing: 2840",
            "another model, kernel set or version",
            id="failed to resize buffer after a change of the runtime",
        ),
        pytest.param(
            "Arena size is too small for all buffers. Needed 212064 but only 191120 was available.",
            "another model, kernel set or version",
            id="arena size is too small for all buffers",
        ),
        pytest.param("12 bytes lost due to alignment", "multiple of 16", id="12 bytes lost"),
        pytest.param(
            "Didn't find op for builtin opcode 'SVDF' version '3'",
            "did not register",
            id="did not find op for builtin opcode",
        ),
        pytest.param(
            "Scratch buffer request exceeds limit per operator (12)",
            "more than 12 scratch buffers",
            id="too many scratch buffers for one operator",
        ),
    ],
)
def test_a_message_on_the_console_is_not_understood(line: str, words: str) -> None:
    [note] = explain([line], need_of(DENSE))
    assert words in note.meaning


# ---- where things lie


def test_the_model_array_is_not_aligned_and_faults() -> None:
    facts = inspect_elf(image(rodata(bytes(6) + DENSE)), [(entry(), DENSE)])
    assert status(facts, "weights-misaligned") is Status.BROKEN


def test_the_model_array_lacks_const_and_is_copied_to_ram() -> None:
    facts = inspect_elf(image(data(DENSE, RAM, FLASH + 0x2000)))
    assert status(facts, "weights-not-in-flash") is Status.BROKEN


def test_a_flatbuffer_in_flash_faults_and_works_in_ram() -> None:
    """The section and the address say why: 4 bytes past a multiple of 16."""
    facts = inspect_elf(image(rodata(bytes(4) + DENSE)))
    [message] = messages(facts, "weights-misaligned")
    assert "4 bytes past a multiple of 16" in message


def test_an_arena_that_is_not_aligned_breaks_kernels() -> None:
    [message] = messages(with_arena(0x2000, at=RAM + 0x1004), "arena-misplaced")
    assert "aligned to 4 bytes, not 16" in message


def test_bytes_of_the_arena_are_lost_due_to_alignment() -> None:
    [message] = messages(with_arena(0x2000, at=RAM + 0x1004), "arena-misplaced")
    assert "12 bytes are lost" in message


def test_a_heap_arena_has_no_size_in_the_image() -> None:
    facts = with_arena(4)
    assert status(facts, "arena-too-small") is Status.UNDECIDED
    assert "pointer" in messages(facts, "arena-misplaced")[0]


def test_an_arena_in_external_ram_costs_no_flash() -> None:
    """NOBITS in a section of external memory is fine where the table calls it RAM."""
    room = bss(0x8000, QSPI, ".ext_ram.bss")
    facts = with_arena(0x2000, at=QSPI, home=room)
    [arena] = facts.arenas
    assert arena.place is not None
    assert (arena.place.region, arena.place.load_region) == ("QSPI", None)


def test_a_static_arena_overflows_the_ram_of_the_part(capsys: pytest.CaptureFixture[str]) -> None:
    """A larger arena does not link: that of the float model, on a part with 48 KiB."""
    big = MODELS / "kws_float32.tflite"
    assert run(["fit", str(big), "--mcu", "GD32F303xC"]) == 1
    assert "does not fit" in capsys.readouterr().out


@pytest.mark.parametrize("case", ["flash-overflow", "ram-overflow-link-fails"])
def test_rodata_overflows_flash_and_bss_overflows_ram(
    case: str, capsys: pytest.CaptureFixture[str]
) -> None:
    config = ROOT / "fixtures" / "built" / case / "mapinspect.toml"
    assert run(["check", "--config", str(config)]) == 1
    assert "region-over-budget" in capsys.readouterr().out


def test_an_operator_is_not_registered() -> None:
    names = ("_ZN6tflite16MicroInterpreter6InvokeEv", "_ZN6tflite24Register_FULLY_CONNECTEDEv")
    symbols = [ElfSymbolSpec(name, FLASH, 2, ".text", STT_FUNC) for name in names]
    facts = inspect_elf(image(rodata(DENSE), symbols=symbols))
    [message] = messages(facts, "operators-missing")
    assert "SOFTMAX" in message
    assert "FULLY_CONNECTED" not in message


# ---- other tools and other runtimes


def test_the_total_of_the_recording_allocator_is_insufficient() -> None:
    """It counts what stays allocated; while the runtime plans, it holds more."""
    need = need_of(DENSE, "x86-64", "reference")
    assert need.nonpersistent + need.persistent < need.smallest


def test_a_tool_says_that_it_fits_and_the_link_overflows_one_memory() -> None:
    """RAM in total is enough, the one bank is not: 96 KiB + 32 KiB hold no array of 112 KiB."""
    part = read_part("STM32L476RE")
    banks = [bank.span.size for bank in part.banks if bank.kind == "ram"]
    shape = [1, 112, 512, 1]  # one tensor in, one out: 2 x 56 KiB at one time
    options = {"padding": 1, "stride_w": 1, "stride_h": 1, "filter_width": 1, "filter_height": 1}
    pool = Op("MAX_POOL_2D", [0], [1], options, "Pool2DOptions")
    model = write_model(G([T(shape, "INT8"), T(shape, "INT8")], [pool], [0], [1]))
    need = need_of(model)
    assert max(banks) < need.smallest < sum(banks)
    assert fit_part(read_network("net.tflite", model), need, part).verdict is FitVerdict.NO


def test_the_scratch_of_an_operator_is_too_small() -> None:
    """im2col of a 3 x 3 kernel on 4 channels, CMSIS-NN with DSP: 4 x up(4 x 9, 4) bytes."""
    tensors = [
        T([1, 8, 8, 4], "INT8", scales=[1.0], zero_points=[0]),
        T([8, 3, 3, 4], "INT8", data=bytes(288), scales=[1.0] * 8, zero_points=[0] * 8),
        T([8], "INT32", data=bytes(32), scales=[1.0] * 8, zero_points=[0] * 8),
        T([1, 8, 8, 8], "INT8", scales=[1.0], zero_points=[0]),
    ]
    options = {"padding": 0, "stride_w": 1, "stride_h": 1}
    conv = Op("CONV_2D", [0, 1, 2], [3], options, "Conv2DOptions")
    need = need_of(write_model(G(tensors, [conv], [0], [3])))
    scratch = [item for item in need.plan.buffers if item.tensor is None]
    assert [item.size for item in scratch] == [4 * 36]


def test_the_runtime_for_phones_and_the_one_for_microcontrollers_need_different_arenas(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The report says what each byte is for, and for which build the figure holds."""
    text = said(capsys, "--target", "cortex-m4", "--kernels", "reference")
    assert "arena      cortex-m4, reference kernels" in text
    assert "kept as long as the model runs" in text
