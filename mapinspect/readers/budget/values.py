"""The values a budget table may hold: sizes, shares, addresses, choices."""

import re
from datetime import date, datetime
from fractions import Fraction
from typing import Final, NoReturn

from mapinspect.model.budget import Amount

# GNU ld and datasheets mean 1024 by K and M; kB, KB and MB mean 1000 to some and 1024 to others.
SIZE_PATTERN: Final = r"([0-9]{1,30}(?:\.[0-9]{1,30})?) ?(KiB|MiB|K|M|B)?"
HEX_PATTERN: Final = r"0[xX]([0-9A-Fa-f](?:_?[0-9A-Fa-f]){0,31})"
PERCENT_PATTERN: Final = r"0{0,9}(100(?:\.0{1,30})?|[0-9]{1,2}(?:\.[0-9]{1,30})?) ?%"
DATE_PATTERN: Final = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"

_SIZE: Final = re.compile(SIZE_PATTERN)
_AMBIGUOUS: Final = re.compile(r"([0-9]+(?:\.[0-9]+)?) ?([kKmM][bB]|[km])")
_PERCENT: Final = re.compile(PERCENT_PATTERN)
_ANY_PERCENT: Final = re.compile(r"([0-9]+)(?:\.[0-9]+)? ?%")
_HEX: Final = re.compile(HEX_PATTERN)
PERCENT_LIMIT: Final = 100
SIZE_LIMIT: Final = 2**64


class BadValueError(Exception):
    """A value that the table may not hold; ``args`` are what is wrong and what to write."""

    def __init__(self, what: str, remedy: str) -> None:
        super().__init__(what, remedy)
        self.what = what
        self.remedy = remedy


def size(value: object) -> int:
    """Return a size in bytes: a whole number, or text such as ``"256K"`` or ``"1.5 MiB"``.

    Raises BadValueError for anything else: bools, floats, negative numbers, ambiguous units.
    """
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise BadValueError(
            f"is {_kind(value)}, not a size", 'write whole bytes or a size such as "256K"'
        )
    if isinstance(value, int):
        return _bounded(value)
    value = value.strip()
    if match := _HEX.fullmatch(value):
        return _bounded(int(match[1], 16))
    match = _SIZE.fullmatch(value)
    if match is None:
        _refuse_text(value)
    return _bounded(_to_bytes(match[1], match[2]))


def _to_bytes(number: str, unit: str | None) -> int:
    if unit in (None, "B"):
        exact = Fraction(number)
    else:
        import bitmath  # noqa: PLC0415 - start-up time: most runs name few units

        one = bitmath.parse_string(f"1{unit}", strict=False, system=bitmath.NIST)
        exact = Fraction(number) * int(one.bytes)
    if exact.denominator != 1:
        raise BadValueError(
            f"is {number}{unit or ''}, no whole number of bytes", "write whole bytes"
        )
    return int(exact)


def _refuse_text(value: str) -> NoReturn:
    ambiguous = _AMBIGUOUS.fullmatch(value)
    if ambiguous:
        letter = ambiguous[2][0].upper()
        raise BadValueError(
            f"has the ambiguous unit {ambiguous[2]} (1000 or 1024?)",
            f'write "{ambiguous[1]}{letter}iB" for 1024, or plain bytes',
        )
    raise BadValueError(f"is {value!r}, not a size", 'write bytes, "256K", "256KiB" or "1M"')


def _bounded(value: int) -> int:
    if value < 0:
        raise BadValueError("is negative", "write a size of 0 or more")
    if value >= SIZE_LIMIT:
        raise BadValueError("does not fit 64 bits", "write the size of a real memory")
    return value


def share(value: object) -> Fraction:
    """Return a share from text such as ``"85%"``; at most 100 %.

    Raises BadValueError for anything else.
    """
    if not isinstance(value, str):
        raise BadValueError(f"is {_kind(value)}, not a percentage", 'write it quoted: "15%"')
    match = _PERCENT.fullmatch(value.strip())
    if match is not None:
        return Fraction(match[1]) / 100
    if match := _ANY_PERCENT.fullmatch(value.strip()):
        if len(match[1].lstrip("0")) <= 2:  # digits; 99.9… % is no more than everything
            raise BadValueError("has too many digits", "write fewer")
        raise BadValueError(f"is {value.strip()}, more than everything", "write at most 100%")
    raise BadValueError(f"is {value!r}, not a percentage", 'write it as "15%"')


def amount(value: object) -> Amount:
    """Return a size in bytes or a share: ``4096``, ``"64K"`` or ``"85%"``."""
    if isinstance(value, str) and value.strip().endswith("%"):
        return Amount(None, share(value), value.strip())
    return Amount(size(value), None, str(value))


def more(value: object) -> int:
    """Return bytes that may be added: a size, as text also with a plus sign (``"+4K"``)."""
    if isinstance(value, str) and value.strip().startswith("+"):
        return size(value.strip()[1:].lstrip())
    return size(value)


def percent(value: object) -> Fraction:
    """Return a share from a whole number of per cent (``2``) or from text (``"2.5%"``)."""
    if isinstance(value, bool) or not isinstance(value, int):
        return share(value)
    if not 0 <= value <= PERCENT_LIMIT:
        raise BadValueError(f"is {value} per cent", "write 0 to 100")
    return Fraction(value, 100)


def day(value: object) -> date:
    """Return a date from TOML's own type or from text such as ``"2027-03-31"``."""
    if isinstance(value, date) and not isinstance(value, datetime):
        return value
    if isinstance(value, str) and re.fullmatch(DATE_PATTERN, value):
        try:
            return date.fromisoformat(value)
        except ValueError:
            raise BadValueError(f"is {value}, no day of a calendar", "write one") from None
    raise BadValueError(f"is {describe(value)}, not a date", "write it as 2027-03-31")


def _kind(value: object) -> str:
    names = {
        bool: "a boolean",
        int: "a number",
        float: "a float",
        str: "text",
        list: "a list",
        dict: "a table",
        datetime: "a date with a time",
        date: "a date",
    }
    return names.get(type(value), f"a {type(value).__name__}")


def describe(value: object) -> str:
    """Return what kind of TOML value this is, with its article."""
    return _kind(value)
