"""The computed arena against the runtime itself, in its Python wheel for x86-64."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from mapinspect.analysis.arena.kernels.table import operator_rows
from mapinspect.analysis.arena.need import need
from mapinspect.analysis.arena.profile import Profile
from mapinspect.analysis.arena.requirements import round_up
from mapinspect.model.arena import ArenaNeed
from mapinspect.readers.tflite import read_network
from tests.arena_accuracy import build_profile
from tests.heavy_operators import heavy_operators
from tests.plain_operators import plain_operators
from tests.random_graphs import branching_graph, offline_graph, plain_graph, variable_graph
from tests.wheel import measure, wheel_problem

if problem := wheel_problem():
    pytest.skip(problem, allow_module_level=True)

PLENTY = 65536  # bytes beyond twice the need: an arena in which every model starts
WHEEL = build_profile("x86_64_wheel")
FIXTURES = Path(__file__).resolve().parents[3] / "fixtures" / "models"


def differences(models: Sequence[tuple[str, Path]], profile: Profile = WHEEL) -> Iterator[str]:
    """Yield a line per model on which runtime and computation do not agree to the byte."""
    paths = [path for _, path in models]
    needs = [need(read_network(name, path.read_bytes()), profile) for name, path in models]
    linear = profile.linear
    sizes = [2 * found.smallest + PLENTY for found in needs]
    sizes += [round_up(found.smallest) for found in needs]
    sizes += [round_up(found.accepted) - 16 for found in needs]
    runs = measure(list(zip(paths * 3, sizes, strict=True)), linear=linear)
    count = len(paths)
    plenty, enough, less = runs[:count], runs[count : 2 * count], runs[2 * count :]
    for i, (name, _) in enumerate(models):
        found = needs[i]
        if not plenty[i].worked:
            if found.refused is None and found.exact:
                yield f"{name}: refused, not predicted: {plenty[i].log}"
            continue
        measured = (plenty[i].head, plenty[i].tail)
        if found.refused:
            yield f"{name}: works, predicted {found.refused}"
        elif not linear and measured != (found.nonpersistent, found.persistent):
            yield f"{name}: measured {measured}, computed {_sizes(found)}"
        elif not enough[i].worked or less[i].worked:
            yield f"{name}: smallest {found.smallest} does not work, or 16 bytes less does"


def _sizes(found: ArenaNeed) -> tuple[int, int]:
    return found.nonpersistent, found.persistent


def written(folder: Path, models: Sequence[tuple[str, bytes]]) -> list[tuple[str, Path]]:
    found = []
    for number, (name, content) in enumerate(models):
        path = folder / f"{number}.tflite"
        path.write_bytes(content)
        found.append((name, path))
    return found


@pytest.mark.corpus
def test_public_models(shared: Path) -> None:
    paths = sorted((shared / "models").rglob("*.tflite"))
    assert list(differences([(path.name, path) for path in paths])) == []


@pytest.mark.corpus
def test_public_models_with_all_tensors_preserved(shared: Path) -> None:
    paths = sorted((shared / "models").rglob("*.tflite"))
    linear = replace(WHEEL, recording=False, linear=True)
    assert list(differences([(path.name, path) for path in paths], linear)) == []


def test_our_own_models() -> None:
    paths = sorted(FIXTURES.glob("*.tflite"))
    if not paths:
        pytest.skip("needs fixtures/models")
    assert list(differences([(path.name, path) for path in paths])) == []


@pytest.mark.parametrize("generator", [plain_graph, offline_graph, branching_graph, variable_graph])
def test_random_graphs(tmp_path: Path, generator: type) -> None:
    models = [(f"{generator.__name__}({seed})", generator(seed)) for seed in range(40)]
    assert list(differences(written(tmp_path, models))) == []


def test_single_operators_without_weights(tmp_path: Path) -> None:
    assert list(differences(written(tmp_path, list(plain_operators())))) == []


def test_single_operators_with_weights(tmp_path: Path) -> None:
    assert list(differences(written(tmp_path, list(heavy_operators(seed=1, count=200))))) == []


def test_every_operator_with_a_kernel_is_asked_about() -> None:
    asked = {name.split()[0] for name, _ in plain_operators()}
    asked |= {name.split()[0] for name, _ in heavy_operators(seed=1, count=200)}
    # Control flow and variables are asked about in random graphs, LSTM in the public models.
    elsewhere = {"IF", "WHILE", "CALL_ONCE", "UNIDIRECTIONAL_SEQUENCE_LSTM"}
    elsewhere |= {"VAR_HANDLE", "READ_VARIABLE", "ASSIGN_VARIABLE"}
    assert set(operator_rows()) - asked - elsewhere == set()
