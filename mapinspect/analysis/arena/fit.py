"""Swap a model on paper: whether it fits a part, or an image that holds another one now."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from mapinspect.analysis.arena.profile import CORTEX, ESP
from mapinspect.analysis.arena.requirements import round_up
from mapinspect.model.arena import ArenaNeed
from mapinspect.model.fit import Fit, FitRow
from mapinspect.model.inspection import ArenaFacts, Inspection, ModelFacts
from mapinspect.model.network import Network
from mapinspect.model.part import MemoryBank, Part

_REGISTER = re.compile(r"_ZN6tflite(?:\d+[a-z_]+)*\d+Register_([A-Z0-9_]+?)(?:_(REF|INT\w*))?Ev$")
_CORTEX = re.compile(r"cortex-m\d+\+?")


def target_of(part: Part) -> str | None:
    """Return the target that a part's core or name stands for, None where there is none."""
    chip = "".join(letter for letter in part.name.lower() if letter.isalnum())
    for name in sorted(ESP, key=len, reverse=True):
        if chip.startswith(name):
            return name
    found = _CORTEX.search(part.core.lower())
    if found and found[0] in CORTEX:
        return found[0]
    return "riscv32" if "RV32" in part.core else None


def default_kernels(target: str) -> str:
    """Return the kernel set that a target's builds use unless told otherwise."""
    if target in CORTEX:
        return "cmsis-nn"
    return "esp-nn" if target in ESP else "reference"


def fit_part(network: Network, need: ArenaNeed, part: Part) -> Fit:
    """Return whether the model alone fits: its file in Flash, its arena in one bank of RAM.

    Code, stack and everything else need room too; that is what the rows leave free.
    """
    flash = sum(bank.span.size for bank in part.banks if bank.kind == "flash")
    stored = stored_size(network)
    rows = [FitRow("Flash", "flash", stored, flash, network.sketched)] if flash else []
    size = arena_size(need)
    bank = max((bank for bank in part.banks if bank.kind == "ram"), key=_room, default=None)
    if bank is not None:
        rows.append(FitRow(bank.name, "arena", size, _room(bank), need.enough is None))
    reasons = list(_doubts(need))
    if bank is None:
        reasons.append(f"no RAM of {part.name} is known")
    if not flash:
        reasons.append(f"{part.name} has no Flash of its own: its size depends on the board")
    return Fit(
        model=network.path,
        place=part.name,
        profile=need.profile,
        replaced=None,
        arena=size,
        rows=tuple(rows),
        missing=(),
        reasons=tuple(reasons),
    )


def _room(bank: MemoryBank) -> int:
    """Return the bytes of a bank that a linker may fill."""
    return bank.span.size if bank.static_limit is None else min(bank.span.size, bank.static_limit)


def stored_size(network: Network) -> int:
    """Return the bytes of the model's file; of a table of layers those of its weights."""
    return sum(network.buffer_sizes) if network.sketched else network.size


def arena_size(need: ArenaNeed) -> int:
    """Return the arena to declare: enough whatever is in doubt, rounded up to 16."""
    return round_up(need.smallest if need.enough is None else need.enough)


def _doubts(need: ArenaNeed) -> Iterator[str]:
    if need.refused:
        yield f"the runtime would refuse the model: {need.refused}"
    if need.enough is None:
        yield from need.reasons


@dataclass(frozen=True, slots=True)
class Exchange:
    """What a new model takes the place of: facts about the old one and its arena, if any.

    ``operators`` are those that the image has kernels for, as far as it tells: it registers
    them, or its model uses them. ``all_known`` says that it has no others.
    """

    old: ModelFacts | None
    arena: ArenaFacts | None
    operators: Collection[str] = ()
    all_known: bool = False


def fit_image(
    network: Network,
    need: ArenaNeed,
    inspection: Inspection,
    exchange: Exchange,
) -> Fit:
    """Return whether the image's regions hold with the new model in place of the old one."""
    reasons = list(_doubts(need))
    size = arena_size(need)
    change = _flash_change(network, exchange.old, reasons)
    change = _added(change, _arena_change(size, exchange.arena, reasons))
    rows = tuple(_region_rows(inspection, change, lower=need.enough is None))
    missing = _missing(network, exchange, reasons)
    image = inspection.elf.path if inspection.elf else inspection.map.path if inspection.map else ""
    return Fit(
        model=network.path,
        place=image,
        profile=need.profile,
        replaced=exchange.old.entry.name if exchange.old else None,
        arena=size,
        rows=rows,
        missing=missing,
        reasons=tuple(dict.fromkeys(reasons)),
    )


def _flash_change(network: Network, old: ModelFacts | None, reasons: list[str]) -> dict[str, int]:
    """Return by how many bytes each region changes when the model's bytes do."""
    if old is None or not old.copies:
        reasons.append("no model was found in the image that this one would replace")
        return {}
    change: dict[str, int] = {}
    for copy in old.copies:
        for region in {copy.place.region, copy.place.load_region} - {None}:
            assert region is not None
            grown = stored_size(network) - copy.place.span.size
            change[region] = change.get(region, 0) + grown
    return change


def _arena_change(size: int, arena: ArenaFacts | None, reasons: list[str]) -> dict[str, int]:
    place = arena.place if arena else None
    if arena is None or place is None or arena.is_pointer or place.region is None:
        reasons.append("the image has no single arena whose size is known")
        return {}
    if len(arena.models) > 1:
        reasons.append(f"the arena is shared by {', '.join(arena.models)}")
    return {place.region: size - place.span.size}


def _added(one: dict[str, int], two: dict[str, int]) -> dict[str, int]:
    return {name: one.get(name, 0) + two.get(name, 0) for name in one | two}


def _region_rows(
    inspection: Inspection, change: dict[str, int], *, lower: bool
) -> Iterator[FitRow]:
    """Yield the regions that the exchange touches, against the strictest limit of each."""
    usages = {usage.region.name: usage for usage in inspection.usages}
    limits = {limit.region.name: limit for limit in inspection.limits}
    for name, grown in sorted(change.items()):
        usage, limit = usages.get(name), limits.get(name)
        if usage is None:
            continue
        most = limit.limit if limit else usage.region.span.size
        used = limit.measured(usage) if limit else usage.used
        yield FitRow(name, "region", used + grown, most, lower and grown != 0)


def registered_operators(symbols: Collection[str]) -> frozenset[str]:
    """Return the operators whose kernels an image registers, by its mangled symbols."""
    return frozenset(operator for name in symbols if (operator := registered_by(name)))


def registered_by(symbol: str) -> str | None:
    """Return the operator that the function of this mangled name registers, or None."""
    match = _REGISTER.match(symbol) if symbol.startswith("_ZN6tflite") else None
    return match[1] if match else None


def types_registered(symbol: str) -> str:
    """Return the types that the kernel of this mangled name is only for: ``INT8``; "" for any.

    ``INT8_INT16`` takes the one and returns the other (TFLM, micro/kernels/*.h).
    """
    match = _REGISTER.match(symbol)
    found = (match[2] or "") if match else ""
    return found.removesuffix("REF").rstrip("_")


def operators_of(network: Network) -> frozenset[str]:
    """Return the builtin operators that a model uses."""
    codes = {operator.code for graph in network.subgraphs for operator in graph.operators}
    return frozenset(codes - {"CUSTOM"})


def _missing(network: Network, exchange: Exchange, reasons: list[str]) -> tuple[str, ...]:
    """Return the model's operators that the image has no kernel for; doubt goes to reasons."""
    unseen = tuple(sorted(operators_of(network) - set(exchange.operators)))
    if exchange.all_known or not unseen:
        return unseen
    reasons.append(f"no kernel is seen in the image for {', '.join(unseen)}")
    return ()


def choose(inspection: Inspection, name: str | None) -> Exchange | None:
    """Return the model named ``name``, or the only one, with its arena; None when not clear."""
    found = [facts for facts in inspection.models if name is None or facts.entry.name == name]
    if len(found) > 1 or (name is not None and not found):
        return None
    old = found[0] if found else None
    arenas: Sequence[ArenaFacts] = inspection.arenas
    if old is not None:
        arenas = [arena for arena in arenas if old.entry.name in arena.models]
    return Exchange(old, arenas[0] if len(arenas) == 1 else None)
