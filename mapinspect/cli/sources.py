"""Files that commands other than ``check`` read, each by its own reader."""

import os
from collections.abc import Iterable
from pathlib import Path

from mapinspect.errors import InputError
from mapinspect.model.budget import BudgetTable
from mapinspect.model.elf_file import ElfFile
from mapinspect.model.image import Region
from mapinspect.model.link_map import LinkMap
from mapinspect.model.part import Part
from mapinspect.readers.source import read_source


def read_elf_file(path: Path) -> ElfFile:
    """Return what an ELF says; any kind of ELF is welcome."""
    from mapinspect.readers.elf import read_elf  # noqa: PLC0415 - start-up time

    source = read_source(path, str(path), "ELF file")
    return read_elf(source.path, source.content)


def read_link_map(path: Path) -> LinkMap:
    """Return what a map says."""
    from mapinspect.readers.gnu_map import read_map  # noqa: PLC0415 - start-up time

    source = read_source(path, str(path), "link map")
    return read_map(source.path, source.content)


def read_table(path: Path | None) -> BudgetTable:
    """Return a budget table, an empty one where none is named."""
    if path is None:
        return BudgetTable(path="")
    from mapinspect.readers.budget.reader import read_budget  # noqa: PLC0415 - start-up time

    source = read_source(path, str(path), "budget table")
    return read_budget(source.path, source.content)


def read_named_part(name: str) -> Part:
    """Return the part of this name, from the shipped table."""
    from mapinspect.readers.parts import read_part  # noqa: PLC0415 - start-up time

    return read_part(name)


def read_script_regions(path: Path) -> tuple[Region, ...]:
    """Return the regions of a linker script and of what it includes."""
    from mapinspect.readers.linker_script import read_memory  # noqa: PLC0415 - start-up time
    from mapinspect.readers.linker_sources import include_beside  # noqa: PLC0415 - the same

    source = read_source(path, str(path), "linker script")
    return read_memory(source.path, source.content, include_beside(path)).regions


def refuse_same(output: Path, inputs: Iterable[Path | None]) -> None:
    """Raise InputError when the output is one of the files that were read."""
    for path in inputs:
        if path is None or not (path.exists() and output.exists()):
            continue  # what is not there cannot be overwritten; reading it says so
        if os.path.samefile(path, output):
            raise InputError(str(output), None, "is a file that was read", "write to another file")
