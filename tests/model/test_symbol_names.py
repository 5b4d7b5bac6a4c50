import time

import pytest

from mapinspect.model.symbol_names import base_name, is_selected, source_name


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


@pytest.mark.parametrize(
    ("name", "source"),
    [
        # As c++filt of binutils 2.40 says, without "(anonymous namespace)::".
        pytest.param("_ZL6secret", "secret", id="static"),
        pytest.param("_ZN3kws5stateE", "kws::state", id="in a namespace"),
        pytest.param("_ZN3kwsL7g_modelE", "kws::g_model", id="of internal linkage in one"),
        pytest.param("_ZN12_GLOBAL__N_112tensor_arenaE", "tensor_arena", id="in one without name"),
        pytest.param("_ZN3kws12_GLOBAL__N_15arenaE", "kws::arena", id="in both"),
        pytest.param("_ZN3kws3runEv", "_ZN3kws3runEv", id="a function"),
        pytest.param("_ZZ4mainE5arena", "arena", id="of a function"),
        pytest.param("_ZZN3kws3runEvE5arena_0", "arena", id="of a method, the second of its name"),
        pytest.param("_ZZ4mainE5arena__12_", "arena", id="the thirteenth of its name"),
        pytest.param("_ZZ4mainE7arena_0", "arena_0", id="with a number in its own name"),
        pytest.param("_ZZN1aIiE3barEvE5arena", "arena", id="of a template's method"),
        pytest.param("_ZZ4mainEs", "_ZZ4mainEs", id="a string of a function"),
        pytest.param("_ZZ4mainENKUlvE_clEv", "_ZZ4mainENKUlvE_clEv", id="a function's lambda"),
        pytest.param("_ZZ4mainE6arena", "_ZZ4mainE6arena", id="of a length that does not fit"),
        pytest.param("_ZZ" + "E1" * 50_000, "_ZZ" + "E1" * 50_000, id="without end"),
        pytest.param("_ZL6secre", "_ZL6secre", id="cut off"),
        pytest.param("_ZL0", "_ZL0", id="of no letters"),
        pytest.param("_ZL9999999999x", "_ZL9999999999x", id="of a length that no name has"),
    ],
)
def test_variables_of_cpp_have_their_sources_name(name: str, source: str) -> None:
    assert source_name(name) == source


@pytest.mark.parametrize(
    ("name", "glob", "selected"),
    [
        pytest.param("_ZN12_GLOBAL__N_15arenaE", "arena", True, id="by the source's name"),
        pytest.param("_ZN12_GLOBAL__N_15arenaE", "_ZN*", True, id="by its own"),
        pytest.param("_ZL5arena.lto_priv.0", "arena", True, id="by the source's, cloned"),
        pytest.param("_ZN3kws5arenaE", "arena", False, id="not without its namespace"),
        pytest.param("_ZN3kws5arenaE", "*arena", True, id="by a glob over namespaces"),
    ],
)
def test_a_glob_selects_a_symbol_by_any_of_its_names(name: str, glob: str, selected: bool) -> None:
    assert is_selected(name, glob) is selected
