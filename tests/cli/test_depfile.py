"""The rule of what was read: GNU make and Ninja decide what it means."""

import shutil
import subprocess
import time
from pathlib import Path

import pytest

from mapinspect.cli import depfile
from mapinspect.errors import InputError
from tests.tools import need

NAMES = [
    "plain.tflite",
    "two words.tflite",
    "three  blanks  in pairs",
    "number#2",
    "price$1 $(x) $$",
    "c:colon",
    "back\\slash",
    "back\\ slash and blank",
    "größe 大.tflite",
    "not utf-8 \udcff.tflite",
    "it,is+all@right~!",
    "a[b]",
]
# make cannot take these as targets, so it stops where one disappears; Ninja has no such trouble.
ONLY_INPUTS = ["50%.tflite", "a=b.tflite", "x=1/a=b"]


def rebuilt(folder: Path, tool: str) -> bool:
    """Build, and return whether the check ran again; it copies the rule, as `check` writes it."""
    time.sleep(0.02)  # newer than what the last run wrote, also on coarse clocks
    run = subprocess.run([tool], cwd=folder, capture_output=True, text=True, check=True)
    return "ran" in run.stdout.splitlines()


def project(folder: Path, names: list[str]) -> Path:
    """Make a project with a make and a Ninja rule for `stamp`, whose depfile names the files."""
    for name in names:
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("1")
    (folder / "said").write_bytes(depfile.rule("stamp", names).encode("utf-8", "surrogateescape"))
    recipe = "cp said stamp.d && touch stamp && echo ran"
    (folder / "Makefile").write_text(f"stamp:\n\t@{recipe}\n-include stamp.d\n")
    (folder / "build.ninja").write_text(
        f"rule check\n  command = {recipe}\n  depfile = stamp.d\nbuild stamp: check\n"
    )
    return folder


@pytest.mark.toolchain
@pytest.mark.parametrize("tool", ["make", "ninja"])
@pytest.mark.parametrize("name", NAMES)
def test_both_build_tools_follow_a_name(tool: str, name: str, tmp_path: Path) -> None:
    need(tool)
    folder = project(tmp_path, ["first", name])
    assert rebuilt(folder, tool)
    assert not rebuilt(folder, tool)
    (folder / name).write_text("2")
    assert rebuilt(folder, tool)
    (folder / name).unlink()
    assert rebuilt(folder, tool), "a file that disappeared reruns the check, and stops nothing"


@pytest.mark.toolchain
@pytest.mark.parametrize("tool", ["make", "ninja"])
@pytest.mark.parametrize("name", ONLY_INPUTS)
def test_both_build_tools_follow_names_that_are_no_targets(
    tool: str, name: str, tmp_path: Path
) -> None:
    need(tool)
    folder = project(tmp_path, [name, "second"])
    assert rebuilt(folder, tool)
    assert not rebuilt(folder, tool)
    (folder / name).write_text("2")
    assert rebuilt(folder, tool)


@pytest.mark.toolchain
@pytest.mark.parametrize("tool", ["make", "ninja"])
def test_the_target_may_be_named_so_too(tool: str, tmp_path: Path) -> None:
    need(tool)
    target = "my build/größe #1.stamp"
    folder = project(tmp_path, ["input"])
    (folder / "my build").mkdir()
    (folder / "said").write_text(depfile.rule(target, ["input"]), encoding="utf-8")
    recipe = f"cp said stamp.d && touch '{target}' && echo ran"
    makefile = f"{depfile.escaped(target)}:\n\t@{recipe}\n-include stamp.d\n"
    (folder / "Makefile").write_text(makefile, encoding="utf-8")
    (folder / "build.ninja").write_text(
        f"rule check\n  command = {recipe}\n  depfile = stamp.d\n"
        f"build {target.replace(' ', '$ ')}: check\n",
        encoding="utf-8",
    )
    assert rebuilt(folder, tool)
    assert not rebuilt(folder, tool)
    (folder / "input").write_text("2")
    assert rebuilt(folder, tool)


@pytest.mark.parametrize("name", ["a\nb", "a;touch b", "a|b", "a\tb", "a\rb"])
def test_a_name_that_no_rule_can_hold_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="cannot stand in a make rule"):
        depfile.rule("stamp", [name])


def test_each_input_is_named_once_and_is_a_target_of_its_own() -> None:
    said = depfile.rule("stamp", ["a=b", "a", "b c", "a"])
    assert said == "stamp: a b\\ c a=b\na: \nb\\ c: \n"


def test_the_rule_without_inputs_is_a_rule() -> None:
    assert depfile.rule("stamp", []) == "stamp: \n"


def test_gcc_spells_names_the_same_way(tmp_path: Path) -> None:
    need("gcc")
    (tmp_path / "m.c").write_text('#include "two words #1 $2.h"\n')
    (tmp_path / "two words #1 $2.h").write_text("")
    gcc = shutil.which("gcc") or ""
    run = subprocess.run(
        [gcc, "-MM", "-MP", "m.c"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert depfile.escaped("two words #1 $2.h") in run.stdout
