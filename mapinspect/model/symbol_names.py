"""Symbol names without the suffixes that compilers add."""

import re
from fnmatch import fnmatchcase

# GCC: ipa-*.cc, lto-partition.cc, cgraphclones.cc; LLVM: ThinLTO promotion, -funique-internal-….
_CLONES = frozenset({
    "lto_priv", "constprop", "isra", "part", "cold", "clone", "simdclone", "localalias",
    "llvm", "__uniq",
})  # fmt: skip

_LTO = (".lto_priv.", ".ltrans")  # of names of symbols and objects
_DIGITS = "0123456789"
_LOCAL = re.compile(r"(?=E(\d{1,4})([A-Za-z_]\w*)$)")  # where the function's own name may end
_LONGEST = 2048  # letters of a name that is looked into at every E
_NUMBERED = re.compile(r"_(\d|_\d+_)$")  # Itanium C++ ABI 5.1.6, discriminator
_LENGTH_DIGITS = 4  # of the length of one word in a mangled name; no source has longer words


def base_name(name: str) -> str:
    """Return the name as the source wrote it: ``arena`` for ``arena.1.lto_priv.0``.

    Takes away what GCC and LLVM add to statics of functions (``.N``) and to clones, in any
    number: ``.lto_priv.N``, ``.constprop.N``, ``.isra.N``, ``.part.N``, ``.cold``, ``.llvm.N``.
    Names that begin with a dot keep their first word. A name is read once from its end, however
    many suffixes it has.

    >>> base_name("tensor_arena.1.lto_priv.0"), base_name(".L5"), base_name("v1.x")
    ('tensor_arena', '.L5', 'v1.x')
    """
    end = len(name)
    while (dot := name.rfind(".", 0, end)) > 0:
        suffix = name[dot + 1 : end]
        if not (suffix in _CLONES or (suffix.isascii() and suffix.isdigit())):
            break
        end = dot
    return name[:end]


def is_of_lto(name: str) -> bool:
    """Return whether link-time optimisation made the symbol or object of this name.

    >>> is_of_lto("buffer.lto_priv.0"), is_of_lto("/tmp/cc1.ltrans0.ltrans.o"), is_of_lto("buffer")
    (True, True, False)
    """
    return any(mark in name for mark in _LTO)


def is_nameless(name: str) -> bool:
    """Return whether this is a place that no symbol names: ``.rodata+0x10``."""
    return "+0x" in name


def source_name(name: str) -> str:
    """Return the plain C++ variable's name as its source has it; any other name unchanged.

    Only names made of words alone are read: a static variable, or one in namespaces and classes
    (Itanium C++ ABI 5.1.3, nested-name). Anonymous namespaces are left out, as C++ does.

    >>> source_name("_ZL12tensor_arena"), source_name("_ZN12_GLOBAL__N_112tensor_arenaE")
    ('tensor_arena', 'tensor_arena')
    >>> source_name("_ZN3kws5arenaE"), source_name("_ZN3kws5arenaEv"), source_name("_Z4mainv")
    ('kws::arena', '_ZN3kws5arenaEv', '_Z4mainv')
    >>> source_name("_ZN3kwsL7g_modelE")  # of internal linkage, as a constant is
    'kws::g_model'
    >>> source_name("_ZZ5setupvE12tensor_arena")  # of a function (5.1.6, local-name)
    'tensor_arena'
    """
    if name.startswith("_ZZ"):
        return _local_name(name)
    nested = name.startswith("_ZN")
    rest = name[3:] if nested or name.startswith("_ZL") else ""
    words: list[str] = []
    while (rest := rest.removeprefix("L") if nested else rest)[:1] in _DIGITS and rest:
        digits = rest[: len(rest) - len(rest.lstrip(_DIGITS))]
        if len(digits) > _LENGTH_DIGITS:
            return name
        start, size = len(digits), int(digits)
        word, rest = rest[start : start + size], rest[start + size :]
        if not size or len(word) != size:
            return name
        words.append(word)
    ended = rest == "E" if nested else len(words) == 1 and not rest
    plain = [word for word in words if not word.startswith("_GLOBAL__N")]
    return "::".join(plain) if ended and plain else name


def _local_name(name: str) -> str:
    """Return the name of a function's static variable; what numbers equal ones is left out."""
    for found in _LOCAL.finditer(name) if len(name) <= _LONGEST else ():
        word, size = found[2], int(found[1])
        plain = word if len(word) == size else _NUMBERED.sub("", word)
        if len(plain) == size:
            return plain
    return name


def readable_name(name: str) -> str:
    """Return the name as a person writes it: without suffixes, and as C++ has it.

    >>> readable_name("_ZL12tensor_arena.1")
    'tensor_arena'
    """
    return source_name(base_name(name))


def is_selected(name: str, glob: str) -> bool:
    """Return whether a glob selects a symbol: by its own name, its plain one or its source's.

    >>> is_selected("_ZL12tensor_arena.1", "tensor_arena"), is_selected("_Z1fv", "f")
    (True, False)
    """
    if fnmatchcase(name, glob):
        return True
    plain = base_name(name)
    if plain != name and fnmatchcase(plain, glob):
        return True
    source = source_name(plain)
    return source != plain and fnmatchcase(source, glob)
