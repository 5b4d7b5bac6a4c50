"""The budget table's keys: the one declaration that parser, schema and docs are made from."""

from dataclasses import dataclass, field
from enum import Enum
from typing import Final


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
    BOOLEAN = "boolean"
    CHOICE = "choice"
    NAMES = "names"  # a list of texts, or one text
    TABLE = "table"
    TABLES = "tables"


@dataclass(frozen=True, slots=True)
class Field:
    """A key: its kind, whether it must be there, and one line of documentation."""

    kind: Kind
    doc: str
    required: bool = False
    choices: tuple[str, ...] = ()
    table: dict[str, "Field"] = field(default_factory=dict)


_MATCH: Final = {
    "symbol": Field(Kind.NAME, "glob on the symbol's name, with or without compiler suffixes"),
    "section": Field(Kind.NAME, "glob on the output section's name"),
    "object": Field(Kind.NAME, "glob on the object file"),
    "archive": Field(Kind.NAME, "glob on the archive"),
    "region": Field(Kind.NAME, "glob on the memory region"),
}

_MODEL: Final = {
    "name": Field(Kind.NAME, "the name used in reports", required=True),
    "file": Field(Kind.NAME, "the .tflite file, relative to the table's folder", required=True),
    "symbol": Field(Kind.NAME, "the symbol of the model's bytes"),
    "arena": Field(Kind.NAME, "the symbol of its tensor arena"),
    "runtime": Field(
        Kind.CHOICE,
        "what plans the arena; plan-only needs exactly the head of the greedy plan",
        choices=("plan-only", "tflite-micro"),
    ),
    "target": Field(Kind.NAME, "the core or chip, where the image does not tell: cortex-m4, …"),
    "kernels": Field(Kind.NAME, "its kernel set, as for `mapinspect model --kernels`"),
}

_PROJECT: Final = {
    "name": Field(Kind.NAME, "the firmware's name, for reports"),
    "margin": Field(Kind.SHARE, "the share to keep free"),
    "of": Field(Kind.CHOICE, "what the margin is a share of", choices=("region", "sum")),
    "heap": Field(Kind.CHOICE, "none: promise that nothing allocates", choices=("none",)),
}

_INPUTS: Final = {
    "elf": Field(Kind.NAME, "the linked ELF file"),
    "map": Field(Kind.NAME, "the GNU ld link map of the same link"),
    "models": Field(Kind.TABLES, "the models that the firmware embeds", table=_MODEL),
}

_REGION: Final = {
    "name": Field(Kind.NAME, "the region's name in the linker script", required=True),
    "kind": Field(
        Kind.CHOICE, "what memory it is", choices=("flash", "sram", "psram", "external-flash")
    ),
    "origin": Field(Kind.ADDRESS, "first address, where no map gives it"),
    "length": Field(Kind.SIZE, "length, where no map gives it"),
    "limit": Field(Kind.AMOUNT, "most bytes it may hold"),
    "warn": Field(Kind.AMOUNT, "bytes above which to warn"),
    "count": Field(
        Kind.CHOICE,
        "compare the address extent (default) or the occupied bytes with the limit",
        choices=("extent", "occupied"),
    ),
    "optional": Field(Kind.BOOLEAN, "whether the image may lack this region"),
}

BUDGET_KINDS: Final = ("static", "heap", "stack", "weights", "arena", "workspace")

_BUDGET: Final = {
    "id": Field(Kind.NAME, "the row's name in reports", required=True),
    "kind": Field(Kind.CHOICE, "a row of the budget table", choices=BUDGET_KINDS),
    "match": Field(Kind.TABLE, "what to sum up instead", table=_MATCH),
    "region": Field(Kind.NAME, "count only bytes in this region"),
    "limit": Field(Kind.AMOUNT, "most bytes it may hold"),
    "warn": Field(Kind.AMOUNT, "bytes above which to warn"),
    "min": Field(Kind.MINIMUM, 'fewest bytes it must hold, or "estimate"'),
    "optional": Field(Kind.BOOLEAN, "whether the row may match nothing"),
}

_PLACEMENT: Final = {
    "id": Field(Kind.NAME, "the row's name in reports", required=True),
    "match": Field(Kind.TABLE, "what must be placed so", required=True, table=_MATCH),
    "region": Field(Kind.NAMES, "regions that may hold it"),
    "section": Field(Kind.NAME, "glob on the output section that must hold it"),
    "align": Field(Kind.SIZE, "what its address must be a multiple of"),
    "read-only": Field(Kind.BOOLEAN, "whether its section must not be writable"),
    "optional": Field(Kind.BOOLEAN, "whether the row may match nothing"),
}

TABLE: Final = {
    "version": Field(Kind.VERSION, "the table's format, 1", required=True),
    "project": Field(Kind.TABLE, "name and safety margin", table=_PROJECT),
    "inputs": Field(Kind.TABLE, "files, relative to the table's folder", table=_INPUTS),
    "region": Field(Kind.TABLES, "limits of memory regions", table=_REGION),
    "budget": Field(Kind.TABLES, "limits of parts of the image", table=_BUDGET),
    "placement": Field(Kind.TABLES, "where things must lie", table=_PLACEMENT),
}
