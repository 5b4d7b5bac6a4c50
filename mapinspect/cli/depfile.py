"""What a check read, as a make rule that GNU make and Ninja both read.

The two agree on a backslash before blanks, ``#`` and ``:``, and on ``$$`` for a dollar sign, as
GCC writes them (GNU make manual, "Rule Syntax"; Ninja manual, "depfile"; GCC, libcpp/mkdeps.cc).
"""

import os
import re
from collections.abc import Iterable

from mapinspect.errors import InputError

_UNWRITABLE = re.compile("[\n\r\t;|]")  # would end the line, start a recipe, change what follows
_NO_TARGET = re.compile("[=%]")  # before a colon these make a variable or a pattern rule
_BEFORE_BLANK = re.compile(r"(\\*) ")


def rule(target: str, inputs: Iterable[str]) -> str:
    """Return the rule by which ``target`` depends on ``inputs``.

    Each input is also a target without prerequisites: when it disappears the check runs again
    and says so, where make would stop. Raises InputError for a name that no rule can hold.
    """
    # make takes `a=b` right behind the colon for a variable of the target.
    ordered = sorted(dict.fromkeys(inputs), key=lambda name: _NO_TARGET.search(name) is not None)
    lines = [f"{escaped(target)}: {' '.join(map(escaped, ordered))}"]
    # The blank behind the colon is for CMake 3.21, which takes `a:` at a line's end for a name.
    lines += [f"{escaped(name)}: " for name in ordered if not _NO_TARGET.search(name)]
    return "\n".join(lines) + "\n"


def escaped(name: str) -> str:
    r"""Return a file name as a make rule spells it.

    >>> print(escaped("my models/kws#2 $1.tflite"))
    my\ models/kws\#2\ $$1.tflite
    """
    if _UNWRITABLE.search(name):
        raise InputError(name, None, "cannot stand in a make rule", "rename it")
    if os.sep == "\\":
        name = name.replace("\\", "/")
    name = _BEFORE_BLANK.sub(r"\1\1\\ ", name.replace("$", "$$"))
    return name.replace("#", "\\#").replace(":", "\\:")
