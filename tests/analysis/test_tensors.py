"""Weights without a .tflite in the image: each tensor is found in generated, compiled C."""

import random
import subprocess
from pathlib import Path

import pytest

from mapinspect.model.finding import Status
from mapinspect.model.inspection import Inspection
from mapinspect.needs import recognised_in
from mapinspect.readers.budget.reader import read_budget
from mapinspect.readers.elf import read_elf
from mapinspect.readers.gnu_map import read_map
from mapinspect.readers.parts import read_part
from mapinspect.readers.tflite import read_network
from tests.elf_builder import ElfSymbolSpec, data
from tests.embedding import (
    DENSE,
    FLASH,
    QSPI,
    RAM,
    entry,
    image,
    inspect_elf,
    messages,
    outcomes,
    rodata,
)
from tests.generated_code import LEAST, cube, eon, stored
from tests.model_builder import G, Op, T, write_model
from tests.tools import need

CONSTANTS = stored(read_network("net.tflite", DENSE))


def compiled(folder: Path, name: str, source: str, model: bytes = DENSE) -> Inspection:
    """Compile and link generated code, and look for the model in the image."""
    need("arm-none-eabi-g++")
    (folder / name).write_text(source)
    subprocess.run(
        ["arm-none-eabi-gcc", "-c", "-O1", "-mcpu=cortex-m4", "-mthumb", "-ffreestanding",
         "-o", f"{name}.o", name],
        cwd=folder, check=True,
    )  # fmt: skip
    subprocess.run(
        ["arm-none-eabi-gcc", "-nostdlib", "-Wl,-Ttext=0x08000000", "-Wl,-Tdata=0x20000000",
         "-Wl,-Map=app.map", "-o", "app.elf", f"{name}.o"],
        cwd=folder, check=True,
    )  # fmt: skip
    elf = read_elf("app.elf", (folder / "app.elf").read_bytes())
    link_map = read_map("app.map", (folder / "app.map").read_bytes())
    recognised = recognised_in(elf, link_map, ())
    return inspect_elf(elf, [(entry(), model)], recognised=recognised)


def symbol_addresses(folder: Path) -> dict[str, int]:
    """What nm says: address by name, the C++ scope taken away."""
    lines = subprocess.run(
        ["arm-none-eabi-nm", "-C", "app.elf"],
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.splitlines()
    rows = (line.split(maxsplit=2) for line in lines)
    return {row[2].rsplit("::", 1)[-1]: int(row[0], 16) for row in rows if len(row) == 3}


def test_every_tensor_of_eon_code_is_found_at_its_array(tmp_path: Path) -> None:
    facts = compiled(tmp_path, "net_compiled.cpp", eon(DENSE))
    names = symbol_addresses(tmp_path)
    found = {
        tensor.offset: [place.span.start for place in tensor.places]
        for tensor in facts.models[0].tensors
    }
    for number, tensor in enumerate(CONSTANTS):
        if tensor.data_offset in found:
            assert names[f"tensor_data{number}"] in found[tensor.data_offset]
    large = {tensor.data_offset for tensor in CONSTANTS if tensor.data_size >= LEAST}
    assert large == set(found)
    assert outcomes(facts, "weights-missing")[0].status is Status.HOLDS
    assert outcomes(facts, "embedded-model-differs")[0].status is Status.NOT_CLAIMED
    assert outcomes(facts, "weights-scattered")[0].status is Status.HOLDS
    said = [item.sentence() for item in facts.recognised if item.role == "weights"]
    assert any("Edge Impulse (EON) because" in sentence for sentence in said)


def test_weights_of_eon_code_without_const_are_a_defect(tmp_path: Path) -> None:
    facts = compiled(tmp_path, "net_compiled.cpp", eon(DENSE, const=False))
    assert {item.status for item in outcomes(facts, "weights-not-in-flash")} == {Status.BROKEN}


def test_a_tensor_that_is_nowhere_leaves_the_model_undecided(tmp_path: Path) -> None:
    number = max(range(len(CONSTANTS)), key=lambda n: CONSTANTS[n].data_size)
    facts = compiled(tmp_path, "net_compiled.cpp", eon(DENSE, skip=number))
    assert outcomes(facts, "weights-missing")[0].status is Status.UNDECIDED
    assert [tensor.offset for tensor in facts.models[0].absent] == [CONSTANTS[number].data_offset]


def test_tensors_inside_one_array_of_x_cube_ai_are_found(tmp_path: Path) -> None:
    facts = compiled(tmp_path, "network_data_params.c", cube(DENSE))
    names = symbol_addresses(tmp_path)
    [model] = facts.models
    assert {part.name for part in model.parts} == {"s_network_weights_array_u64"}
    at, expected = names["s_network_weights_array_u64"], {}
    for tensor in CONSTANTS:
        expected[tensor.data_offset] = at
        at += -(-tensor.data_size // 8) * 8
    assert {item.offset: item.places[0].span.start for item in model.tensors} == {
        offset: expected[offset] for offset in (item.offset for item in model.tensors)
    }
    assert [place.name for place in facts.arenas[0].candidates] == ["pool0"]
    assert outcomes(facts, "weights-missing")[0].status is Status.HOLDS


def test_tensors_of_another_model_are_not_found(tmp_path: Path) -> None:
    facts = compiled(tmp_path, "net_compiled.cpp", eon(DENSE), two_layers(1))
    assert outcomes(facts, "weights-missing")[0].status is Status.BROKEN


def noise(seed: int, size: int) -> bytes:
    return random.Random(seed).randbytes(size)


def two_layers(seed: int) -> bytes:
    """An SVDF layer, which has two tensors of weights, and a dense one."""
    tensors = [
        T([1, 64], "INT8"),
        T([8, 64], "INT8", data=noise(seed, 512)),
        T([8, 8], "INT16", data=noise(seed + 1, 128)),
        T([1, 64], "INT16", variable=True),
        T([1, 8], "INT8"),
        T([16, 8], "INT8", data=noise(seed + 2, 128)),
        T([1, 16], "INT8"),
    ]
    operators = [
        Op("SVDF", [0, 1, 2, -1, 3], [4], table="SVDFOptions", options={"rank": 1}),
        Op("FULLY_CONNECTED", [4, 5, -1], [6], table="FullyConnectedOptions"),
    ]
    return write_model(G(tensors, operators, [0], [6]))


def arrays(*order: int, apart: bool = False) -> Inspection:
    """The weights of the two layers as arrays in this order; the second one in external Flash."""
    pieces = [noise(1, 512), noise(2, 128), noise(3, 128)]
    chosen = [pieces[number] for number in order]
    if apart:
        sections = [rodata(chosen[0] + chosen[2]), rodata(chosen[1], QSPI, ".ext")]
    else:
        sections = [rodata(b"".join(chosen))]
    return inspect_elf(image(*sections), [(entry(), two_layers(1))])


@pytest.mark.parametrize(
    ("facts", "status"),
    [
        pytest.param(lambda: arrays(0, 1, 2), Status.HOLDS, id="layer after layer"),
        pytest.param(lambda: arrays(2, 1, 0), Status.HOLDS, id="in another order"),
        pytest.param(lambda: arrays(0, 2, 1), Status.BROKEN, id="another layer's between"),
        pytest.param(lambda: arrays(0, 1, 2, apart=True), Status.BROKEN, id="in two memories"),
    ],
)
def test_the_weights_of_a_layer_lie_together(facts: object, status: Status) -> None:
    [outcome] = outcomes(facts(), "weights-scattered")
    assert outcome.status is status


def test_tensors_inside_a_copy_have_addresses() -> None:
    facts = inspect_elf(image(rodata(bytes(16) + DENSE)), [(entry(), DENSE)])
    for tensor in facts.models[0].tensors:
        assert tensor.places[0].span.start == FLASH + 0x1010 + tensor.offset


@pytest.mark.parametrize(
    ("size", "words"),
    [
        pytest.param(0x40000 - 0x1000, [], id="up to the last fast byte"),
        pytest.param(0x40000 - 0x1000 + 16, ["16 of the "], id="16 bytes beyond"),
        pytest.param(0x80010, ["more than 524288"], id="more than 512 KiB"),
    ],
)
def test_weights_behind_the_fast_flash_of_a_gd32f303_warn(size: int, words: list[str]) -> None:
    home = rodata(DENSE.ljust(size, b"\0"))
    symbol = ElfSymbolSpec("g_model", home.vma, size, ".rodata")
    elf = image(home, symbols=[symbol])
    facts = inspect_elf(elf, part=read_part("GD32F303xE"))
    found = messages(facts, "weights-slow")
    assert len(found) == len(words)
    assert all(word in text for word, text in zip(words, found, strict=True))


def test_weights_that_are_in_flash_and_in_ram_are_both_judged() -> None:
    """A const array in one file, the same without const in another: the program reads either."""
    weights = noise(1, 512) + noise(2, 128) + noise(3, 128)
    flash = rodata(weights)
    ram = data(weights, RAM, FLASH + 0x4000)
    facts = inspect_elf(image(flash, ram), [(entry(), two_layers(1))])
    found = {outcome.status for outcome in outcomes(facts, "weights-not-in-flash")}
    assert found == {Status.HOLDS, Status.BROKEN}


@pytest.mark.parametrize(
    ("also", "expected"),
    [
        pytest.param(slice(0, 512), ["cached (512 bytes of weights)"], id="a layer"),
        pytest.param(slice(0, 511), [], id="less than the tensor"),
        pytest.param(slice(512, 640), [], id="what is too small to be told from chance"),
    ],
)
def test_a_layer_in_ram_besides_the_whole_model_is_told(also: slice, expected: list[str]) -> None:
    weights = noise(1, 512) + noise(2, 128) + noise(3, 128)
    model = two_layers(1)
    assert model.count(weights[:512]) == 1
    held = weights[also]
    symbols = [ElfSymbolSpec("cached", RAM, len(held), section=".data")]
    elf = image(rodata(model), data(held, RAM, FLASH + 0x4000), symbols=symbols)
    found = messages(inspect_elf(elf, [(entry(), model)]), "weights-not-in-flash")
    assert len(found) == len(expected)
    assert all(text in said for text, said in zip(expected, found, strict=True))


@pytest.mark.parametrize(
    ("strategy", "expected"),
    [
        pytest.param("copied", [], id="declared"),
        pytest.param("xip", [Status.BROKEN], id="declared to stay in Flash"),
    ],
)
def test_a_hot_layer_may_be_copied_on_purpose(strategy: str, expected: list[Status]) -> None:
    """The array holds the layer's weights and 32 bytes more."""
    model = two_layers(1)
    held = noise(1, 512) + noise(9, 32)
    symbols = [ElfSymbolSpec("cached", RAM, len(held), section=".data")]
    elf = image(rodata(model), data(held, RAM, FLASH + 0x4000), symbols=symbols)
    row = f"[[placement]]\nid = 'hot'\nmatch = {{ symbol = 'cached' }}\nstrategy = '{strategy}'\n"
    table = read_budget("b.toml", f"version = 1\n{row}".encode())
    found = outcomes(inspect_elf(elf, [(entry(), model)], table=table), "weights-not-in-flash")
    assert [item.status for item in found if item.status is Status.BROKEN] == expected
