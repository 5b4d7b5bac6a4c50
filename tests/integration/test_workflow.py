"""The GitHub workflow: its form, and its steps run as GitHub runs them (bash -e)."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.integration.conftest import ROOT, CMakeProject, Project, Run
from tests.tools import need, without

pytestmark = pytest.mark.toolchain


@pytest.fixture(scope="module")
def steps() -> list[dict[str, Any]]:
    try:
        import yaml  # noqa: PLC0415 - optional
    except ImportError:
        without("PyYAML")
    path = ROOT / "mapinspect" / "integration" / "github-workflow.yml"
    workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert set(workflow[True]) == {"push", "pull_request"}  # YAML 1.1 reads the key `on` as true
    assert workflow["permissions"] == {"contents": "read"}
    return workflow["jobs"]["firmware"]["steps"]


def run_step(project: Project, steps: list[dict[str, Any]], name: str) -> Run:
    need("bash")
    [script] = [step["run"] for step in steps if step.get("name") == name]
    summary = {"GITHUB_STEP_SUMMARY": str(project.folder / "summary.md")}
    shell = Project(project.folder, {**project.environment, **summary})
    return shell.run("bash", "-e", "-c", script)


@pytest.fixture
def fw(project: Project, cmake: Callable[..., CMakeProject]) -> Project:
    """The project with its toolchain file found without an option."""
    need("ninja")
    cmake()
    lists = project.folder / "CMakeLists.txt"
    text = "set(CMAKE_TOOLCHAIN_FILE ${CMAKE_CURRENT_LIST_DIR}/arm.cmake)\n"
    lists.write_text(text + lists.read_text(encoding="utf-8"), encoding="utf-8")
    return project


@pytest.mark.parametrize(
    ("size", "status", "words"),
    [
        pytest.param(1024, 0, "PASS  FLASH", id="good"),
        pytest.param(16384, 1, "error[region-over-budget]: RAM holds", id="over budget"),
        pytest.param(65536, 1, "error[region-over-budget]: RAM holds", id="a failed link"),
    ],
)
def test_the_steps(
    fw: Project, steps: list[dict[str, Any]], size: int, status: int, words: str
) -> None:
    if size != 1024:
        fw.grow(1024, size)
    built = run_step(fw, steps, "Build and check")
    assert built.status == status, built.output
    shown = run_step(fw, steps, "Show the report")
    assert shown.status == 0, shown.output
    summary = (fw.folder / "summary.md").read_text(encoding="utf-8")
    assert words in summary
    assert (summary.startswith("```\n"), summary.endswith("```\n")) == (True, True)
    assert (fw.folder / "build" / "mapinspect.json").exists()


def test_files_to_upload_are_those_that_the_steps_make(steps: list[dict[str, Any]]) -> None:
    paths = steps[-1]["with"]["path"].split()
    scripts = " ".join(step.get("run", "") for step in steps)
    assert paths
    assert all(path in scripts for path in paths)
    # What only shows the report runs also when the build failed, and is not the gate.
    assert [step.get("if") for step in steps[-2:]] == ["${{ !cancelled() }}"] * 2
    assert not any("if" in step for step in steps[:-2])
