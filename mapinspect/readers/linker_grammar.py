"""Parse linker-script text by ``grammars/ld_memory.lark``; refusals name the line."""

from functools import cache

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedCharacters, UnexpectedEOF, UnexpectedInput, UnexpectedToken

from mapinspect.resources import text

_REMEDY = "correct the script, or give the one the linker used, after the preprocessor"


class ScriptSyntaxError(Exception):
    """Text that the grammar does not accept: its 1-based line, or None at the end; and why."""

    def __init__(self, line: int | None, what: str) -> None:
        super().__init__(line, what)
        self.line = line
        self.what = what
        self.remedy = _REMEDY


@cache
def _grammar() -> Lark:
    return Lark(
        text("grammars", "ld_memory.lark"),
        parser="lalr",
        start=["script", "condition", "regions"],
        maybe_placeholders=True,
    )


def parse(script: str, start: str) -> Tree[Token]:
    """Return the tree of ``script``, ``regions`` or ``condition``; raises ScriptSyntaxError."""
    try:
        tree = _grammar().parse(script, start=start)
    except UnexpectedToken as error:
        raise _fault(error, str(error.token)) from None
    except UnexpectedCharacters as error:
        raise _fault(error, script[error.pos_in_stream :][:1]) from None
    except UnexpectedEOF:
        raise ScriptSyntaxError(None, "ends in the middle of a statement") from None
    assert isinstance(tree, Tree)
    return tree


def _fault(error: UnexpectedInput, found: str) -> ScriptSyntaxError:
    if isinstance(error, UnexpectedToken) and error.token.type == "$END":
        return ScriptSyntaxError(None, "ends in the middle of a statement")
    return ScriptSyntaxError(error.line, f"{found[:40]!r} cannot stand here")
