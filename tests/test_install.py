"""mapinspect finds its grammars and scripts however it is installed."""

import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROBE = (
    "from mapinspect import resources as r;"
    "print(len(r.text('grammars', 'gnu_ld.lark')), r.folder('linker_scripts'))"
)


def run(python: Path | str, *arguments: str, cwd: Path) -> str:
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    return subprocess.run(
        [python, *arguments], cwd=cwd, env=environment, check=True, capture_output=True, text=True
    ).stdout


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a virtual environment that sees this one's dependencies, but not mapinspect."""
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder / "venv", with_pip=True)
    python = folder / "venv" / "bin" / "python"
    site = run(python, "-c", "import site; print(site.getsitepackages()[0])", cwd=folder).strip()
    ours = [path for path in sys.path if path.endswith("site-packages")]
    # Only the folders themselves: their .pth files would bring this checkout along.
    (Path(site) / "borrowed.pth").write_text("\n".join(ours) + "\n")
    return python


def test_in_a_checkout(tmp_path: Path) -> None:
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r}); {PROBE}"
    out = run(sys.executable, "-c", code, cwd=tmp_path)
    assert out.endswith(f"{ROOT / 'linker_scripts'}\n")


def test_from_a_wheel(environment: Path, tmp_path: Path) -> None:
    source = tmp_path / "source"
    tracked = subprocess.run(
        [
            "git",
            "ls-files",
            "mapinspect",
            "grammars",
            "linker_scripts",
            "pyproject.toml",
            "README.md",
            "LICENSE",
        ],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.splitlines()
    for name in tracked:
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_bytes((ROOT / name).read_bytes())
    run(
        environment,
        "-m",
        "pip",
        "wheel",
        "--no-deps",
        "-q",
        "-w",
        str(tmp_path),
        str(source),
        cwd=tmp_path,
    )
    wheel = next(tmp_path.glob("*.whl"))
    run(
        environment,
        "-m",
        "pip",
        "install",
        "--no-deps",
        "-q",
        "--force-reinstall",
        str(wheel),
        cwd=tmp_path,
    )
    out = run(environment, "-c", PROBE, cwd=tmp_path)
    assert "site-packages/mapinspect/linker_scripts" in out
    assert "usage" in run(environment, "-m", "mapinspect", "--help", cwd=tmp_path).lower()


def test_in_an_editable_install(environment: Path, tmp_path: Path) -> None:
    run(environment, "-m", "pip", "install", "--no-deps", "-q", "-e", str(ROOT), cwd=tmp_path)
    out = run(environment, "-c", PROBE, cwd=tmp_path)
    assert out.endswith(f"{ROOT / 'linker_scripts'}\n")
