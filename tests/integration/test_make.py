"""mapinspect.mk in real builds: from objects, and in one step from source to ELF."""

import os
from pathlib import Path

import pytest

from mapinspect.cli.run import run as run_cli
from tests.integration.conftest import SOURCES, Project, Run
from tests.tools import need

pytestmark = pytest.mark.toolchain

FROM_OBJECTS = (SOURCES / "Makefile").read_text(encoding="utf-8")
IN_ONE_STEP = (
    FROM_OBJECTS.replace("$(OBJECTS) part.ld", "main.c part.ld")
    .replace("$(OBJECTS)\n", "main.c\n")
    .replace("\t$(MAPINSPECT_LINK)", "\tmkdir -p $(BUILD)\n\t$(MAPINSPECT_LINK)")
)
BOTH = pytest.mark.parametrize(
    "rule", [pytest.param(FROM_OBJECTS, id="objects"), pytest.param(IN_ONE_STEP, id="one step")]
)
ELF = Path("out é", "fw.elf")


@pytest.fixture
def fw(project: Project) -> Project:
    need("make")
    return project


def write(fw: Project, rule: str, before: str = "") -> None:
    (fw.folder / "Makefile").write_text(before + rule, encoding="utf-8")


def make(fw: Project, *options: str) -> Run:
    return fw.run("make", *options)


@BOTH
def test_a_good_firmware_passes_and_nothing_runs_again(fw: Project, rule: str) -> None:
    write(fw, rule)
    first = make(fw)
    assert (first.status, first.linked, first.checked) == (0, True, True), first.output
    again = make(fw)
    assert (again.status, again.linked, again.checked) == (0, False, False), again.output


@BOTH
def test_editing_only_budget_or_model_runs_the_check_again(fw: Project, rule: str) -> None:
    write(fw, rule)
    assert make(fw).status == 0
    fw.edit("mapinspect.toml", "16K", "8K")
    for _ in range(2):
        failed = make(fw)
        assert (failed.status, failed.linked, failed.checked) == (2, False, True), failed.output
        assert "error[region-over-budget]: RAM holds" in failed.output
        assert (fw.folder / ELF).exists()
    fw.edit("mapinspect.toml", "8K", "16K")
    assert make(fw).status == 0
    fw.change_model()
    failed = make(fw)
    assert (failed.status, failed.linked, failed.checked) == (2, False, True), failed.output
    assert "error[embedded-model-differs]" in failed.output


def test_editing_the_linker_script_links_and_checks_again(fw: Project) -> None:
    write(fw, FROM_OBJECTS)
    assert make(fw).status == 0
    fw.edit("part.ld", "LENGTH = 64K", "LENGTH = 32K")
    again = make(fw)
    assert (again.status, again.linked, again.checked) == (0, True, True), again.output


def test_a_deleted_model_is_missed(fw: Project) -> None:
    write(fw, FROM_OBJECTS)
    assert make(fw).status == 0
    (fw.folder / "kws.tflite").unlink()
    failed = make(fw)
    assert failed.status != 0
    assert "no such model file" in failed.output


@BOTH
def test_over_budget_fails_and_keeps_the_elf_also_with_delete_on_error(
    fw: Project, rule: str
) -> None:
    write(fw, rule, ".DELETE_ON_ERROR:\n")
    fw.grow(1024, 16384)
    failed = make(fw)
    assert (failed.status, failed.checked) == (2, True)
    assert (fw.folder / ELF).exists()
    assert not (fw.folder / f"{ELF}.mapinspect").exists()
    fw.grow(16384, 1024)
    assert make(fw).status == 0


@BOTH
def test_a_failed_link_is_diagnosed(fw: Project, rule: str) -> None:
    write(fw, rule)
    fw.grow(1024, 65536)
    failed = make(fw)
    assert (failed.status, failed.checked) == (2, False), failed.output
    assert "mapinspect: the link failed; this is what out é/fw.elf.map says" in failed.output
    assert "RAM overflows by" in failed.output
    assert "65,536  .bss.buffer" in failed.output
    assert "arena of kws: needs 112 B; tensor_arena has 4,096 B in RAM" in failed.output


def test_report_only_never_fails(fw: Project) -> None:
    write(fw, FROM_OBJECTS)
    fw.grow(1024, 16384)
    for _ in range(2):
        done = make(fw, "MAPINSPECT_REPORT_ONLY=1")
        assert (done.status, done.checked) == (0, True), done.output
        assert "gate disabled: --exit-zero" in done.output
    fw.edit("mapinspect.toml", "version = 1", "version = ")
    done = make(fw, "MAPINSPECT_REPORT_ONLY=1")
    assert done.status == 0, done.output
    assert "mapinspect.toml:1: " in done.output
    assert not (fw.folder / f"{ELF}.mapinspect").exists()


@pytest.mark.parametrize("words", ["-Wl,-Map='my own.map'", "-Xlinker -Map='my own.map'"])
def test_a_map_that_the_command_names_is_kept(fw: Project, words: str) -> None:
    write(fw, FROM_OBJECTS.replace("-T part.ld", f"-T part.ld {words}"))
    done = make(fw)
    assert (done.status, done.checked) == (0, True), done.output
    own = fw.folder / "my own.map"
    assert own.read_bytes() == (fw.folder / f"{ELF}.map").read_bytes()


def test_the_map_may_have_a_name_of_its_own(fw: Project) -> None:
    write(fw, FROM_OBJECTS, "MAPINSPECT_MAP := out\\ é/other.map\n")
    done = make(fw)
    assert (done.status, done.checked) == (0, True), done.output
    assert (fw.folder / "out é" / "other.map").exists()
    assert not (fw.folder / f"{ELF}.map").exists()


def test_several_images_in_parallel(fw: Project) -> None:
    (fw.folder / "small.toml").write_text(
        'version = 1\n[[region]]\nname = "FLASH"\n[[region]]\nname = "RAM"\nlimit = "8K"\n',
        encoding="utf-8",
    )
    (fw.folder / "other table.toml").write_text("version = 1\n", encoding="utf-8")
    (fw.folder / "Makefile").write_text(
        r"""
CC := arm-none-eabi-gcc
FLAGS := -mcpu=cortex-m4 -Os -fdata-sections -nostdlib
MAPINSPECT_ELF := a.elf
MAPINSPECT_CONFIG := small.toml
include $(shell mapinspect --make-dir)/mapinspect.mk
MAPINSPECT_ELF := b.elf
MAPINSPECT_CONFIG := other\ table.toml
MAPINSPECT_MODELS := kws.tflite
include $(shell mapinspect --make-dir)/mapinspect.mk
all: $(MAPINSPECT_STAMPS)
a.elf b.elf: main.c part.ld
	$(MAPINSPECT_LINK) $(CC) $(FLAGS) -T part.ld -o $@ $<
""",
        encoding="utf-8",
    )
    done = make(fw, "-j", "4", "-k", "--output-sync")
    assert done.status == 2
    ours = [line for line in done.output.splitlines() if line.startswith("mapinspect check")]
    assert sorted(" ".join(line.rstrip("\\").split()) for line in ours) == [
        "mapinspect check --elf 'a.elf' --map 'a.elf.map' --config 'small.toml'",
        "mapinspect check --elf 'b.elf' --map 'b.elf.map' --config 'other table.toml' "
        "--model 'kws.tflite'",
    ]
    reports = [line for line in done.output.splitlines() if line.startswith(("FAIL", "UNKNOWN"))]
    assert sorted(line.split()[0] for line in reports if "KiB" in line) == ["FAIL", "UNKNOWN"]


def test_the_includers_first_target_stays_the_default(fw: Project) -> None:
    write(fw, FROM_OBJECTS, "first:\n\t@echo this one\n")
    assert make(fw).output == "this one\n"


def test_a_folder_with_blanks_can_be_included(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("mapinspect.cli.commands.__file__", "/my env/mapinspect/cli/commands.py")
    assert run_cli(["--make-dir"]) == 0
    assert run_cli(["--cmake-dir"]) == 0
    assert capsys.readouterr().out.split("\n")[:2] == [
        "/my\\ env/mapinspect/integration",
        "/my env/mapinspect/integration",
    ]


def test_without_the_command_make_says_so(fw: Project) -> None:
    write(fw, FROM_OBJECTS)
    bare = {**fw.environment, "PATH": os.defpath}
    done = Project(fw.folder, bare).run("make")
    assert done.status != 0
    assert "mapinspect" in done.output
