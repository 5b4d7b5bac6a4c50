"""Which model files to read: the table's, each replaced by one of its name that was given."""

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from mapinspect.errors import InputError
from mapinspect.model.budget import ModelEntry
from mapinspect.model.image import Evidence
from mapinspect.readers.source import by_file_name


def model_entries(
    listed: Sequence[ModelEntry], paths: Iterable[Path], beside: Callable[[str], Path | None]
) -> tuple[ModelEntry, ...]:
    """Return the table's models, each from the file of its name in ``paths``, then the others.

    ``beside`` returns the path of a file that the table names. Raises InputError where a given
    file could replace several, or two given ones share their name.
    """
    given = by_file_name(paths)
    names = [os.path.basename(entry.file) for entry in listed]
    entries = []
    for entry, name in zip(listed, names, strict=True):
        if name in given and names.count(name) > 1:
            what = f"could replace {names.count(name)} models of the table"
            raise InputError(given[name], None, what, "name it otherwise")
        file = given.pop(name) if name in given else str(beside(entry.file))
        entries.append(replace(entry, file=file))
    known = {entry.name for entry in entries}
    for name, path in given.items():
        declared = Evidence(path, None, "given with --model")
        stem = Path(name).stem
        own = path if stem in known else stem  # facts are kept by name, so each has its own
        entries.append(ModelEntry(own, path, None, None, None, declared))
        known.add(own)
    return tuple(entries)
