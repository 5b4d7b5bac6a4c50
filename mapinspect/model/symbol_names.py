"""Symbol names without the suffixes that compilers add."""

# GCC: ipa-*.cc, lto-partition.cc, cgraphclones.cc; LLVM: ThinLTO promotion, -funique-internal-….
_CLONES = frozenset({
    "lto_priv", "constprop", "isra", "part", "cold", "clone", "simdclone", "localalias",
    "llvm", "__uniq",
})  # fmt: skip


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


def is_nameless(name: str) -> bool:
    """Return whether this is a place that no symbol names: ``.rodata+0x10``."""
    return "+0x" in name
