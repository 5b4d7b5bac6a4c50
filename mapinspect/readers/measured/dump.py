"""High-water marks of painted stacks, from a dump of RAM (``.bin``, Intel HEX, Motorola S).

The high-water mark is the distance from the stack's top to its lowest overwritten byte. It is
never a count of overwritten bytes: programs leave untouched gaps between the ones they use.
"""

from dataclasses import dataclass

from mapinspect.errors import InputError
from mapinspect.model.image import Evidence, Span
from mapinspect.model.measurement import Measurement, Run
from mapinspect.readers.source import SourceFile

_DETECT = 16  # bytes at the bottom that must show the fill
_WIDTHS = (1, 2, 4)  # bytes of a fill pattern: 0xA5, 0xDEADBEEF
_SIZE_LIMIT = 64 * 1024 * 1024  # bytes of a dump; the largest RAM is far below
_HEX_SUFFIXES = (".hex", ".ihex", ".ihx", ".srec", ".s19", ".s28", ".s37", ".mot")


@dataclass(frozen=True, slots=True)
class PaintedStack:
    """A stack to look for in a dump: its name and span, and what it was filled with.

    ``fill`` is the pattern as it lies in memory, None to find it at the bottom. ``base`` is the
    address of a ``.bin`` file's first byte; None: the file is the stack alone.
    """

    name: str
    span: Span
    fill: bytes | None = None
    base: int | None = None


def high_water(source: SourceFile, stack: PaintedStack, run: Run) -> Measurement:
    """Return how much of a painted stack was used, in bytes.

    Raises InputError where the dump lacks a byte of the stack, is damaged, or shows no fill.
    """
    content = _content(source, stack)
    fill = _given_fill(stack) or _found_fill(source, stack, content)
    used = len(content) - _untouched(content, fill)
    painted = f"0x{fill.hex()}"
    text = f"{stack.name}: lowest byte that is not {painted} at {stack.span.end - used:#x}"
    notes = ("zeros may be the program's own",) if not any(fill) else ()
    return Measurement(
        f"stack.{stack.name}.peak",
        "stack",
        stack.name,
        used,
        run,
        Evidence(source.path, None, text),
        stack.span.size,
        notes,
    )


def _untouched(content: bytes, fill: bytes) -> int:
    """Return how many bytes from the bottom still show the fill, whole or in part."""
    repeated = fill * (len(content) // len(fill) + 1)
    if repeated.startswith(content):
        return len(content)
    low, high = 0, len(content)
    while high - low > 1:  # the longest common start, by halving: dumps have megabytes
        middle = (low + high) // 2
        if content[low:middle] == repeated[low:middle]:
            low = middle
        else:
            high = middle
    return low


def _given_fill(stack: PaintedStack) -> bytes:
    """Return the fill as it begins at the stack's lowest byte: patterns lie at their multiples."""
    fill = stack.fill or b""
    turned = stack.span.start % len(fill) if fill else 0
    return fill[turned:] + fill[:turned]


def _found_fill(source: SourceFile, stack: PaintedStack, content: bytes) -> bytes:
    bottom = content[:_DETECT]
    for width in _WIDTHS:
        fill = bottom[:width]
        if len(bottom) == _DETECT and fill * (_DETECT // width) == bottom:
            return fill
    raise InputError(
        source.path,
        None,
        f"the bottom of {stack.name} shows no fill",
        "it overflowed or was never painted; state the fill to know which",
    )


def _content(source: SourceFile, stack: PaintedStack) -> bytes:
    if len(source.content) > _SIZE_LIMIT or stack.span.size > _SIZE_LIMIT:
        limit = _SIZE_LIMIT // 2**20
        raise InputError(source.path, None, f"is more than {limit} MiB", "dump only the stack")
    if source.path.lower().endswith(_HEX_SUFFIXES):
        return _from_hex(source, stack.span)
    if stack.base is None and len(source.content) != stack.span.size:
        raise InputError(
            source.path,
            None,
            f"has {len(source.content)} bytes, {stack.name} has {stack.span.size}",
            "state the address of the dump's first byte",
        )
    start = 0 if stack.base is None else stack.span.start - stack.base
    content = source.content[max(0, start) : max(0, start + stack.span.size)]
    if start < 0 or len(content) != stack.span.size:
        raise _missing(source, stack.span)
    return content


def _from_hex(source: SourceFile, span: Span) -> bytes:
    try:
        import bincopy  # noqa: PLC0415 - optional
    except ImportError:
        raise InputError(
            source.path,
            None,
            "is no plain binary, and bincopy is not installed",
            "pip install 'mapinspect[dumps]', or dump a .bin",
        ) from None
    file = bincopy.BinFile()
    try:
        file.add(source.content.decode("ascii"))
    except (bincopy.Error, UnicodeDecodeError, ValueError) as error:
        what = str(error).split(",", maxsplit=1)[0][:80]
        raise InputError(
            source.path, None, f"is no hexadecimal dump ({what})", "dump again"
        ) from None
    held = [Span(part.minimum_address, len(part.data)) for part in file.segments]
    if not any(part.contains(span) for part in held):
        raise _missing(source, span)
    return bytes(file.as_binary(span.start, span.end))


def _missing(source: SourceFile, span: Span) -> InputError:
    what = f"lacks bytes of {span.start:#x} to {span.end:#x}"
    return InputError(source.path, None, what, "dump the whole stack")
