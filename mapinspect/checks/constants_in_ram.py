"""constants-in-ram: look-up tables take up RAM.

A table of sines, filter coefficients or fonts that lost its `const` lies in `.data`: it costs
Flash for its initial value and the same bytes of RAM again. Two things are looked for: input
sections of constants (`.rodata`) that the linker script puts where start-up copies them to RAM,
and initialised variables of at least 256 bytes. That a variable is never written no file says, so
only names that speak of tables are a warning, others information; weights and arenas have checks
of their own.

    warning[constants-in-ram]: mel_filters (1024 bytes) lies in RAM with its value in FLASH as well

Mend it by declaring the table `const`, and by keeping `*(.rodata*)` in Flash.
"""

import re
from collections.abc import Iterator, Sequence

from mapinspect.checks.check import check
from mapinspect.model.finding import Finding, Outcome, Severity, holds, not_claimed
from mapinspect.model.inspection import Inspection, Located
from mapinspect.model.region_kind import RAM_KINDS

_FEW = 256  # bytes of copied constants that are not worth a word
_SHOWN = 5  # names in one line of information
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_TABLES = frozenset(
    [
        "lut",
        "table",
        "tables",
        "tab",
        "sigmoid",
        "tanh",
        "sine",
        "cosine",
        "sin",
        "cos",
        "exp",
        "coef",
        "coefs",
        "coeff",
        "coeffs",
        "coefficient",
        "coefficients",
        "twiddle",
        "twiddles",
        "window",
        "hann",
        "hamming",
        "mel",
        "filter",
        "filters",
        "filterbank",
        "kernel",
        "kernels",
        "weights",
        "bias",
        "biases",
        "constants",
        "font",
        "fonts",
        "bitmap",
        "crc",
        "dct",
        "dtw",
        "scale",
        "scales",
    ]
)


@check("constants-in-ram", "no table of constants takes up RAM", __doc__, worst="warning")
def constants_in_ram(inspection: Inspection) -> Iterator[Outcome]:
    """Judge the copied input sections together, then each large variable."""
    if inspection.elf is None:
        yield not_claimed("constants", "no ELF is given")
        return
    yield _copied(inspection.habits.copied_constants)
    variables = [item for item in inspection.habits.constants if _is_ours(inspection, item)]
    tables = [item for item in variables if _is_table(item.name)]
    for item in tables:
        yield holds(item.name, _warning(item))
    others = [item for item in variables if item not in tables]
    yield holds("variables", *_information(others))


def _copied(found: Sequence[Located]) -> Outcome:
    total = sum(item.span.size for item in found)
    if total < _FEW:
        return holds("constants")
    largest = found[0]
    message = (
        f"{total} bytes of constants are copied to {largest.region or 'RAM'}, "
        f"the largest is {largest.name} ({largest.span.size} bytes)"
    )
    evidence = tuple(item.evidence for item in found[:3])
    remedy = "keep *(.rodata*) in Flash in the linker script"
    return holds("constants", Finding(Severity.WARNING, largest.name, message, evidence, remedy))


def _is_ours(inspection: Inspection, item: Located) -> bool:
    """Return whether a variable runs in RAM and no other check speaks of it."""
    if item.region is None or inspection.kind(item.region) not in RAM_KINDS:
        return False
    known = [copy.place.span for model in inspection.models for copy in model.copies]
    known += [model.place.span for model in inspection.embedded]
    known += [place.span for arena in inspection.arenas for place in arena.candidates]
    known += [found.span for found in inspection.recognised]
    known += [kept.place for kept in inspection.reservations if kept.place is not None]
    return not any(span.overlap(item.span) for span in known)


def _is_table(name: str) -> bool:
    return any(word.lower() in _TABLES for word in _WORD.findall(name))


def _warning(item: Located) -> Finding:
    where = f" with its value in {item.load_region} as well" if item.load_region else ""
    message = f"{item.name} ({item.span.size} bytes) lies in {item.region}{where}"
    remedy = "declare it const if nothing writes it"
    return Finding(Severity.WARNING, item.name, message, (item.evidence,), remedy)


def _information(found: Sequence[Located]) -> Iterator[Finding]:
    if not found:
        return
    total = sum(item.span.size for item in found)
    names = ", ".join(f"{item.name} {item.span.size}" for item in found[:_SHOWN])
    message = (
        f"{total} bytes of initialised variables could be const if nothing writes them: {names}"
    )
    evidence = tuple(item.evidence for item in found[:_SHOWN])
    remedy = "declare const what is never written"
    yield Finding(Severity.INFORMATION, found[0].name, message, evidence, remedy)
