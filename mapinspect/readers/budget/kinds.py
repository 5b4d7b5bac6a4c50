"""What may be said of a key of a TOML table: its kind, its rules, one line of documentation."""

from dataclasses import dataclass, field
from enum import Enum


class Kind(Enum):
    """What a key's value must be."""

    VERSION = "version"
    TEXT = "text"
    NAME = "name"  # text that is not empty
    SIZE = "size"
    ADDRESS = "address"
    SHARE = "share"
    AMOUNT = "amount"  # a size or a share
    MINIMUM = "minimum"  # an amount, or "estimate"
    MORE = "more"  # a size, as text with or without a plus sign
    PERCENT = "percent"  # a whole number of per cent, or a share
    DATE = "date"
    BOOLEAN = "boolean"
    CHOICE = "choice"
    NAMES = "names"  # a list of texts, or one text
    TABLE = "table"
    TABLES = "tables"
    NAMED_TABLES = "named tables"  # a table whose keys are free names, its values tables
    NAMED_CHOICES = "named choices"  # a table whose keys are free names, its values choices
    NAMED_SIZES = "named sizes"  # a table whose keys are free names, its values sizes


class Needs(Enum):
    """How the keys of a rule depend on each other."""

    ONE = "exactly one of them must be there"
    ANY = "at least one of them must be there"
    ALL = "where one is there, all must be"
    FIRST = "the others need the first"


@dataclass(frozen=True, slots=True)
class Rule:
    """What holds between the keys of one table."""

    needs: Needs
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Field:
    """A key: its kind, whether it must be there, and one line of documentation.

    ``table`` and ``rules`` are the keys of its table, or of each of its tables.
    """

    kind: Kind
    doc: str
    required: bool = False
    choices: tuple[str, ...] = ()
    table: dict[str, "Field"] = field(default_factory=dict)
    rules: tuple[Rule, ...] = ()
