"""Symbol names without the suffixes that compilers add."""

import re

_SUFFIX = re.compile(r"(?:\.(?:lto_priv|constprop|isra|part|cold|llvm)(?:\.\d+)*|\.\d+)+$")


def base_name(name: str) -> str:
    """Return the name as the source wrote it: ``arena`` for ``arena.1.lto_priv.0``."""
    return _SUFFIX.sub("", name)
