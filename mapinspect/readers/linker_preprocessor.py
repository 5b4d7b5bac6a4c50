"""Linker scripts that still have C preprocessor directives: conditions and plain macros.

A script without directives passes unchanged; what ld itself ignores (``# 1 "file"``) stays.
Macros with arguments are not expanded but refused where they are used: the compiler's
preprocessor does that, and its output is read as well.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from lark import Token, Tree

from mapinspect.errors import InputError
from mapinspect.model.image import Evidence, Span
from mapinspect.readers.linker_expression import ExpressionError, evaluate
from mapinspect.readers.linker_grammar import ScriptSyntaxError, parse
from mapinspect.readers.linker_sources import SIZE_LIMIT, SourceLine, Sources

_PREPROCESS = "run the C preprocessor first (gcc -E -P -x c) and give its output"
_DIRECTIVE = re.compile(
    r"[ \t]*#[ \t]*(define|undef|include|if|ifdef|ifndef|elif|else|endif"
    r"|error|pragma|warning)\b(.*)",
    re.DOTALL,
)
# An open comment takes the rest of the text, so that the pattern never looks twice.
_COMMENT = re.compile(r'/\*(?:.*?\*/|.*)|//[^\n]*|"[^"\n]*"', re.DOTALL)
_DEFINITION = re.compile(r"\s*([A-Za-z_]\w*)(\(?)(.*)", re.DOTALL)
_HEADER = re.compile(r'\s*(?:"([^"]+)"|<([^>]+)>)\s*$')
_DEFINED = re.compile(r"\bdefined\b\s*(?:\(\s*([A-Za-z_]\w*)\s*\)|([A-Za-z_]\w*))")
# A string, a number with its suffix, a name: only names are macros.
_PIECE = re.compile(r'"[^"\n]*"|\.?[0-9][\w.]*|[A-Za-z_]\w*')
_INTEGER_SUFFIX = re.compile(r"\b(0[xX][0-9A-Fa-f]+|[0-9]+)[uUlL]+\b")
_NESTING_LIMIT = 32  # macros that stand for macros


@dataclass(slots=True)
class _Branch:
    """An ``#if`` that is open: whether this part counts, and whether one part has counted."""

    opened: SourceLine
    counts: bool
    decided: bool


@dataclass(slots=True)
class Preprocessor:
    """Applies directives to lines; macros and assumptions last over included files."""

    sources: Sources
    assumptions: list[Evidence]
    macros: dict[str, str | None]  # None: a macro with arguments
    _branches: list[_Branch] = field(default_factory=list)
    _needed: bool = False  # a directive was seen; before that, # opens ld's own comments
    _grown: int = 0  # characters that macros have made so far

    def apply(self, lines: list[SourceLine], depth: int = 0) -> list[SourceLine]:
        """Return the lines that remain, each with its own place; raises InputError."""
        self._needed = self._needed or any(_DIRECTIVE.match(line.text) for line in lines)
        if not self._needed:
            return lines
        remaining: list[SourceLine] = []
        outer, self._branches = self._branches, []
        for line in _joined(_without_comments(lines)):
            directive = _DIRECTIVE.match(line.text)
            if directive is not None:
                remaining += self._obey(line, directive[1], directive[2], depth)
            elif self._counts():
                remaining.append(replace(line, text=self._expand(line, line.text)))
        if self._branches:
            raise _refusal(self._branches[-1].opened, "#if has no #endif", "add #endif")
        self._branches = outer
        return remaining

    def _counts(self) -> bool:
        return all(branch.counts for branch in self._branches)

    def _obey(self, line: SourceLine, word: str, rest: str, depth: int) -> list[SourceLine]:
        if word in ("if", "ifdef", "ifndef"):
            self._open(line, word, rest)
        elif word in ("elif", "else", "endif"):
            self._turn(line, word, rest)
        elif self._counts() and word == "include":
            return self._header(line, rest, depth)
        elif self._counts():
            self._define(line, word, rest)
        return []

    def _open(self, line: SourceLine, word: str, rest: str) -> None:
        holds = self._counts() and self._holds(line, word, rest)
        # In a part that is left out, no branch may count.
        self._branches.append(_Branch(line, holds, holds or not self._counts()))

    def _turn(self, line: SourceLine, word: str, rest: str) -> None:
        if not self._branches:
            raise _refusal(line, f"#{word} has no #if", "correct the script")
        branch = self._branches[-1]
        if word == "endif":
            self._branches.pop()
            return
        branch.counts = False
        if not branch.decided:
            branch.counts = word == "else" or self._holds(line, "if", rest)
            branch.decided = branch.counts

    def _holds(self, line: SourceLine, word: str, rest: str) -> bool:
        if word != "if":
            return self._defined(line, rest.strip()) == (word == "ifdef")

        def answer(found: re.Match[str]) -> str:
            """Return 1 or 0 for one ``defined`` of an ``#if``."""
            return str(int(self._defined(line, found[1] or found[2])))

        asked = _DEFINED.sub(answer, rest)
        text = _INTEGER_SUFFIX.sub(r"\1", self._expand(line, asked))
        try:
            return evaluate(_only(parse(text, "condition")), _Macros(self, line)) != 0
        except (ScriptSyntaxError, ExpressionError) as fault:
            raise _refusal(line, f"#if cannot be decided: {fault.what}", _PREPROCESS) from None

    def _defined(self, line: SourceLine, name: str) -> bool:
        if name not in self.macros:
            self.assume(line, name)
        return name in self.macros

    def assume(self, line: SourceLine, name: str) -> None:
        """Record that ``name`` is taken as not defined by the build."""
        evidence = line.evidence()
        self.assumptions.append(replace(evidence, text=_assumed(name)))

    def _define(self, line: SourceLine, word: str, rest: str) -> None:
        if word == "error":
            raise _refusal(line, f"says #error{rest}", "give the script as the build sees it")
        definition = _DEFINITION.match(rest)
        if word in ("pragma", "warning"):
            return
        if definition is None:
            raise _refusal(line, f"#{word} names nothing", "correct the script")
        if word == "undef":
            self.macros.pop(definition[1], None)
            return
        body = definition[3].strip()
        self.macros[definition[1]] = None if definition[2] else body
        if not body and self.assumptions and self.assumptions[-1].text == _assumed(definition[1]):
            self.assumptions.pop()  # the guard of a header, no question to the build

    def _header(self, line: SourceLine, rest: str, depth: int) -> list[SourceLine]:
        header = _HEADER.match(rest)
        if header is None:
            raise _refusal(line, f"#include{rest} names no file", _PREPROCESS)
        included = self.sources.included(line.evidence(), header[1] or header[2], depth)
        return self.apply(included, depth + 1)

    def _expand(self, line: SourceLine, text: str, within: tuple[str, ...] = ()) -> str:
        if not self.macros or not text.strip():
            return text
        pieces, end = [], 0
        for piece in _PIECE.finditer(text):
            name = piece[0]
            if name not in self.macros or name in within:
                continue
            pieces += [text[end : piece.start()], self._expansion(line, name, within)]
            end = piece.end()
        expanded = "".join([*pieces, text[end:]])
        self._grown += len(expanded)
        if self._grown > SIZE_LIMIT or len(within) > _NESTING_LIMIT:
            raise _refusal(line, "macros grow beyond measure here", _PREPROCESS)
        return expanded

    def _expansion(self, line: SourceLine, name: str, within: tuple[str, ...]) -> str:
        body = self.macros[name]
        if body is None:
            raise _refusal(line, f"{name} is a macro with arguments", _PREPROCESS)
        return self._expand(line, body, (*within, name))


class _Macros:
    """Names left in an ``#if``: C takes them as 0, which is recorded."""

    def __init__(self, preprocessor: Preprocessor, line: SourceLine) -> None:
        self._preprocessor = preprocessor
        self._line = line

    def value(self, name: str) -> int:
        """Return 0 for a name that no ``#define`` gives, and record that it was assumed."""
        self._preprocessor.assume(self._line, name)
        return 0

    def defined(self, name: str) -> bool:
        """Refuse the linker's DEFINED(): the preprocessor does not know it."""
        raise ExpressionError(f"DEFINED({name}) is the linker's, not #if's", _PREPROCESS)

    def region(self, name: str) -> Span:
        """Refuse ORIGIN() and LENGTH(): the preprocessor does not know them."""
        raise ExpressionError(f"{name} is the linker's, not #if's", _PREPROCESS)


def _assumed(name: str) -> str:
    return f"{name} is taken as not defined"


def _only(tree: Tree[Token]) -> Tree[Token] | Token:
    return tree.children[0]


def _refusal(line: SourceLine, what: str, remedy: str) -> InputError:
    return InputError(line.file, line.line, what, remedy)


def _without_comments(lines: list[SourceLine]) -> list[SourceLine]:
    text = "\n".join(line.text for line in lines)

    def blank(comment: re.Match[str]) -> str:
        """Return a comment's line ends alone, and a string as it is."""
        if comment[0].startswith('"'):
            return comment[0]
        if comment[0].startswith("/*") and not comment[0][2:].endswith("*/"):
            line = lines[text.count("\n", 0, comment.start())]
            raise _refusal(line, "opens a comment that nothing closes", "close it")
        return "\n" * comment[0].count("\n") or " "

    rows = _COMMENT.sub(blank, text).split("\n")
    return [replace(line, text=row) for line, row in zip(lines, rows, strict=True)]


def _joined(lines: list[SourceLine]) -> list[SourceLine]:
    """Join the lines that a backslash continues; a joined line has its first line's place."""
    joined: list[SourceLine] = []
    continues = False
    for line in lines:
        text = line.text.removesuffix("\\")
        if continues:
            joined[-1] = replace(joined[-1], text=f"{joined[-1].text} {text}")
        else:
            joined.append(replace(line, text=text))
        continues = text != line.text
    return joined


def predefined(symbols: Mapping[str, int]) -> dict[str, str | None]:
    """Return macros for names whose values are given from outside (``-D``)."""
    return {name: str(value) for name, value in symbols.items()}
