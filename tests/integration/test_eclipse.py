"""makefile.targets with a makefile of the form that Eclipse CDT generates for STM32CubeIDE.

The IDE is not here. The form is that of its generated makefiles: BUILD_ARTIFACT, a literal link
command, `all` with or without a post-build step, whose line begins with a dash, and the optional
include of ../makefile.targets at the end.
"""

import shutil
from pathlib import Path

import pytest

from tests.integration.conftest import ROOT, Project, Run
from tests.tools import need

pytestmark = pytest.mark.toolchain

HEAD = """
-include ../makefile.init
OPTIONAL_TOOL_DEPS := $(wildcard ../makefile.targets)
BUILD_ARTIFACT_NAME := node
BUILD_ARTIFACT_EXTENSION := elf
BUILD_ARTIFACT_PREFIX :=
BUILD_ARTIFACT := $(BUILD_ARTIFACT_PREFIX)$(BUILD_ARTIFACT_NAME).$(BUILD_ARTIFACT_EXTENSION)
"""
PLAIN = "all: main-build\n"
WITH_POST_BUILD = """all:
	+@$(MAKE) --no-print-directory main-build && $(MAKE) --no-print-directory post-build
post-build:
	-mapinspect check --elf node.elf --map node.map
"""
REST = """
main-build: node.elf

main.o: ../main.c
	arm-none-eabi-gcc "$<" -mcpu=cortex-m4 -Os -fdata-sections -c -o "$@"

node.elf node.map: main.o ../part.ld makefile $(OPTIONAL_TOOL_DEPS)
	@echo Linking
	arm-none-eabi-gcc -o "node.elf" main.o -T"../part.ld" -Wl,-Map="node.map" -nostdlib

.PHONY: all main-build post-build
-include ../makefile.targets
"""
ELF = Path("Debug", "node.elf")


def ide(project: Project, all_target: str) -> Project:
    need("make")
    (project.folder / "Debug").mkdir()
    (project.folder / "Debug" / "makefile").write_text(HEAD + all_target + REST, encoding="utf-8")
    return project


def build(fw: Project) -> Run:
    return fw.run("make", "-C", "Debug", "all")


def test_a_failing_post_build_step_does_not_fail_the_build(project: Project) -> None:
    fw = ide(project, WITH_POST_BUILD)
    fw.grow(1024, 16384)
    done = build(fw)
    assert (done.status, done.checked) == (0, True), done.output
    assert "(ignored)" in done.output


@pytest.mark.parametrize("all_target", [PLAIN, WITH_POST_BUILD], ids=["plain", "post-build"])
def test_makefile_targets_is_the_gate(project: Project, all_target: str) -> None:
    fw = ide(project, all_target)
    shutil.copy(ROOT / "mapinspect" / "integration" / "makefile.targets", fw.folder)
    first = build(fw)
    assert (first.status, first.linked, first.checked) == (0, True, True), first.output
    again = build(fw)
    assert (again.status, again.linked) == (0, False), again.output
    fw.edit("mapinspect.toml", "16K", "8K")
    failed = build(fw)
    assert (failed.status, failed.linked, failed.checked) == (2, False, True), failed.output
    assert (fw.folder / ELF).exists()
    fw.edit("mapinspect.toml", "8K", "16K")
    fw.grow(1024, 65536)
    assert build(fw).status == 2
    why = fw.run("make", "-C", "Debug", "why")
    assert why.status == 2
    assert "error[region-over-budget]: RAM holds" in why.output
