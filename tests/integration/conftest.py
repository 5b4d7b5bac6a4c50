"""Projects that are built for real, with the tools a user has."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.tools import need

ROOT = Path(__file__).resolve().parents[2]
SOURCES = Path(__file__).with_name("firmware")
MODEL = ROOT / "fixtures" / "models" / "dense_int8.tflite"
SCRIPT = ROOT / "linker_scripts" / "cortex-m4-256-64.ld"
FOLDER = "größe 大 build"  # blanks and letters that are not ASCII, as many users have them


@dataclass(frozen=True)
class Run:
    """What a build tool did: its exit status, and all it printed."""

    status: int
    output: str

    @property
    def checked(self) -> bool:
        """Whether mapinspect ran, by the last line of its report."""
        return any(line.startswith(("PASS  ", "FAIL  ")) for line in self.output.splitlines())

    @property
    def linked(self) -> bool:
        """Whether the linker ran: CMake says so, make prints the command."""
        return "Linking" in self.output or "\nmapinspect link " in f"\n{self.output}"


@dataclass(frozen=True)
class Project:
    """A folder with a firmware's sources, and the environment that builds it."""

    folder: Path
    environment: dict[str, str]

    def run(self, *command: str | Path) -> Run:
        done = subprocess.run(
            list(command),
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="surrogateescape",
            check=False,
            timeout=300,
        )
        return Run(done.returncode, done.stdout)

    def edit(self, name: str, old: str, new: str) -> None:
        """Replace a text that stands in a file once; newer than what was built, on any clock."""
        path = self.folder / name
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1, (old, text)
        time.sleep(0.02)
        path.write_text(text.replace(old, new), encoding="utf-8")

    def grow(self, old: int, new: int) -> None:
        """Let the firmware's buffer grow."""
        self.edit("main.c", f"BUFFER_BYTES {old}", f"BUFFER_BYTES {new}")

    def change_model(self, name: str = "kws.tflite") -> None:
        """Give the model file other weights: one byte, in the middle of a buffer."""
        time.sleep(0.02)
        content = bytearray((self.folder / name).read_bytes())
        content[2000] ^= 1
        (self.folder / name).write_bytes(content)


@pytest.fixture(scope="session")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of builds: `mapinspect` on PATH is this checkout's."""
    program = tmp_path_factory.mktemp("bin") / "mapinspect"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m mapinspect "$@"\n')
    program.chmod(0o755)
    kept = {key: value for key, value in os.environ.items() if not key.startswith("MAKE")}
    kept |= {"PATH": f"{program.parent}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
    kept.pop("VIRTUAL_ENV", None)
    return kept


@pytest.fixture
def project(tmp_path: Path, environment: dict[str, str]) -> Project:
    """The small firmware, in a folder whose name has blanks."""
    need("arm-none-eabi-gcc")
    folder = tmp_path / FOLDER
    folder.mkdir()
    shutil.copy(MODEL, folder / "kws.tflite")
    shutil.copy(SCRIPT, folder / "part.ld")
    shutil.copy(SOURCES / "mapinspect.toml", folder)
    shutil.copy(SOURCES / "arm.cmake", folder)
    source = (SOURCES / "main.c").read_text(encoding="utf-8")
    source = source.replace("@MODEL@", str(folder / "kws.tflite"))
    (folder / "main.c").write_text(source, encoding="utf-8")
    return Project(folder, environment)


@dataclass(frozen=True)
class CMakeProject:
    """The firmware as a CMake project, configured in a build folder of its own."""

    project: Project
    generator: str

    def build(self, *options: str) -> Run:
        return self.project.run("cmake", "--build", self.build_name, *options)

    def configure(self) -> Run:
        return self.project.run(
            "cmake", "-G", self.generator, "-B", self.build_name, "-DCMAKE_TOOLCHAIN_FILE=arm.cmake"
        )

    @property
    def build_name(self) -> str:
        return "out é"

    @property
    def elf(self) -> Path:
        several = "Debug" if "Multi" in self.generator else "."
        return self.project.folder / self.build_name / several / "fw.elf"


@pytest.fixture
def cmake(request: pytest.FixtureRequest, project: Project) -> Callable[..., CMakeProject]:
    """Configure the firmware with more arguments of mapinspect_check, and more lines.

    With Ninja, unless the test is parametrized with generators.
    """
    generator = getattr(request, "param", "Ninja")
    need("cmake", "make" if "Make" in generator else "ninja")

    def configured(more: str = "", *lines: str) -> CMakeProject:
        text = (SOURCES / "CMakeLists.txt").read_text(encoding="utf-8").replace("@MORE@", more)
        before, check, after = text.partition("mapinspect_check(")
        text = before + "\n".join([*lines, ""]) + check + after
        (project.folder / "CMakeLists.txt").write_text(text, encoding="utf-8")
        made = CMakeProject(project, generator)
        done = made.configure()
        assert done.status == 0, done.output
        return made

    return configured
