"""The tensor arena: lifetimes, the plan of its head, and what a runtime needs of it.

Source of every rule: the memory behaviour of TensorFlow Lite Micro, described in ARENA.md.
Sizes and offsets are bytes; offsets are relative to the aligned arena start.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PlannedBuffer:
    """A buffer of the head: ``size`` is rounded up to 16, lifetimes are closed step intervals.

    ``first`` and ``last`` are -1 for a buffer that no operator touches. ``tensor`` is
    (subgraph, tensor index), or None for an operator's scratch buffer.
    """

    tensor: tuple[int, int] | None
    operator: tuple[int, int] | None
    size: int
    first: int
    last: int
    offset: int


@dataclass(frozen=True, slots=True)
class ArenaPlan:
    """Offsets of all planned buffers; ``head`` is the highest end (0 when nothing is planned)."""

    buffers: tuple[PlannedBuffer, ...]
    head: int


@dataclass(frozen=True, slots=True)
class ArenaPart:
    """A share of the persistent tail, in bytes with its padding: ``kernel data``, …."""

    name: str
    size: int


@dataclass(frozen=True, slots=True)
class ArenaNeed:
    """What a model needs of its arena under one runtime profile.

    ``nonpersistent`` is the head, ``persistent`` the tail; ``smallest`` the unrounded size that
    an aligned arena must have. ``exact`` is False when something is not modelled (``reasons``
    says what): then ``smallest`` is a lower bound. ``refused`` says why the runtime would not
    accept the model at all, or is None. ``parts`` divide the tail by what it holds.
    Below ``accepted`` the runtime fails for certain; between it and ``smallest``, where they
    differ, persistent buffers overwrite descriptions that a kernel is still reading, and whether
    it starts is chance. ``enough`` is a size that suffices whatever is in doubt: ``smallest``
    when exact, the largest of several builds in question, None where no such figure is known.
    ``end`` is by how many bytes past a multiple of 16 the arena ends for which all this is
    computed, None where that makes no difference.
    """

    model: str
    profile: str
    plan: ArenaPlan
    nonpersistent: int
    persistent: int
    smallest: int
    exact: bool
    reasons: tuple[str, ...]
    refused: str | None
    parts: tuple[ArenaPart, ...] = ()
    accepted: int = 0
    enough: int | None = None
    end: int | None = 0


@dataclass(frozen=True, slots=True)
class StructSize:
    """A structure that debug information names: its size in bytes, and the unit that says so.

    ``name`` may be qualified (``tflite::(anonymous namespace)::OpData``); ``unit`` is the path of
    the source file, "" where unknown.
    """

    name: str
    size: int
    unit: str = ""


@dataclass(frozen=True, slots=True)
class BuildEvidence:
    """What a linked image tells about the runtime in it.

    ``machine`` is "ARM", "RISCV", "XTENSA" or "X86_64"; ``arm_attributes`` are ARM build
    attributes by tag; ``symbols`` are names as linked, mangled; ``structs`` come from debug
    information. ``chip`` and ``esp_nn_version`` are told by the project, where it tells them.
    """

    machine: str
    bits: int
    arm_attributes: Mapping[int, int | str]
    symbols: Collection[str]
    structs: tuple[StructSize, ...] = ()
    chip: str | None = None
    esp_nn_version: str | None = None
