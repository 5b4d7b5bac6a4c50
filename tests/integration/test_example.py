"""The worked example, and the README's snippet in a project of one's own: pass, fail, diagnosis."""

import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.integration.conftest import MODEL, ROOT, Project
from tests.tools import need

pytestmark = pytest.mark.toolchain

EXAMPLE = ROOT / "fixtures" / "firmware" / "cmake"
GCC_OF_GOLDEN = "12.2.1"  # other versions lay out other sizes


@pytest.fixture
def example(tmp_path: Path, environment: dict[str, str]) -> Project:
    """The example, configured in a build folder of its own."""
    need("cmake", "ninja", "arm-none-eabi-gcc")
    project = Project(tmp_path, environment)
    done = project.run("cmake", "-G", "Ninja", "-S", EXAMPLE, "-B", "build/node")
    assert done.status == 0, done.output
    return project


def ours(project: Project, output: str) -> str:
    """Return how mapinspect's own words end in a build's output, with no path of this machine."""
    lines = output.splitlines()
    first = next(
        n for n, line in enumerate(lines) if re.match(r"error\[|mapinspect: |PASS  FLASH", line)
    )
    ending = re.compile(r"ninja: |\d+ claims hold")  # how many claims there are, other tests say
    text = "".join(f"{line}\n" for line in lines[first:] if not ending.match(line))
    text = re.sub(r"\n\n+", "\n\n", text)
    text = text.replace(f"fw.dir{ROOT}/", "fw.dir/").replace(f"{ROOT}/", "")
    return text.replace(f"{project.folder}/", "")


@pytest.mark.parametrize(
    ("size", "name"),
    [
        pytest.param(12288, "example_passes", id="as shipped it passes"),
        pytest.param(20480, "example_over_budget", id="a larger arena is over budget"),
        pytest.param(90112, "example_overflows", id="a still larger one overflows the RAM"),
    ],
)
def test_the_example(
    example: Project, size: int, name: str, golden: Callable[[str, str], None]
) -> None:
    assert example.run("cmake", f"-DARENA_BYTES={size}", "build/node").status == 0
    built = example.run("cmake", "--build", "build/node")
    assert (built.status == 0) == (size == 12288), built.output
    said = ours(example, built.output)
    if GCC_OF_GOLDEN in example.run("arm-none-eabi-gcc", "--version").output:
        golden(f"{name}.txt", said)
    words = {12288: "PASS  FLASH", 20480: "error[row-over-budget]: arena", 90112: "overflows by"}
    assert words[size] in said


def fenced(language: str, containing: str) -> str:
    """Return the README's one code block of a language that contains a text."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)
    [block] = [block for block in blocks if containing in block]
    return block


EMPTY_PROJECT = """cmake_minimum_required(VERSION 3.21)
project(node C)
file(GLOB SOURCES firmware/engine/*.c firmware/dsp/*.c)
foreach(name main startup cortex_m syscalls features board_stm32l476 "sensor hub/microphone")
  list(APPEND SOURCES "firmware/src/${name}.c")
endforeach()
add_executable(fw ${SOURCES} kws_model.c)
target_include_directories(fw PRIVATE firmware/src firmware/engine firmware/dsp)
target_compile_options(fw PRIVATE -O2 -fdata-sections)
target_link_options(fw PRIVATE --specs=nano.specs -nostartfiles -T "${CMAKE_SOURCE_DIR}/part.ld")
target_link_libraries(fw PRIVATE m)

"""


def test_the_snippet_of_the_readme_in_a_project_of_ones_own(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    need("cmake", "ninja", "arm-none-eabi-gcc")
    project = Project(tmp_path, environment)
    for name in ("src", "engine", "dsp"):
        shutil.copytree(ROOT / "fixtures" / "firmware" / name, tmp_path / "firmware" / name)
    shutil.copy(ROOT / "linker_scripts" / "STM32L476RE.ld", tmp_path / "part.ld")
    (tmp_path / "models").mkdir()
    shutil.copy(MODEL.with_name("kws_int8.tflite"), tmp_path / "models" / "kws.tflite")
    embed = ROOT / "fixtures" / "firmware" / "tools" / "embed.py"
    array = project.run(sys.executable, embed, "models/kws.tflite", "g_kws_model")
    (tmp_path / "kws_model.c").write_text(array.output, encoding="utf-8")
    shutil.copy(EXAMPLE / "arm-none-eabi.cmake", tmp_path)
    snippet = fenced("cmake", "mapinspect_check(")
    (tmp_path / "CMakeLists.txt").write_text(EMPTY_PROJECT + snippet, encoding="utf-8")
    (tmp_path / "mapinspect.toml").write_text(fenced("toml", 'name = "SRAM1"'), encoding="utf-8")

    toolchain = "-DCMAKE_TOOLCHAIN_FILE=arm-none-eabi.cmake"
    assert project.run("cmake", "-G", "Ninja", "-B", "build", toolchain).status == 0
    good = project.run("cmake", "--build", "build")
    assert (good.status, "\nPASS  FLASH" in good.output) == (0, True), good.output

    project.edit("firmware/src/placement.h", "ARENA_BYTES (12 * 1024)", "ARENA_BYTES (48 * 1024)")
    over = project.run("cmake", "--build", "build")
    assert (over.status, "\nFAIL  FLASH" in over.output) == (1, True), over.output
    assert "error[row-over-budget]: arena takes up 49152 of 16384 bytes" in over.output

    project.edit("firmware/src/placement.h", "ARENA_BYTES (48 * 1024)", "ARENA_BYTES (88 * 1024)")
    overflow = project.run("cmake", "--build", "build")
    assert overflow.status == 1
    assert "SRAM1 overflows by " in overflow.output
    assert "90,112  .bss.tensor_arena" in overflow.output
    assert "arena of kws: needs 12,000 B; tensor_arena has 90,112 B in SRAM1" in overflow.output
