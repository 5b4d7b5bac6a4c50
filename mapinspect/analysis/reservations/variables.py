"""Stacks and heaps that are variables: tasks' stacks, ``ucHeap``, ``kheap_*``."""

import re
from collections.abc import Iterator

from mapinspect.analysis.reservations.layout import Layout
from mapinspect.analysis.reservations.names import (
    ABOUT,
    BODY,
    FREERTOS_STACK,
    HEAP,
    HEAP_OBJECTS,
    SMALLEST,
    ZEPHYR_HEAP,
    ZEPHYR_STACK,
)
from mapinspect.model.reservation import Reservation
from mapinspect.model.symbol_names import base_name

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


def from_variables(layout: Layout, kind: str) -> Iterator[Reservation]:
    """Yield the variables that are a stack or a heap by their names, in address order."""
    for block in layout.objects.speaking:
        convention = _convention(base_name(block.name), kind)
        if convention is not None and block.span.size >= SMALLEST[kind]:
            yield Reservation(
                kind,
                block.name,
                block.span.size,
                convention,
                False,
                block.span,
                block.evidence,
                rests_on=(block.name,),
            )


def _convention(name: str, kind: str) -> str | None:
    if kind == HEAP:
        if name in HEAP_OBJECTS:
            return HEAP_OBJECTS[name]
        if ZEPHYR_HEAP.fullmatch(name):
            return "Zephyr k_heap"
        return "variable named as a heap" if names_one(name, "heap") else None
    if ZEPHYR_STACK.fullmatch(name):
        return "Zephyr thread stack"
    if not names_one(name, "stack"):
        return None
    return "FreeRTOS task stack" if FREERTOS_STACK.fullmatch(name) else "variable named as a stack"


def names_one(name: str, kind: str) -> bool:
    """Return whether words say a stack, or a heap: ``task_stack_mem``, ``g_pui32Stack``."""
    words = [word.lower() for word in _WORD.findall(name)]
    wanted = [at for at, word in enumerate(words) if word in (kind, f"{kind}s")]
    if not wanted or ABOUT.intersection(words):
        return False
    # What follows may only say that it is memory, or number it: "stack_protector_key" is none.
    behind = words[wanted[-1] + 1 :]
    return all(word in BODY or word.isdigit() for word in behind)
