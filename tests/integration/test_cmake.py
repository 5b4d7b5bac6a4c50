"""mapinspect.cmake in real builds, with three generators."""

import sys
from collections.abc import Callable

import pytest

from tests.integration.conftest import CMakeProject, Project

pytestmark = pytest.mark.toolchain
Make = Callable[..., CMakeProject]
every_generator = pytest.mark.parametrize(
    "cmake", ["Ninja", "Unix Makefiles", "Ninja Multi-Config"], indirect=True
)


@every_generator
def test_a_good_firmware_passes_and_nothing_runs_again(cmake: Make) -> None:
    fw = cmake()
    first = fw.build()
    assert (first.status, first.checked) == (0, True), first.output
    again = fw.build()
    assert (again.status, again.linked, again.checked) == (0, False, False), again.output


@every_generator
def test_editing_only_the_budget_runs_the_check_again(cmake: Make, project: Project) -> None:
    fw = cmake()
    assert fw.build().status == 0
    project.edit("mapinspect.toml", "16K", "8K")
    failed = fw.build()
    assert failed.status != 0, failed.output
    assert "error[region-over-budget]: RAM holds" in failed.output
    assert (failed.linked, failed.checked, fw.elf.exists()) == (False, True, True)
    # It fails until it is mended, and the ELF stays for a look.
    again = fw.build()
    assert again.status != 0, again.output
    assert (again.linked, again.checked, fw.elf.exists()) == (False, True, True)
    project.edit("mapinspect.toml", "8K", "16K")
    assert fw.build().status == 0
    assert not fw.build().checked


@every_generator
def test_editing_only_the_model_runs_the_check_again(cmake: Make, project: Project) -> None:
    fw = cmake()
    assert fw.build().status == 0
    project.change_model()
    failed = fw.build()
    assert failed.status != 0, failed.output
    assert (failed.linked, failed.checked) == (False, True), failed.output
    assert "error[embedded-model-differs]" in failed.output


@every_generator
def test_a_model_of_the_call_runs_the_check_again_too(cmake: Make, project: Project) -> None:
    # It takes the place of the table's file of the same name.
    (project.folder / "models").mkdir()
    (project.folder / "kws.tflite").rename(project.folder / "models" / "kws.tflite")
    project.edit("main.c", "kws.tflite", "models/kws.tflite")
    fw = cmake("MODEL models/kws.tflite")
    first = fw.build()
    assert first.status == 0, first.output
    assert not fw.build().checked
    project.change_model("models/kws.tflite")
    failed = fw.build()
    assert (failed.status != 0, failed.linked, failed.checked) == (True, False, True)


@every_generator
def test_editing_the_linker_script_links_and_checks_again(cmake: Make, project: Project) -> None:
    fw = cmake()
    assert fw.build().status == 0
    project.edit("part.ld", "LENGTH = 64K", "LENGTH = 32K")
    again = fw.build()
    assert (again.status, again.linked, again.checked) == (0, True, True), again.output


@every_generator
def test_a_deleted_model_is_missed(cmake: Make, project: Project) -> None:
    fw = cmake()
    assert fw.build().status == 0
    (project.folder / "kws.tflite").unlink()
    failed = fw.build()
    assert failed.status != 0
    assert "no such model file" in failed.output


@every_generator
def test_over_budget_fails_and_keeps_the_elf(cmake: Make, project: Project) -> None:
    project.grow(1024, 16384)
    fw = cmake()
    failed = fw.build()
    assert failed.status != 0
    assert "error[region-over-budget]: RAM holds" in failed.output
    assert fw.elf.exists()
    project.grow(16384, 1024)
    assert fw.build().status == 0


@every_generator
def test_report_only_never_fails(cmake: Make, project: Project) -> None:
    project.grow(1024, 16384)
    fw = cmake("REPORT_ONLY")
    for _ in range(2):  # and it reports in every build
        done = fw.build()
        assert done.status == 0, done.output
        assert "gate disabled: --exit-zero" in done.output
        assert "error[region-over-budget]: RAM holds" in done.output
    project.edit("mapinspect.toml", "version = 1", "version = ")
    done = fw.build()
    assert done.status == 0, done.output
    assert "mapinspect.toml:1: " in done.output
    assert not list(project.folder.rglob("*.mapinspect"))


@every_generator
def test_a_failed_link_is_diagnosed(cmake: Make, project: Project) -> None:
    fw = cmake()
    assert fw.build().status == 0
    project.grow(1024, 65536)
    failed = fw.build()
    assert failed.status != 0
    assert "overflowed by" in failed.output  # ld itself
    assert "mapinspect: the link failed; this is what fw.elf.map says" in failed.output.replace(
        "Debug/", ""
    )
    assert "RAM overflows by" in failed.output
    assert "65,536  .bss.buffer" in failed.output
    assert "arena of kws: needs 112 B; tensor_arena has 4,096 B in RAM" in failed.output
    assert not failed.checked
    project.grow(65536, 1024)
    assert fw.build().status == 0


@every_generator
def test_parallel_builds_of_several_targets(cmake: Make) -> None:
    names = [f"fw{number}" for number in range(4)]
    lines = [
        f"""add_executable({name} main.c)
        set_target_properties({name} PROPERTIES SUFFIX .elf)
        target_compile_options({name} PRIVATE -mcpu=cortex-m4 -Os -fdata-sections)
        target_link_options({name} PRIVATE -mcpu=cortex-m4 -nostdlib -T ${{part}})
        mapinspect_check(TARGET {name})"""
        for name in names
    ]
    fw = cmake("", "set(part ${CMAKE_SOURCE_DIR}/part.ld)", *lines)
    done = fw.build("-j", "8")
    assert done.status == 0, done.output
    assert done.output.count("\nPASS  FLASH") == 5
    again = fw.build("-j", "8")
    assert (again.status, again.linked, again.checked) == (0, False, False), again.output


@every_generator
def test_clean_leaves_nothing_of_ours(cmake: Make) -> None:
    fw = cmake()
    assert fw.build().status == 0
    assert fw.build("--target", "clean").status == 0
    left = [path.name for path in fw.elf.parent.glob("fw*") if path.is_file()]
    assert [name for name in left if not name.endswith(".d")] == []
    assert fw.build().checked


@pytest.mark.parametrize(
    "line",
    [
        pytest.param('target_link_options(fw PRIVATE "LINKER:-Map=my own.map")', id="an option"),
        pytest.param('set(CMAKE_EXE_LINKER_FLAGS "-Wl,-Map=my\\\\ own.map")', id="a global flag"),
        pytest.param(
            'add_library(l INTERFACE)\ntarget_link_options(l INTERFACE "LINKER:-Map=my own.map")\n'
            "target_link_libraries(fw l)",
            id="an option of a library",
        ),
    ],
)
def test_a_target_keeps_the_map_it_writes_already(cmake: Make, project: Project, line: str) -> None:
    fw = cmake("", line)
    done = fw.build()
    assert (done.status, done.checked) == (0, True), done.output
    [own] = project.folder.rglob("my own.map")
    assert own.read_bytes() == fw.elf.with_suffix(".elf.map").read_bytes()
    project.grow(1024, 65536)
    failed = fw.build()
    assert "this is what my own.map says\n  RAM overflows by" in failed.output


def test_a_launcher_of_the_project_is_kept(cmake: Make, project: Project) -> None:
    launcher = project.folder / "launcher"
    launcher.write_text('#!/bin/sh\necho "launched"\nexec "$@"\n')
    launcher.chmod(0o755)
    line = f'set_property(TARGET fw PROPERTY C_LINKER_LAUNCHER "{launcher}")'
    done = cmake("", line).build()
    assert (done.status, "launched" in done.output) == (0, True), done.output


def test_the_check_works_where_another_folder_included_the_file(
    cmake: Make, project: Project
) -> None:
    for name in ("a", "b"):
        (project.folder / name).mkdir()
        (project.folder / name / "CMakeLists.txt").write_text(
            f"""include(${{MAPINSPECT_DIR}}/mapinspect.cmake)
            add_executable({name} ../main.c)
            target_compile_options({name} PRIVATE -mcpu=cortex-m4 -Os)
            target_link_options({name} PRIVATE -nostdlib -T ${{CMAKE_SOURCE_DIR}}/part.ld)
            mapinspect_check(TARGET {name})
            """
        )
    done = cmake("", "add_subdirectory(a)", "add_subdirectory(b)").build()
    assert (done.status, done.output.count("\nPASS  ")) == (0, 3), done.output


@pytest.mark.parametrize(
    ("call", "words"),
    [
        pytest.param("TARGET nobody", "TARGET nobody is no target", id="an unknown target"),
        pytest.param("TARGET lib", "is not made by add_executable", id="a library"),
        pytest.param("TARGET also", "is not made by add_executable", id="an alias"),
        pytest.param("TARGET fw CONFGI x", "cannot use CONFGI", id="a misspelt keyword"),
        pytest.param("TARGET fw CONFIG", "cannot use CONFIG", id="a keyword without its value"),
    ],
)
def test_a_wrong_call_stops_the_configuration(
    project: Project, cmake: Make, call: str, words: str
) -> None:
    fw = cmake()
    lists = project.folder / "CMakeLists.txt"
    with lists.open("a", encoding="utf-8") as file:
        file.write("add_library(lib STATIC main.c)\nadd_executable(also ALIAS fw)\n")
        file.write(f"mapinspect_check({call})\n")
    done = fw.configure()
    assert done.status != 0
    assert words in " ".join(done.output.split())


@pytest.mark.parametrize("language", ["C", "CXX", "ASM"])
def test_every_language_that_links_is_explained(
    cmake: Make, project: Project, language: str
) -> None:
    line = (
        f"enable_language({language})\nset_property(TARGET fw PROPERTY LINKER_LANGUAGE {language})"
    )
    fw = cmake("", line)
    good = fw.build()
    assert (good.status, good.checked) == (0, True), good.output
    project.grow(1024, 65536)
    assert "RAM overflows by" in fw.build().output


def test_response_files_hide_nothing(cmake: Make, project: Project) -> None:
    (project.folder / "flags.rsp").write_text('-Wl,-Map="own map.map"\n', encoding="utf-8")
    line = f'set(CMAKE_EXE_LINKER_FLAGS "\\"@{project.folder}/flags.rsp\\"")'
    fw = cmake("", "set(CMAKE_NINJA_FORCE_RESPONSE_FILE ON)", line)
    good = fw.build("-v")
    assert (good.status, good.checked) == (0, True), good.output
    assert "@CMakeFiles/fw.rsp" in good.output
    [own] = project.folder.rglob("own map.map")
    assert own.read_bytes() == fw.elf.with_suffix(".elf.map").read_bytes()


def test_the_command_may_be_named(cmake: Make) -> None:
    fw = cmake("", f'set(MAPINSPECT_COMMAND "{sys.executable};-m;mapinspect")')
    done = fw.build("-v")
    assert (done.status, done.checked) == (0, True), done.output
    assert f"{sys.executable} -m mapinspect link --map" in done.output
    assert f"{sys.executable} -m mapinspect check --elf" in done.output


def test_a_locale_without_letters_changes_nothing(
    cmake: Make, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    fw = cmake()
    for name in ("LANG", "LC_CTYPE", "LC_ALL"):
        monkeypatch.setitem(project.environment, name, "C")
    done = fw.build()
    assert (done.status, done.checked) == (0, True), done.output
    assert not fw.build().checked
