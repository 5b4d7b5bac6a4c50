"""Links that fail: the linker's exit status stays, and the map says what it can."""

import os
import re
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from mapinspect.cli.link_arguments import link_arguments
from tests.integration.conftest import Project, Run
from tests.tools import need

pytestmark = pytest.mark.toolchain

GCC = [
    "arm-none-eabi-gcc",
    "-mcpu=cortex-m4",
    "-Os",
    "-fdata-sections",
    "-nostdlib",
    "-T",
    "part.ld",
]
LINK = [*GCC, "main.o", "-o", "fw.elf", "-Wl,-Map=fw.map"]
LD = ["arm-none-eabi-ld", "-T", "part.ld", "main.o", "-o", "fw.elf", "-Map=fw.map"]
NOT_WRITTEN = "fw.map: is of an earlier link: this one stopped before it wrote a map"


def both_ways(project: Project, command: list[str]) -> tuple[Run, Run]:
    """Run a link command by itself, and behind `mapinspect link`."""
    compiled = project.run(*GCC, "-c", "main.c")
    assert compiled.status == 0, compiled.output
    return project.run(*command), project.run("mapinspect", "link", "--", *command)


@pytest.mark.parametrize("command", [LINK, LD], ids=["driver", "linker"])
def test_a_region_overflows_by_what_ld_says(project: Project, command: list[str]) -> None:
    project.grow(1024, 65536)
    plain, told = both_ways(project, command)
    assert told.status == plain.status != 0
    [bytes_over] = re.findall(r"region `RAM' overflowed by (\d+) bytes", plain.output)
    assert f"RAM overflows by {int(bytes_over):,} B: " in told.output
    assert "\n        65,536  .bss.buffer  main.o\n" in told.output
    assert "\n         6,144  ._user_heap_stack  (reserved or padded by the linker" in told.output
    assert "needs 112 B; tensor_arena has 4,096 B in RAM, 3,984 B more\n" in told.output
    assert told.output.startswith(plain.output)  # what the linker says comes first, untouched


@pytest.mark.parametrize("command", [LINK, LD], ids=["driver", "linker"])
def test_an_undefined_symbol_leaves_a_map_in_which_everything_fits(
    project: Project, command: list[str]
) -> None:
    project.edit("main.c", "tensor_arena[i] =", "tensor_arena[i] = nobody() +")
    project.edit("main.c", "#define", "int nobody(void);\n#define")
    plain, told = both_ways(project, command)
    assert told.status == plain.status != 0
    assert "undefined reference" in told.output
    assert "every region holds what was linked" in told.output


@pytest.mark.parametrize("command", [LINK, LD], ids=["driver", "linker"])
@pytest.mark.parametrize("word", ["absent.o", "-labsent"])
def test_a_missing_object_or_library_leaves_no_map_to_read(
    project: Project, command: list[str], word: str
) -> None:
    plain, told = both_ways(project, [*command, word])
    assert told.status == plain.status != 0
    assert "fw.map: " in told.output
    assert "overflows" not in told.output
    assert "every region" not in told.output


@pytest.mark.parametrize("command", [LINK, LD], ids=["driver", "linker"])
def test_an_error_in_the_script_leaves_the_map_of_before(
    project: Project, command: list[str]
) -> None:
    good, _ = both_ways(project, command)
    assert good.status == 0
    project.edit("part.ld", "MEMORY\n{", "MEMORY\n{ =")
    plain, told = both_ways(project, command)
    assert told.status == plain.status != 0
    assert "syntax error" in told.output
    assert NOT_WRITTEN in told.output


def test_an_error_of_the_compiler_in_a_one_step_link(project: Project) -> None:
    command = [*GCC, "main.c", "-o", "fw.elf", "-Wl,-Map=fw.map"]
    good, _ = both_ways(project, command)
    assert good.status == 0
    project.edit("main.c", "void reset_handler(void)", "void reset_handler(void")
    plain, told = project.run(*command), project.run("mapinspect", "link", "--", *command)
    assert told.status == plain.status != 0
    assert NOT_WRITTEN in told.output


def test_a_first_link_without_any_map(project: Project) -> None:
    project.edit("part.ld", "MEMORY\n{", "MEMORY\n{ =")
    _, told = both_ways(project, LINK)
    assert "fw.map: no such link map" in told.output


def test_a_map_that_cannot_be_opened(project: Project) -> None:
    plain, told = both_ways(project, [*LINK, "-Wl,-Map=no/such/folder.map"])
    assert told.status == plain.status != 0
    assert "no/such/folder.map: no such link map" in told.output


@pytest.mark.parametrize(
    ("source", "words"),
    [
        pytest.param("unsigned char tensor_arena[40000];", "has 40,000 B in RAM", id="common"),
        pytest.param(
            'unsigned char tensor_arena[40000] __attribute__((section(".noinit")));',
            "has at most 40,000 B in RAM",
            id="in a named section",
        ),
        pytest.param(
            "static char tensor_arena[40000]; int *f(void) { return (int *)tensor_arena; }",
            "has 40,000 B in RAM",
            id="static",
        ),
        pytest.param(
            "int *f(void) { static char tensor_arena[40000]; return (int *)tensor_arena; }",
            "has 40,000 B in RAM",
            id="static in a function",
        ),
        pytest.param("unsigned char *tensor_arena = 0;", "is the arena on the heap?", id="pointer"),
    ],
)
def test_the_arena_is_recognised_where_the_map_shows_it(
    project: Project, source: str, words: str
) -> None:
    text = (project.folder / "main.c").read_text(encoding="utf-8")
    text = re.sub(r"__attribute__\(\(aligned\(16\)\)\) unsigned char tensor_arena.*;", "", text)
    text = text.replace("tensor_arena[i] = g_model[i] +", "").replace("sizeof tensor_arena", "9")
    text = text.replace(
        "void reset_handler(void)\n{", "int *f(void);\nvoid reset_handler(void)\n{ f();"
    )
    text += f"\n{source}\n" + ("" if "f(void)" in source else "int *f(void) { return 0; }\n")
    (project.folder / "main.c").write_text(text, encoding="utf-8")
    project.grow(1024, 60000)
    command = [*GCC, "-fcommon", "main.c", "-o", "fw.elf"]
    told = project.run("mapinspect", "link", "--", *command)
    assert told.status != 0
    assert "RAM overflows by" in told.output, told.output
    assert words in told.output


def test_weights_without_const_are_pointed_at(project: Project) -> None:
    project.edit("main.c", '.rodata.model_weights, \\"a\\"', '.data.g_model, \\"aw\\"')
    project.grow(1024, 60000)
    told = project.run("mapinspect", "link", "--", *GCC, "main.c", "-o", "fw.elf")
    assert told.status != 0
    assert "weights of kws: g_model has 8,192 B in RAM, copied there from FLASH" in told.output


@pytest.mark.parametrize(
    "words",
    [
        ["-Wl,-Map=x.map"],
        ["-Wl,-Map,x.map"],
        ["-Wl,--Map=x.map,--cref"],
        ["-Xlinker", "-Map=a,b x.map"],
        ["-Xlinker", "-Map", "-Xlinker", "x.map"],
        ["-Wl,-Map=a.map", "-Wl,-Map=x.map"],
        ["-Wl,-Map=%"],
        ["-Wl,-Map=%.txt"],
        ["-Wl,-Map=x%y%z"],
        ["-Wl,-Map=folder"],
        ["-Wl,-Map=x.map", "-Wl,-M"],
        ["-Wl,-M", "-Wl,-Map=x.map"],
        ["-Wl,-Map=-"],
        ["@options"],
        [],
    ],
    ids=" ".join,
)
def test_the_real_tools_write_the_map_where_we_look_for_it(
    project: Project, words: list[str]
) -> None:
    (project.folder / "folder").mkdir()
    (project.folder / "options").write_text("'-Wl,-Map=in a file.map'\n", encoding="utf-8")
    command = [*GCC, "main.c", "-o", "fw.elf", *words]
    before = set(project.folder.rglob("*"))
    assert project.run(*command).status == 0
    made = {
        str(path.relative_to(project.folder))
        for path in set(project.folder.rglob("*")) - before
        if path.name != "fw.elf"
    }
    asked = link_arguments([word.replace("@", f"@{project.folder}/") for word in command]).map
    if words == ["-Wl,-Map=folder"]:  # which of the two it is depends on the folder we are in
        asked = "folder/fw.elf.map"
    assert made == ({asked} if asked else set())


SLOW = """#!/bin/sh
trap 'echo told > told; exit 3' INT TERM
echo $$ > pid
while :; do sleep 0.1; done
"""


@pytest.mark.parametrize("tool", ["ninja", "make"])
def test_ctrl_c_stops_the_build_and_the_linker(
    tool: str, tmp_path: Path, environment: dict[str, str]
) -> None:
    need(tool)
    linker = tmp_path / "slow"
    linker.write_text(SLOW)
    linker.chmod(0o755)
    command = "mapinspect link -- ./slow -o fw.elf"
    (tmp_path / "Makefile").write_text(f"fw.elf:\n\t{command}\n")
    (tmp_path / "build.ninja").write_text(f"rule l\n command = {command}\nbuild fw.elf: l\n")
    build = subprocess.Popen(
        [tool],
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        process_group=0,
    )
    try:
        _wait(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text().strip())
        os.killpg(build.pid, signal.SIGINT)
        output, _ = build.communicate(timeout=30)
    finally:
        build.kill()
    assert build.returncode != 0
    assert (tmp_path / "told").exists()
    assert "Traceback" not in output
    pid = int((tmp_path / "pid").read_text())
    _wait(lambda: not Path(f"/proc/{pid}").exists())


def _wait(condition: Callable[[], object]) -> None:
    for _ in range(400):
        if condition():
            return
        time.sleep(0.05)
    raise AssertionError("waited in vain")
