import sys

import pytest

from mapinspect.readers import demangle as module
from mapinspect.readers.demangle import demangle


def needs_extra() -> None:
    pytest.importorskip("pydemumble", reason="needs the extra mapinspect[demangle]")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("_ZN6tflite16MicroInterpreter6InvokeEv", "tflite::MicroInterpreter::Invoke()"),
        ("_ZL12tensor_arena", "tensor_arena"),
        ("_ZN4core3fmt9Formatter3pad17h1234567890abcdefE", "core::fmt::Formatter::pad"),
    ],
)
def test_mangled_names_become_readable(name: str, expected: str) -> None:
    needs_extra()
    assert demangle(name) == expected  # as c++filt and rustfilt say


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("tensor_arena", id="a C name"),
        pytest.param("_Z", id="only the prefix"),
        pytest.param("_Zebra", id="a C name that begins alike"),
        pytest.param("_Z1f" + "K" * 100_000 + "i", id="a name that would overflow the stack"),
        pytest.param("_Z1f1A" + "2BbIS_S_E" * 40, id="a name that would grow without end"),
        pytest.param("_RNv" + "B_" * 40, id="a Rust name that would grow without end"),
        pytest.param("_Z1f\udcff", id="a name that is no text"),
        pytest.param("?x@@YAHXZ", id="another scheme"),
    ],
)
def test_other_names_stay(name: str) -> None:
    assert demangle(name) == name


def test_without_the_extra_only_variables_become_readable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pydemumble", None)
    module._native.cache_clear()
    assert demangle("_ZL12tensor_arena") == "tensor_arena"
    assert demangle("_ZN6tflite16MicroInterpreter6InvokeEv").startswith("_ZN6tflite16")
    module._native.cache_clear()
