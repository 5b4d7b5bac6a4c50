"""Operators of the models against the kernels registered, in images linked on the spot.

The firmware is ours: functions and classes that only bear the names of TensorFlow Lite Micro's,
an object file for each kernel. Bytes are those that `size` counts in each object.
"""

import subprocess
from pathlib import Path

import pytest

from mapinspect.model.finding import Status
from mapinspect.model.inspection import Inspection
from mapinspect.model.operators import Kernels
from mapinspect.readers.elf import read_elf
from mapinspect.readers.gnu_map import read_map
from tests.elf_builder import STT_FUNC, ElfSymbolSpec
from tests.embedding import DENSE, FLASH, entry, image, inspect_elf, messages, outcomes, rodata
from tests.model_builder import G, Op, T, write_model
from tests.single_operators import convolution, transpose_conv
from tests.tools import need

KERNEL = """
namespace tflite {
static int Eval%(name)s(int *at) { int sum = 0; while (*at) sum += *at++ * %(size)d; return sum; }
int Register_%(name)s() { int some[%(size)d] = {0}; return Eval%(name)s(some); }
}
"""
MAIN = """
namespace tflite {
class MicroInterpreter { public: void Invoke(); };
void MicroInterpreter::Invoke() {}
%(declared)s
}
extern "C" const char op_name[] = "MY_OP";
extern "C" const char *volatile seen;
const char *volatile seen = op_name;
extern "C" void _start() {
  tflite::MicroInterpreter().Invoke();
  %(called)s
}
extern "C" void *memset(void *to, int, unsigned) { return to; }
"""


def linked(folder: Path, *operators: str) -> dict[str, int]:
    """Link a firmware that registers these operators; return the bytes of each kernel's object."""
    need("arm-none-eabi-g++", "arm-none-eabi-size")
    sources = {
        name.lower(): KERNEL % {"name": name, "size": 4 + n} for n, name in enumerate(operators)
    }
    sources["main"] = MAIN % {
        "declared": "\n".join(f"int Register_{name}();" for name in operators),
        "called": "\n".join(f"tflite::Register_{name}();" for name in operators),
    }
    for name, text in sources.items():
        (folder / f"{name}.cc").write_text(text)
        subprocess.run(
            ["arm-none-eabi-g++", "-c", "-Os", "-mcpu=cortex-m4", "-mthumb", "-ffreestanding",
             "-fno-exceptions", "-o", f"{name}.o", f"{name}.cc"],
            cwd=folder, check=True,
        )  # fmt: skip
    objects = [f"{name}.o" for name in sources]
    subprocess.run(
        ["arm-none-eabi-g++", "-nostdlib", "-Wl,-Ttext=0x08000000", "-Wl,-Tdata=0x20000000",
         "-Wl,-Map=app.map", "-o", "app.elf", *objects],
        cwd=folder, check=True,
    )  # fmt: skip
    table = subprocess.run(
        ["arm-none-eabi-size", *objects], cwd=folder, check=True, capture_output=True, text=True
    ).stdout
    rows = (line.split() for line in table.splitlines()[1:])
    return {row[5].removesuffix(".o").upper(): int(row[0]) + int(row[1]) for row in rows}


def inspected(folder: Path, model: bytes) -> Inspection:
    elf = read_elf("app.elf", (folder / "app.elf").read_bytes())
    link_map = read_map("app.map", (folder / "app.map").read_bytes())
    return inspect_elf(elf, [(entry(runtime="tflite-micro"), model)], link_map=link_map)


def custom_model(name: str) -> bytes:
    tensors = [T([1, 8], "INT8"), T([1, 8], "INT8")]
    return write_model(G(tensors, [Op("CUSTOM", [0], [1], custom=name)], [0], [1]))


def kernels(facts: Inspection) -> Kernels:
    assert facts.kernels is not None
    return facts.kernels


def test_what_is_missing_and_what_is_unused_is_told_with_its_bytes(tmp_path: Path) -> None:
    sizes = linked(tmp_path, "FULLY_CONNECTED", "SVDF", "CONV_2D")
    facts = inspected(tmp_path, DENSE)
    [model] = kernels(facts).models
    assert "FULLY_CONNECTED" in model.used
    assert set(model.missing) == set(model.used) - {"FULLY_CONNECTED"}
    unused = {kernel.operators: kernel.size for kernel in kernels(facts).unused}
    assert unused == {("SVDF",): sizes["SVDF"], ("CONV_2D",): sizes["CONV_2D"]}
    assert outcomes(facts, "operators-missing")[0].status is Status.BROKEN
    saved = sizes["SVDF"] + sizes["CONV_2D"]
    assert f"{saved} bytes to save" in messages(facts, "operators-missing")[1]


def test_a_firmware_with_every_kernel_holds(tmp_path: Path) -> None:
    used = kernels_of(DENSE)
    linked(tmp_path, *used)
    [outcome] = outcomes(inspected(tmp_path, DENSE), "operators-missing")
    assert outcome.status is Status.HOLDS


def kernels_of(model: bytes) -> list[str]:
    from mapinspect.readers.tflite import read_network  # noqa: PLC0415

    return sorted({op.code for op in read_network("m", model).subgraphs[0].operators})


@pytest.mark.parametrize(
    ("name", "status"),
    [
        pytest.param("MY_OP", Status.HOLDS, id="whose name is a string of the image"),
        pytest.param("MY_OTHER_OP", Status.BROKEN, id="whose name is nowhere"),
    ],
)
def test_a_custom_operator(tmp_path: Path, name: str, status: Status) -> None:
    linked(tmp_path, "ADD")
    assert (
        outcomes(inspected(tmp_path, custom_model(name)), "operators-missing")[0].status is status
    )


def synthetic(*names: str, extra: bytes = b"") -> Inspection:
    """An image with these functions and the model, which nobody names."""
    symbols = [ElfSymbolSpec(name, FLASH, 2, ".text", STT_FUNC) for name in names]
    return inspect_elf(image(rodata(DENSE + extra), symbols=symbols))


INTERPRETER = "_ZN6tflite16MicroInterpreter6InvokeEv"


def test_a_model_that_nobody_names_is_judged_too() -> None:
    facts = synthetic(INTERPRETER, "_ZN6tflite12Register_ADDEv")
    assert outcomes(facts, "operators-missing")[0].status is Status.BROKEN


@pytest.mark.parametrize(
    "names",
    [
        pytest.param((INTERPRETER,), id="without any function that registers"),
        pytest.param(
            (INTERPRETER, "_ZN6tflite12Register_ADDEv", "helper.lto_priv.0"),
            id="after link-time optimisation",
        ),
    ],
)
def test_what_may_be_inlined_is_undecided(names: tuple[str, ...]) -> None:
    assert outcomes(synthetic(*names), "operators-missing")[0].status is Status.UNDECIDED


def test_without_the_runtime_nothing_is_claimed() -> None:
    [outcome] = outcomes(synthetic("main"), "operators-missing")
    assert outcome.status is Status.NOT_CLAIMED


def test_a_custom_name_only_in_the_model_itself_does_not_count() -> None:
    model = custom_model("SECRET_OP")
    symbols = [ElfSymbolSpec(INTERPRETER, FLASH, 2, ".text", STT_FUNC)]
    facts = inspect_elf(image(rodata(model), symbols=symbols))
    assert kernels(facts).models[0].unnamed == ("SECRET_OP",)


@pytest.mark.parametrize(
    ("kernel", "types", "status"),
    [
        pytest.param("Register_CONV_2D", ("INT16", "INT8"), Status.HOLDS, id="for all types"),
        pytest.param("Register_CONV_2D_INT8", ("INT8", "INT8"), Status.HOLDS, id="for its own"),
        pytest.param("Register_CONV_2D_INT8", ("INT16", "INT8"), Status.UNDECIDED, id="for INT8"),
        pytest.param("Register_CONV_2D_INT16", ("INT16", "INT8"), Status.HOLDS, id="for INT16"),
        pytest.param("Register_CONV_2D_INT8", ("INT8", "INT4"), Status.UNDECIDED, id="no INT4"),
        pytest.param("Register_CONV_2D_INT4", ("INT8", "INT4"), Status.HOLDS, id="for INT4"),
        pytest.param("Register_CONV_2D_INT8", ("FLOAT32",) * 2, Status.UNDECIDED, id="no floats"),
        pytest.param("Register_CONV_2D_INT8REF", ("INT8", "INT8"), Status.HOLDS, id="reference"),
    ],
)
def test_a_kernel_for_some_types_is_no_proof_for_others(
    kernel: str, types: tuple[str, str], status: Status
) -> None:
    symbols = [
        ElfSymbolSpec(name, FLASH, 2, ".text", STT_FUNC)
        for name in (INTERPRETER, f"_ZN6tflite{len(kernel)}{kernel}Ev")
    ]
    model = convolution("CONV_2D", *types)
    facts = inspect_elf(image(rodata(model), symbols=symbols))
    assert [outcome.status for outcome in outcomes(facts, "operators-missing")] == [status]


def test_a_transposed_convolution_is_used_with_the_types_of_its_data_not_of_its_shape() -> None:
    kernel = "Register_TRANSPOSE_CONV_INT8"
    symbols = [
        ElfSymbolSpec(name, FLASH, 2, ".text", STT_FUNC)
        for name in (INTERPRETER, f"_ZN6tflite{len(kernel)}{kernel}Ev")
    ]
    facts = inspect_elf(image(rodata(transpose_conv("INT8", "INT32")), symbols=symbols))
    (outcome,) = outcomes(facts, "operators-missing")
    assert outcome.status is Status.HOLDS
