"""Values of linker-script expressions, on 64-bit integers as ld computes them.

Source of the rules: the ld manual, chapter "Expressions in Linker Scripts", checked against
ld 2.40. Values are unsigned 64-bit; ``/`` and ``%`` are signed and truncate, as ld's are.
"""

from collections.abc import Callable
from typing import Protocol

from lark import Token, Tree

from mapinspect.model.image import Span

Node = Tree[Token] | Token

DEPTH_LIMIT = 64  # nested operators; hand-written scripts stay below ten
_BITS = 64  # bfd_vma
_MASK = (1 << _BITS) - 1
_FACTORS = {"k": 1024, "m": 1024 * 1024}
_BASES = {"h": 16, "x": 16, "o": 8, "b": 2, "d": 10}


class ExpressionError(Exception):
    """An expression has no value; says why and what to do. The caller adds the place.

    ``cause`` is the first of the reasons, where one fault follows from another.
    """

    def __init__(self, what: str, remedy: str, cause: str | None = None) -> None:
        super().__init__(what, remedy, cause)
        self.what = what
        self.remedy = remedy
        self.cause = cause or what


class Names(Protocol):
    """What the names of an expression stand for where it is evaluated."""

    def value(self, name: str) -> int:
        """Return a symbol's value; raises ExpressionError when it has none."""
        ...

    def defined(self, name: str) -> bool:
        """Return the answer to ``DEFINED(name)``."""
        ...

    def region(self, name: str) -> Span:
        """Return the region of ``ORIGIN(name)``; raises ExpressionError when there is none."""
        ...


def evaluate(node: Node, names: Names, depth: int = 0) -> int:
    """Return the value of a parsed expression, 0 <= value < 2**64.

    Raises ExpressionError for what only the linker knows (``.``, ``ADDR``), unresolved names,
    division by zero, too large numbers and shifts, and nesting beyond ``DEPTH_LIMIT``.
    """
    if depth > DEPTH_LIMIT:
        raise ExpressionError(
            f"an expression is nested more than {DEPTH_LIMIT} deep", "write the figure instead"
        )
    assert isinstance(node, Tree)
    children = node.children
    match node.data:
        case "number":
            return _number(str(children[0]))
        case "name":
            return names.value(unquoted(children[0])) & _MASK
        case "signed":
            return _UNARY[str(children[0])](evaluate(children[1], names, depth + 1)) & _MASK
        case "choice":
            chosen = 1 if evaluate(children[0], names, depth + 1) else 2
            return evaluate(children[chosen], names, depth + 1)
        case "call":
            return _call(str(children[0]), children[1:], names, depth + 1) & _MASK
        case _:
            return _chain(children, names, depth + 1)


def unquoted(token: Node) -> str:
    """Return a name without the quotation marks it may carry."""
    text = str(token)
    return text[1:-1] if text.startswith('"') else text


def _chain(children: list[Node], names: Names, depth: int) -> int:
    value = evaluate(children[0], names, depth)
    for operator, operand in zip(children[1::2], children[2::2], strict=True):
        value = _BINARY[str(operator)](value, evaluate(operand, names, depth)) & _MASK
    return value


def _number(text: str) -> int:
    digits, factor = text.lower(), 1
    if digits[-1] in _FACTORS:
        factor, digits = _FACTORS[digits[-1]], digits[:-1]
    if digits.startswith("0x"):
        value = _digits(digits[2:], 16, text)
    elif digits.startswith("$"):
        value = _digits(digits[1:], 16, text)
    elif digits[-1] in _BASES and factor == 1:
        value = _digits(digits[:-1], _BASES[digits[-1]], text)
    else:
        value = _digits(digits, 8 if digits.startswith("0") else 10, text)
    if value * factor > _MASK:
        raise ExpressionError(f"{_short(text)} does not fit 64 bits", "correct the number")
    return value * factor


def _digits(digits: str, base: int, text: str) -> int:
    # The length is checked first: int() on a megabyte of digits is slow.
    if len(digits) <= _BITS:
        try:
            return int(digits, base)
        except ValueError:
            pass
    raise ExpressionError(f"{_short(text)} is no number of base {base}", "correct the number")


def _short(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:40]}…"


def _signed(value: int) -> int:
    return value - (1 << _BITS) if value >> (_BITS - 1) else value


def _divide(left: int, right: int) -> int:
    dividend, divisor = _signed(left), _signed(right)
    if divisor == 0:
        raise ExpressionError("an expression divides by zero", "correct the expression")
    quotient = abs(dividend) // abs(divisor)
    return quotient if (dividend < 0) == (divisor < 0) else -quotient


def _remainder(left: int, right: int) -> int:
    return _signed(left) - _signed(right) * _divide(left, right)


def _shift(left: int, right: int, *, up: bool) -> int:
    if right >= _BITS:
        # C leaves this open: ld's answer depends on the machine it runs on.
        raise ExpressionError(f"an expression shifts by {right} bits", "shift by less than 64")
    return left << right if up else left >> right


def _align(value: int, boundary: int) -> int:
    return value if boundary <= 1 else (value + boundary - 1) // boundary * boundary


_UNARY: dict[str, Callable[[int], int]] = {
    "+": lambda value: value,
    "-": lambda value: -value,
    "~": lambda value: ~value,
    "!": lambda value: int(value == 0),
}
_BINARY: dict[str, Callable[[int, int], int]] = {
    "||": lambda left, right: int(bool(left) or bool(right)),
    "&&": lambda left, right: int(bool(left) and bool(right)),
    "|": lambda left, right: left | right,
    "^": lambda left, right: left ^ right,
    "&": lambda left, right: left & right,
    "==": lambda left, right: int(left == right),
    "!=": lambda left, right: int(left != right),
    "<": lambda left, right: int(left < right),
    "<=": lambda left, right: int(left <= right),
    ">": lambda left, right: int(left > right),
    ">=": lambda left, right: int(left >= right),
    "<<": lambda left, right: _shift(left, right, up=True),
    ">>": lambda left, right: _shift(left, right, up=False),
    "+": lambda left, right: left + right,
    "-": lambda left, right: left - right,
    "*": lambda left, right: left * right,
    "/": _divide,
    "%": _remainder,
}
# Functions of numbers: how many arguments, and the value.
_NUMERIC: dict[str, tuple[int, Callable[..., int]]] = {
    "ABSOLUTE": (1, lambda value: value),
    "ALIGN": (2, _align),
    "LOG2CEIL": (1, lambda value: max(value - 1, 0).bit_length()),
    "MAX": (2, max),
    "MIN": (2, min),
}
_OF_A_NAME = ("DEFINED", "LENGTH", "ORIGIN")


def _call(function: str, arguments: list[Node], names: Names, depth: int) -> int:
    # An empty argument list parses as one absent argument.
    given = [argument for argument in arguments if argument is not None]
    if function in _OF_A_NAME:
        return _named(function, given, names)
    if function in ("SEGMENT_START", "ASSERT") and len(given) == 2:
        # SEGMENT_START's second argument is what holds without -T options; ASSERT is its first.
        return evaluate(given[1 if function == "SEGMENT_START" else 0], names, depth)
    count, compute = _NUMERIC.get(function, (-1, max))
    if len(given) != count:
        raise ExpressionError(
            f"only the linker knows {function}(…)", "write the figure, or give the map"
        )
    return compute(*(evaluate(argument, names, depth) for argument in given))


def _named(function: str, given: list[Node], names: Names) -> int:
    if len(given) != 1 or not isinstance(given[0], Tree) or given[0].data != "name":
        raise ExpressionError(
            f"{function}(…) takes one name", "quote a name that has other characters than letters"
        )
    name = unquoted(given[0].children[0])
    if function == "DEFINED":
        return int(names.defined(name))
    span = names.region(name)
    return span.start if function == "ORIGIN" else span.size
