"""The budget table's keys: the one declaration that parser, schema and docs are made from."""

from dataclasses import replace
from typing import Final

from mapinspect.readers.budget.kinds import Field, Kind, Needs, Rule

__all__ = ["BUDGET_KINDS", "ROW_KEYS", "SEVERITIES", "TABLE", "Field", "Kind", "Needs", "Rule"]


def _some(table: dict[str, Field]) -> tuple[Rule, ...]:
    """Return the rule that a table must not be empty."""
    return (Rule(Needs.ANY, tuple(table)),)


_MATCH: Final = {
    "symbol": Field(
        Kind.NAME, "glob on the symbol's name, with or without compiler suffixes, or as C++ has it"
    ),
    "section": Field(Kind.NAME, "glob on the output section's name"),
    "object": Field(Kind.NAME, "glob on the object file"),
    "archive": Field(Kind.NAME, "glob on the archive"),
    "region": Field(Kind.NAME, "glob on the memory region"),
    "bank": Field(Kind.NAME, "glob on the part's memory bank; needs project.mcu"),
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
    "arena-bytes": Field(
        Kind.SIZE, "what the arena must hold, where not all of the need can be computed"
    ),
    "arena-reason": Field(Kind.NAME, "where arena-bytes comes from, such as a measurement"),
    "slack": Field(
        Kind.AMOUNT, "how much more than needed the arena may have; default 10%, at least 1K"
    ),
}
_MODEL_RULES: Final = (Rule(Needs.ALL, ("arena-bytes", "arena-reason")),)

_PROJECT: Final = {
    "name": Field(Kind.NAME, "the firmware's name, for reports"),
    "mcu": Field(Kind.NAME, "the microcontroller, such as STM32L476RE: gives memory banks"),
    "heap": Field(
        Kind.CHOICE, 'the promise "none": nothing that allocates is linked', choices=("none",)
    ),
    "margin": Field(Kind.SHARE, "the share to keep free"),
    "of": Field(Kind.CHOICE, "what the margin is a share of", choices=("region", "sum")),
}
_PROJECT_RULES: Final = (Rule(Needs.FIRST, ("margin", "of")),)

_INPUTS: Final = {
    "elf": Field(Kind.NAME, "the linked ELF file"),
    "map": Field(Kind.NAME, "the GNU ld link map of the same link"),
    "linker-script": Field(Kind.NAME, "the linker script: its MEMORY block, where no map is"),
    "models": Field(
        Kind.TABLES, "the models that the firmware embeds", table=_MODEL, rules=_MODEL_RULES
    ),
    "runtimes": Field(Kind.NAMES, "tables of names of weights and arenas, as runtimes.toml"),
    "baseline": Field(Kind.NAME, "the JSON report of an earlier build, for growth limits"),
    "measured": Field(Kind.NAMES, "globs: logs and measured.toml files of this firmware's runs"),
    "stale": Field(
        Kind.CHOICE,
        "a measurement of another build leaves its claim undecided (default), or is refused",
        choices=("undecided", "refuse"),
    ),
}

_GROWTH: Final = {
    "bytes": Field(Kind.MORE, 'most bytes more than in the baseline, such as "+4K"'),
    "percent": Field(Kind.PERCENT, "most per cent more than in the baseline"),
}

_REGION: Final = {
    "name": Field(Kind.NAME, "the region's name in the linker script", required=True),
    "kind": Field(
        Kind.CHOICE,
        "what memory it is",
        choices=("flash", "sram", "psram", "external-flash", "eeprom"),
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
    "growth": Field(
        Kind.TABLE, "most it may grow since the baseline", table=_GROWTH, rules=_some(_GROWTH)
    ),
    "optional": Field(Kind.BOOLEAN, "whether the image may lack this region"),
}
_REGION_RULES: Final = (Rule(Needs.ALL, ("origin", "length")),)

BUDGET_KINDS: Final = ("static", "heap", "stack", "weights", "arena", "workspace", "rest")

_BUDGET: Final = {
    "id": Field(Kind.NAME, "the row's name in reports", required=True),
    "kind": Field(
        Kind.CHOICE,
        "a row of the budget table; rest is what no other row counts",
        choices=BUDGET_KINDS,
    ),
    "match": Field(Kind.TABLE, "what to sum up instead", table=_MATCH, rules=_some(_MATCH)),
    "region": Field(Kind.NAME, "glob: count only bytes in these regions, load images too"),
    "bank": Field(Kind.NAME, "glob: count only bytes in these banks, load images too"),
    "limit": Field(Kind.AMOUNT, "most bytes it may hold"),
    "warn": Field(Kind.AMOUNT, "bytes above which to warn"),
    "min": Field(Kind.MINIMUM, 'fewest bytes it must hold, or "estimate"'),
    "headroom": Field(
        Kind.AMOUNT, "what must stay free above the measured peak; a share is of what is linked"
    ),
    "growth": Field(
        Kind.TABLE, "most it may grow since the baseline", table=_GROWTH, rules=_some(_GROWTH)
    ),
    "optional": Field(Kind.BOOLEAN, "whether the row may match nothing"),
}
_BUDGET_RULES: Final = (
    Rule(Needs.ONE, ("kind", "match")),
    Rule(Needs.ANY, ("limit", "min", "growth", "headroom")),
)

STRATEGIES: Final = ("xip", "copied", "on-demand", "psram")

_SLOT: Final = {
    "origin": Field(Kind.ADDRESS, "its first address", required=True),
    "length": Field(Kind.SIZE, "its size", required=True),
    "sector": Field(
        Kind.SIZE, "the Flash's erase sector, on which it begins and ends", required=True
    ),
}

_PLACEMENT: Final = {
    "id": Field(Kind.NAME, "the row's name in reports", required=True),
    "match": Field(
        Kind.TABLE, "what must be placed so", required=True, table=_MATCH, rules=_some(_MATCH)
    ),
    "region": Field(Kind.NAMES, "globs: regions that may hold it"),
    "bank": Field(Kind.NAMES, "globs: memory banks of the part that may hold it"),
    "section": Field(Kind.NAME, "glob on the output section that must hold it"),
    "align": Field(Kind.SIZE, "what its address must be a multiple of"),
    "read-only": Field(Kind.BOOLEAN, "whether its section must not be writable"),
    "contiguous": Field(Kind.BOOLEAN, "whether all that matches must form one run of bytes"),
    "dma": Field(Kind.BOOLEAN, "whether DMA must reach it; needs project.mcu"),
    "strategy": Field(
        Kind.CHOICE,
        "how it is used: in place in Flash, copied to RAM at start-up, loaded on demand from "
        "external Flash, or held in PSRAM",
        choices=STRATEGIES,
    ),
    "slot": Field(Kind.TABLE, "an update slot that holds it and nothing else", table=_SLOT),
    "optional": Field(Kind.BOOLEAN, "whether the row may match nothing"),
}
_PLACEMENT_RULES: Final = (
    Rule(
        Needs.ANY,
        (
            *("region", "bank", "section", "align", "read-only", "contiguous", "dma"),
            *("strategy", "slot"),
        ),
    ),
)

RUN: Final = {
    "build-id": Field(Kind.NAME, "the image's build-id, or the SHA-256 of the ELF file"),
    "iterations": Field(Kind.SIZE, "how many inferences were run"),
    "duration": Field(Kind.NAME, 'how long it ran: "90min", "72h"'),
    "conditions": Field(Kind.NAME, "temperature, voltage, input"),
    "heap-start": Field(Kind.SIZE, "bytes allocated before the first iteration"),
    "heap-end": Field(Kind.SIZE, "bytes allocated after the last iteration"),
    "failures": Field(Kind.SIZE, "how many allocations failed"),
}
"""What a table may say about the run of a measurement."""

_MEASURED: Final = {
    "file": Field(Kind.NAME, "a dump of RAM, or a log that needs a word", required=True),
    "symbol": Field(Kind.NAME, "dump: the array that is the stack"),
    "bottom": Field(Kind.NAME, "dump: symbol or address of the stack's lowest byte"),
    "top": Field(Kind.NAME, "dump: symbol or address behind the stack's last byte"),
    "base": Field(Kind.ADDRESS, "dump: address of a .bin file's first byte"),
    "fill": Field(Kind.NAME, 'dump: what the stack was painted with, as it lies there: "0xA5"'),
    "subject": Field(Kind.NAME, "dump: what reports call the stack"),
    "task-unit": Field(Kind.SIZE, "log: bytes in a unit of FreeRTOS' stack figures"),
    "stack-sizes": Field(Kind.NAMED_SIZES, "log: the stack of each FreeRTOS task, in bytes"),
    **RUN,
}
_MEASURED_RULES: Final = (Rule(Needs.ALL, ("bottom", "top")),)

_WAIVER: Final = {
    "check": Field(Kind.NAME, "the check whose finding is accepted", required=True),
    "match": Field(Kind.NAME, "glob on the subject that it names", required=True),
    "reason": Field(Kind.NAME, "why, for every report", required=True),
    "expires": Field(Kind.DATE, "the last day on which it counts", required=True),
}

SEVERITIES: Final = ("ignore", "warn", "error")
_CHECKS: Final = Field(
    Kind.NAMED_CHOICES, "how much each check matters, by its id", choices=SEVERITIES
)


def _overriding(table: dict[str, Field], key: str = "") -> dict[str, Field]:
    """Return the keys of a row that overrides another: all may be left out but ``key``."""
    return {name: replace(field, required=name == key) for name, field in table.items()}


_PROFILE: Final = {
    "project": Field(Kind.TABLE, "other name, part or margin", table=_overriding(_PROJECT)),
    "inputs": Field(
        Kind.TABLE,
        "other files",
        table={
            **_INPUTS,
            "models": Field(
                Kind.TABLES, "models overridden, by name", table=_overriding(_MODEL, "name")
            ),
        },
    ),
    "region": Field(Kind.TABLES, "rows overridden, by name", table=_overriding(_REGION, "name")),
    "budget": Field(Kind.TABLES, "rows overridden, by id", table=_overriding(_BUDGET, "id")),
    "placement": Field(Kind.TABLES, "rows overridden, by id", table=_overriding(_PLACEMENT, "id")),
    "checks": _CHECKS,
}

TABLE: Final = {
    "version": Field(Kind.VERSION, "the table's format, 1", required=True),
    "project": Field(Kind.TABLE, "name and safety margin", table=_PROJECT, rules=_PROJECT_RULES),
    "inputs": Field(Kind.TABLE, "files, relative to the table's folder", table=_INPUTS),
    "region": Field(Kind.TABLES, "limits of memory regions", table=_REGION, rules=_REGION_RULES),
    "budget": Field(
        Kind.TABLES, "limits of parts of the image", table=_BUDGET, rules=_BUDGET_RULES
    ),
    "placement": Field(
        Kind.TABLES, "where things must lie", table=_PLACEMENT, rules=_PLACEMENT_RULES
    ),
    "measured": Field(
        Kind.TABLES,
        "what measured files cannot say about themselves",
        table=_MEASURED,
        rules=_MEASURED_RULES,
    ),
    "waiver": Field(Kind.TABLES, "known defects, accepted until a day", table=_WAIVER),
    "checks": _CHECKS,
    "profile": Field(Kind.NAMED_TABLES, "rows that `--profile NAME` overrides", table=_PROFILE),
}

ROW_KEYS: Final = {"region": "name", "budget": "id", "placement": "id", "models": "name"}
"""What names a row within its list; it may be there once."""
