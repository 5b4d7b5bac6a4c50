"""C++ and Rust names as their sources spell them, where the optional extra is installed."""

import re
from collections.abc import Callable
from functools import cache

from mapinspect.model.symbol_names import source_name

# A native demangler recurses once a letter and writes every reference out: `K` 100 000 times is
# a stack overflow, forty references that nest are a terabyte. Names beyond these stay raw.
_LENGTH_LIMIT = 2048
_REFERENCE_LIMIT = 32
# Itanium C++ ABI 5.1.10 and 5.1.5.9: S_, S0_, T_, T0_ …; Rust symbol names v0: B_, Ba_ ….
_CPP_REFERENCE = re.compile(r"[ST][0-9A-Z]*_")
# Rust's older names end with a hash of the crate, which some demanglers leave there.
_RUST_HASH = re.compile(r"::h[0-9a-f]{16}$")
_RUST_REFERENCE = re.compile(r"B[0-9a-zA-Z]*_")


def demangle(name: str) -> str:
    """Return the readable form of a mangled name, the name itself where there is none.

    Needs the extra ``mapinspect[demangle]``; without it only plain C++ variables are read.

    >>> demangle("tensor_arena"), demangle("_ZL12tensor_arena")
    ('tensor_arena', 'tensor_arena')
    """
    if not name.startswith(("_Z", "_R")) or not _is_harmless(name):
        return name
    native = _native()
    return _RUST_HASH.sub("", native(name) if native else source_name(name)) or name


def _is_harmless(name: str) -> bool:
    if len(name) > _LENGTH_LIMIT or not name.isascii():
        return False
    reference = _RUST_REFERENCE if name.startswith("_R") else _CPP_REFERENCE
    return sum(1 for _ in reference.finditer(name)) <= _REFERENCE_LIMIT


@cache
def _native() -> Callable[[str], str] | None:
    """Return the installed demangler; imported late, since most runs print no C++ name."""
    try:
        import pydemumble  # noqa: PLC0415 - optional
    except ImportError:
        return None
    return lambda name: str(pydemumble.demangle(name))
