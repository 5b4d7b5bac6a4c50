"""Every file of measurements that table and command line name → records."""

import glob
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from mapinspect.errors import InputError
from mapinspect.model.budget import BudgetTable
from mapinspect.model.elf_file import ElfFile
from mapinspect.model.measurement import MeasuredFile, MeasuredRow, Measurement
from mapinspect.readers.measured.reader import read_measured
from mapinspect.readers.measured.rows import read_row
from mapinspect.readers.source import SourceFile

_MOST_FILES = 1000  # of one glob; more is a folder that was not meant

Opener = Callable[[str], SourceFile]
"""Reads a file of measurements, and lists it among the inputs."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """The files to read: paths as opened, each with the rows of the table about it."""

    files: tuple[tuple[str, tuple[MeasuredRow, ...]], ...]

    @property
    def paths(self) -> tuple[str, ...]:
        """Return every file that is to be read."""
        return tuple(path for path, _ in self.files)


def wanted(table: BudgetTable, folder: str, given: Iterable[str]) -> Wanted:
    """Return the files that the table names, relative to ``folder``, and those ``given``.

    A given file of the name of one that the table has rows about takes its place there.
    Raises InputError for a glob that matches nothing, and for one that matches too much.
    """
    by_path: dict[str, list[MeasuredRow]] = {}
    names: dict[str, list[str]] = {}
    for path in dict.fromkeys(given):
        names.setdefault(os.path.basename(path), []).append(path)
    for row in table.measured:
        for path in _files_of(row, folder, names.get(os.path.basename(row.file), [])):
            by_path.setdefault(path, []).append(row)
    explained = {os.path.basename(row.file) for row in table.measured} & set(names)
    for pattern in table.inputs.measured:
        for path in _matching(table, folder, pattern):
            if os.path.basename(path) not in explained:
                by_path.setdefault(path, [])
    for path in (path for paths in names.values() for path in paths):
        by_path.setdefault(path, [])
    return Wanted(tuple((path, tuple(rows)) for path, rows in by_path.items()))


def _files_of(row: MeasuredRow, folder: str, given: Sequence[str]) -> Sequence[str]:
    """Return the files that a row is about: those given by its name, else its own."""
    return given or [os.path.normpath(os.path.join(folder, row.file))]


def gather(files: Wanted, read: Opener, elf: ElfFile | None) -> tuple[Measurement, ...]:
    """Return the measurements of all files, in their order; raises InputError."""
    return tuple(
        item
        for path, rows in files.files
        for found in _read(read(path), rows, elf)
        for item in found.measurements
    )


def _read(
    source: SourceFile, rows: Sequence[MeasuredRow], elf: ElfFile | None
) -> Iterator[MeasuredFile]:
    if not rows:
        yield read_measured(source)
    for row in rows:
        yield read_row(source, row, elf)


def _matching(table: BudgetTable, folder: str, pattern: str) -> list[str]:
    found = []
    for count, name in enumerate(glob.iglob(pattern, root_dir=folder, recursive=True)):
        path = os.path.normpath(os.path.join(folder, name))
        if not os.path.isdir(path):
            found.append(path)
        if count > _MOST_FILES:
            what = f"measured = {pattern!r} matches more than {_MOST_FILES} files"
            raise InputError(table.path, None, what, "write a narrower glob")
    if not found:
        what = f"measured = {pattern!r} matches no file"
        raise InputError(table.path, None, what, "give the logs, or take it out of [inputs]")
    return sorted(found)
