"""Builds that a textbook calls feasible, and that do not fit the part it names.

"Stable on a GD32F303" with 412 KB of Flash: the part has 256 KB. A CNN of two convolutions that
needs 16,384 + 32,768 bytes of activations while its second one runs: the part has 48 KiB of SRAM,
and nothing would be left for variables and stack.
"""

import json
from pathlib import Path

import pytest

from mapinspect.cli.run import run
from tests.elf_builder import ElfSymbolSpec, bss, build_elf, data, text
from tests.model_builder import G, Op, T, write_model

PART = "GD32F303xC"  # 256 KiB Flash, 48 KiB SRAM
SRAM, SRAM_BYTES = 0x2000_0000, 48 * 1024
SECOND_CONV = 16_384 + 32_768  # bytes: its input 32 x 32 x 16 and its output 32 x 32 x 32


@pytest.fixture
def check(capsys: pytest.CaptureFixture[str]):
    def run_check(*options: object) -> tuple[int, dict[str, str]]:
        status = run(["check", "--format=json", *map(str, options)])
        findings = json.loads(capsys.readouterr().out)["findings"]
        broken = [item for item in findings if item["severity"] == "error"]
        return status, {item["check"]: item["message"] for item in broken}

    return run_check


@pytest.mark.parametrize("size", [412 * 1024, 412_000], ids=["KiB", "kB"])
def test_412_kb_do_not_fit_256(check, tmp_path: Path, size: int) -> None:
    elf = tmp_path / "app.elf"
    elf.write_bytes(build_elf([text(bytes(size)), bss(1024, vma=SRAM)]))
    status, broken = check(f"--elf={elf}", f"--mcu={PART}")
    assert status == 1
    over = size - 256 * 1024
    assert f"FLASH holds {size} of 262144 bytes, {over} over" in broken["region-over-budget"]


def test_the_same_image_fits_the_larger_sister(check, tmp_path: Path) -> None:
    elf = tmp_path / "app.elf"
    elf.write_bytes(build_elf([text(bytes(412 * 1024)), bss(1024, vma=SRAM)]))
    assert check(f"--elf={elf}", "--mcu=GD32F303xE") == (0, {})


@pytest.fixture
def two_convolutions(tmp_path: Path) -> Path:
    """The CNN: 32 x 32 x 1, a convolution to 16 channels, one to 32, all of 8 bits."""
    tensors = [
        T((1, 32, 32, 1)),
        T((16, 3, 3, 1), data=144),
        T((16,), "INT32", data=64),
        T((1, 32, 32, 16)),
        T((32, 3, 3, 16), data=4608),
        T((32,), "INT32", data=128),
        T((1, 32, 32, 32)),
    ]
    same = {"padding": 0, "stride_w": 1, "stride_h": 1}
    operators = [
        Op("CONV_2D", (0, 1, 2), (3,), same, "Conv2DOptions"),
        Op("CONV_2D", (3, 4, 5), (6,), same, "Conv2DOptions"),
    ]
    path = tmp_path / "cnn.tflite"
    path.write_bytes(write_model(G(tensors, operators, (0,), (6,))))
    return path


@pytest.fixture
def firmware(tmp_path: Path, two_convolutions: Path):
    """A firmware with this model, so many bytes of arena, and so many of other variables."""

    def make(arena: int, variables: int, sram: int = SRAM_BYTES) -> tuple[Path, Path]:
        weights = two_convolutions.read_bytes()
        sections = [text(weights), bss(arena, vma=SRAM)]
        symbols = [
            ElfSymbolSpec("g_model", 0x0800_0000, len(weights), section=".text"),
            ElfSymbolSpec("tensor_arena", SRAM, arena, section=".bss"),
            ElfSymbolSpec("_estack", SRAM + sram),
        ]
        if variables:
            sections.append(data(bytes(variables), vma=SRAM + arena, lma=0x0802_0000))
        elf, table = tmp_path / "app.elf", tmp_path / "mapinspect.toml"
        elf.write_bytes(build_elf(sections, symbols))
        table.write_text(
            f"""\
version = 1
[project]
mcu = "{PART}"
[inputs]
models = [{{ name = "cnn", file = "cnn.tflite", symbol = "g_model", arena = "tensor_arena", runtime = "plan-only" }}]
"""  # noqa: E501 - an inline table is one line
        )
        return elf, table

    return make


@pytest.mark.parametrize(
    ("arena", "variables", "told"),
    [
        pytest.param(
            SECOND_CONV, 0, ("stack-collision", "no byte is left"), id="all of SRAM is the arena"
        ),
        pytest.param(
            SECOND_CONV, 512, ("region-over-budget", "512 over"), id="variables beside the arena"
        ),
        pytest.param(
            40 * 1024, 512, ("arena-too-small", f"needs {SECOND_CONV}"), id="an arena that fits"
        ),
    ],
)
def test_two_convolutions_do_not_fit_48_kib(
    check, firmware, arena: int, variables: int, told: tuple[str, str]
) -> None:
    elf, table = firmware(arena, variables)
    status, broken = check(f"--elf={elf}", f"--config={table}")
    assert status == 1
    assert told[1] in broken[told[0]]


def test_two_convolutions_run_where_the_stack_has_room(check, firmware) -> None:
    elf, table = firmware(SECOND_CONV, 512, sram=64 * 1024)
    assert check(f"--elf={elf}", f"--config={table}", "--mcu=GD32F303xE") == (0, {})
