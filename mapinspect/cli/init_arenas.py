"""Which arena is which model's, as `mapinspect init` finds them by their names."""

import re
from collections.abc import Sequence
from dataclasses import replace

from mapinspect.analysis.proposal.amounts import glob_of
from mapinspect.model.budget import ModelEntry
from mapinspect.model.runtime import Recognised
from mapinspect.model.symbol_names import readable_name

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
# Words that say nothing of which model: of the ABI's mangling, of kinds, of formats.
_ANY_MODEL = """arena tensor buf buffer mem memory area model models tflite tfl tflm data weights
quant quantized int float ref g s m k z n l zl zn global nn ml network net"""
_SAYS_NOTHING = frozenset(_ANY_MODEL.split())


def arena_names(recognised: Sequence[Recognised]) -> list[str]:
    """Return the names taken for arenas with the most confidence that is worth something."""
    for confidence in ("high", "medium"):
        found = {
            readable_name(item.name)
            for item in recognised
            if item.role == "arena" and item.confidence == confidence
        }
        if found:
            return sorted(found)
    return []


def with_arenas(
    entries: Sequence[ModelEntry], names: Sequence[str]
) -> tuple[list[ModelEntry], list[str]]:
    """Return the entries with their arenas, and what only the user can tell.

    One arena is that of all models. Of several each model gets the one whose name shares a word
    with its own, if that leaves no choice for any of them.
    """
    if not entries:
        return [], []
    if not names:
        return list(entries), ["no arena is recognised: write its symbol, arena =, in models"]
    if len(names) == 1:
        return [replace(entry, arena=glob_of(names[0])) for entry in entries], []
    found = [_akin(entry, names) for entry in entries]
    if len(entries) > 1 and all(len(item) == 1 for item in found):
        chosen = [item[0] for item in found]
        if len(set(chosen)) == len(chosen):
            pairs = zip(entries, chosen, strict=True)
            return [replace(entry, arena=glob_of(name)) for entry, name in pairs], []
    question = f"which is the arena: {', '.join(names)}? write arena = in models"
    return list(entries), [question]


def _akin(entry: ModelEntry, names: Sequence[str]) -> list[str]:
    words = _words(entry.name) | _words(entry.symbol or "")
    return [name for name in names if words & _words(name)]


def _words(name: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(name) if not word.isdigit()} - _SAYS_NOTHING
