import time

import pytest

from mapinspect.model.symbol_names import base_name


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        pytest.param("tensor_arena", "tensor_arena", id="a plain name"),
        pytest.param("tensor_arena.1", "tensor_arena", id="a function's static"),
        pytest.param("tensor_arena.lto_priv.0", "tensor_arena", id="privatised by LTO"),
        pytest.param("tensor_arena.1.lto_priv.0", "tensor_arena", id="both"),
        pytest.param("f.constprop.0.isra.0", "f", id="cloned twice"),
        pytest.param("f.part.3.cold", "f", id="a cold part"),
        pytest.param("g.llvm.12345678901234567890", "g", id="ThinLTO"),
        pytest.param("g.__uniq.987.llvm.1", "g", id="unique internal linkage"),
        pytest.param("f.localalias", "f", id="a local alias"),
        pytest.param("_ZL5arena.lto_priv.0", "_ZL5arena", id="a mangled name"),
        pytest.param("main.rs", "main.rs", id="a suffix of no compiler"),
        pytest.param("x.cold2", "x.cold2", id="a longer word"),
        pytest.param("x.1b", "x.1b", id="no number"),
        pytest.param("x.١", "x.١", id="a digit of another script"),
        pytest.param(".L5", ".L5", id="a local label"),
        pytest.param(".1", ".1", id="only a suffix"),
        pytest.param("x.", "x.", id="a dot at the end"),
        pytest.param("", "", id="nothing"),
    ],
)
def test_compiler_suffixes_are_taken_away(name: str, expected: str) -> None:
    assert base_name(name) == expected


def test_a_name_of_many_suffixes_costs_no_more_than_its_length() -> None:
    start = time.process_time()
    assert base_name("x" + ".lto_priv.1" * 50_000 + "!").endswith("!")
    assert base_name("x" + ".lto_priv.1" * 50_000) == "x"
    assert time.process_time() - start < 1
