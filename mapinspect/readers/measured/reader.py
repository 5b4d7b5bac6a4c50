"""A file of measurements → records, by what kind of file it is."""

from mapinspect.errors import InputError
from mapinspect.model.measurement import MeasuredFile
from mapinspect.readers.measured.logs import read_log
from mapinspect.readers.measured.settings import Settings
from mapinspect.readers.measured.table import read_table
from mapinspect.readers.source import SourceFile

_DUMPS = (".bin", ".hex", ".ihex", ".ihx", ".srec", ".s19", ".s28", ".s37", ".mot", ".elf")


def read_measured(source: SourceFile, settings: Settings | None = None) -> MeasuredFile:
    """Return the measurements of a ``measured.toml`` or of a device's log.

    RAM dumps need a stack to look at: ``dump.high_water`` reads them. Raises InputError.
    """
    name = source.path.lower()
    if name.endswith(".toml"):
        return read_table(source)
    if name.endswith(_DUMPS):
        raise InputError(
            source.path,
            None,
            "is a dump of memory, not a log",
            "add a [[measured]] row with its stack to the table",
        )
    return read_log(source, settings or Settings())
