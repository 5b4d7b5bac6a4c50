"""``[[measured]]`` rows of the table: dumps of RAM and logs that need a word of explanation."""

import re
from dataclasses import fields, replace

from mapinspect.errors import InputError
from mapinspect.model.elf_file import ElfFile, SymbolKind
from mapinspect.model.image import Span
from mapinspect.model.measurement import MeasuredFile, MeasuredRow, Run
from mapinspect.readers.measured.dump import PaintedStack, high_water
from mapinspect.readers.measured.reader import read_measured
from mapinspect.readers.measured.settings import Settings
from mapinspect.readers.source import SourceFile

_ADDRESS = re.compile(r"0[xX][0-9A-Fa-f]{1,16}")


def read_row(source: SourceFile, row: MeasuredRow, elf: ElfFile | None) -> MeasuredFile:
    """Return the measurements of the file that a row is about; ``elf`` has the symbols it names.

    Raises InputError for a file that cannot be used and for a stack that is nowhere.
    """
    if row.is_dump:
        stack = PaintedStack(row.name, _span(row, elf), row.fill, row.base)
        peak = replace(high_water(source, stack, row.run), span=stack.span)
        found = MeasuredFile(source.path, row.run, (peak,))
    else:
        found = read_measured(source, Settings(row.task_unit, row.stack_sizes))
    return _completed(found, row.run)


def _completed(found: MeasuredFile, run: Run) -> MeasuredFile:
    """Return the file with what the table says about the run where the file says nothing."""
    items = tuple(replace(item, run=_joined(item.run, run)) for item in found.measurements)
    return replace(found, run=_joined(found.run, run), measurements=items)


def _joined(own: Run, stated: Run) -> Run:
    absent = {
        item.name: getattr(stated, item.name)
        for item in fields(Run)
        if getattr(own, item.name) is None
    }
    return replace(own, **absent)


def _span(row: MeasuredRow, elf: ElfFile | None) -> Span:
    if row.symbol is not None:
        return _array(row, row.symbol, elf)
    bottom, top = _address(row, row.bottom or "", elf), _address(row, row.top or "", elf)
    if top <= bottom:
        raise _refused(row, f"ends at {top:#x}, below its bottom {bottom:#x}", "swap them")
    return Span(bottom, top - bottom)


def _array(row: MeasuredRow, name: str, elf: ElfFile | None) -> Span:
    found = {
        Span(symbol.address, symbol.size)
        for symbol in (elf.symbols.named(name) if elf else ())
        if symbol.has_address and symbol.kind is not SymbolKind.FUNCTION and symbol.size
    }
    if len(found) != 1:
        what = f"{name} is {len(found)} arrays of the ELF" if found else f"no array is {name}"
        raise _refused(row, what, "name one with a size, or state bottom and top")
    return found.pop()


def _address(row: MeasuredRow, name: str, elf: ElfFile | None) -> int:
    if _ADDRESS.fullmatch(name):
        return int(name, 16)
    found = {symbol.address for symbol in (elf.symbols.named(name) if elf else ())}
    if len(found) != 1:
        what = f"{name} has {len(found)} values" if found else f"no symbol is {name}"
        raise _refused(row, what, 'name a symbol of the ELF, or write an address such as "0x2000"')
    return found.pop()


def _refused(row: MeasuredRow, what: str, remedy: str) -> InputError:
    return InputError(row.declared.file, row.declared.line, what, remedy)
