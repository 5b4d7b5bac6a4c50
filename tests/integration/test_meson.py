"""The Meson text of mapinspect/integration/meson.build in a real project."""

from pathlib import Path

import pytest

from tests.integration.conftest import ROOT, Project, Run
from tests.tools import need

pytestmark = pytest.mark.toolchain

CROSS = """[binaries]
c = 'arm-none-eabi-gcc'
[host_machine]
system = 'none'
cpu_family = 'arm'
cpu = 'cortex-m4'
endian = 'little'
[properties]
skip_sanity_check = true
"""
PROJECT = """project('fw', 'c', default_options: ['b_asneeded=false', 'b_lundef=false'])
sources = files('main.c')
add_project_arguments('-mcpu=cortex-m4', '-Os', '-fdata-sections', language: 'c')
add_project_link_arguments('-mcpu=cortex-m4', '-nostdlib', language: 'c')
"""
SHIPPED = (ROOT / "mapinspect" / "integration" / "meson.build").read_text(encoding="utf-8")


@pytest.fixture
def fw(project: Project) -> Project:
    """The firmware with the executable as the file's own comment has it, and its text below."""
    need("meson", "ninja")
    commented = SHIPPED[SHIPPED.index("#   map =") : SHIPPED.index("\nmapinspect =")]
    executable = "\n".join(line.removeprefix("#").strip() for line in commented.splitlines())
    text = f"{PROJECT}{executable}\n{SHIPPED}"
    (project.folder / "meson.build").write_text(text, encoding="utf-8")
    (project.folder / "arm.ini").write_text(CROSS, encoding="utf-8")
    done = project.run("meson", "setup", "out é", "--cross-file", "arm.ini")
    assert done.status == 0, done.output
    return project


def build(fw: Project) -> Run:
    return fw.run("meson", "compile", "-C", "out é")


ELF = Path("out é", "fw.elf")


def test_a_good_firmware_passes_and_nothing_runs_again(fw: Project) -> None:
    first = build(fw)
    assert (first.status, (fw.folder / "out é" / "fw.mapinspect").exists()) == (0, True)
    again = build(fw)
    assert again.status == 0
    assert "no work to do" in again.output


def test_editing_only_budget_or_model_runs_the_check_again(fw: Project) -> None:
    assert build(fw).status == 0
    fw.edit("mapinspect.toml", "16K", "8K")
    for _ in range(2):
        failed = build(fw)
        assert (failed.status != 0, failed.linked, failed.checked) == (True, False, True)
        assert "error[region-over-budget]: RAM holds" in failed.output
        assert (fw.folder / ELF).exists()
    fw.edit("mapinspect.toml", "8K", "16K")
    assert build(fw).status == 0
    fw.change_model()
    failed = build(fw)
    assert (failed.status != 0, failed.linked, failed.checked) == (True, False, True)
    assert "error[embedded-model-differs]" in failed.output


def test_a_failed_link_is_explained_on_demand(fw: Project) -> None:
    fw.grow(1024, 65536)
    assert build(fw).status != 0
    why = fw.run("meson", "compile", "-C", "out é", "why")
    assert why.status != 0
    assert "error[region-over-budget]: RAM holds" in why.output
