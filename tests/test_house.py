"""The shape of the house: who may import whom, how long files and functions may be."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "mapinspect"

# Layer (a folder, or a file of the package) -> the layers it may import besides itself.
LAYERS = {
    "model": set(),
    "errors": set(),
    "resources": set(),
    "readers": {"model", "errors", "resources"},
    "analysis": {"model"},
    "checks": {"model"},
    "reports": {"model"},
    "integration": set(),
    "needs": {"readers", "analysis", "model", "errors"},
    "pipeline": {"needs", "readers", "analysis", "checks", "model", "errors"},
    "diagnosing": {"pipeline", "analysis", "model", "errors"},
    "cli": {
        "diagnosing",
        "needs",
        "pipeline",
        "readers",
        "analysis",
        "checks",
        "reports",
        "model",
        "errors",
        "resources",
    },
    "__main__": {"cli"},
    "__init__": set(),
}
# Data lies in packages of its own, outside the layers.
PYTHON = sorted(PACKAGE.rglob("*.py"))


def layer_of(path: Path) -> str:
    part = path.relative_to(PACKAGE).parts[0]
    return part.removesuffix(".py")


def imported_layers(tree: ast.AST) -> set[str]:
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    ours = [name.split(".") for name in names]
    return {parts[1] for parts in ours if parts[0] == "mapinspect" and len(parts) > 1}


@pytest.mark.parametrize("path", PYTHON, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_go_one_way(path: Path) -> None:
    layer = layer_of(path)
    assert layer in LAYERS, f"{layer} is in no layer: give it a place in LAYERS"
    forbidden = imported_layers(ast.parse(path.read_text())) - LAYERS[layer] - {layer}
    assert not forbidden, f"{layer} must not import {', '.join(sorted(forbidden))}"


@pytest.mark.parametrize("path", PYTHON, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_files_and_functions_stay_small(path: Path) -> None:
    text = path.read_text()
    assert text.count("\n") <= 300
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            lines = node.end_lineno - node.lineno + 1
            assert lines <= 40, f"{node.name} has {lines} lines"


@pytest.mark.parametrize("path", PYTHON, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_every_public_name_is_documented(path: Path) -> None:
    documented = (ast.FunctionDef, ast.ClassDef)
    public = [
        node
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, documented) and not node.name.startswith("_")
    ]
    assert [node.name for node in public if not ast.get_docstring(node)] == []


def test_top_level_folders_are_the_agreed_ones() -> None:
    agreed = {"mapinspect", "grammars", "tests", "fixtures", "linker_scripts"}
    built = {"build", "dist"}
    folders = {
        path.name
        for path in ROOT.iterdir()
        if path.is_dir() and not path.name.startswith(".") and not path.name.endswith(".egg-info")
    }
    assert folders - built - {"__pycache__"} == agreed


def test_no_vague_module_names() -> None:
    vague = {"utils", "helper", "helpers", "manager", "common", "misc"}
    assert not [path for path in PYTHON if path.stem in vague]


def test_fixtures_stay_small() -> None:
    files = [path for path in (ROOT / "fixtures").rglob("*") if path.is_file()]
    size = sum(path.stat().st_size for path in files if ".venv" not in path.parts)
    assert size < 8 * 1024 * 1024
