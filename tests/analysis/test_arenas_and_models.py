"""Which symbols are the arena and the model: by ELFs of a few symbols, written by hand."""

from collections.abc import Sequence

import pytest

from mapinspect.analysis.inspect import Records, inspect
from mapinspect.model.budget import BudgetTable, ModelEntry, RegionRow
from mapinspect.model.image import Evidence
from mapinspect.model.inspection import ArenaFacts, Inspection
from mapinspect.readers.elf import read_elf
from tests.elf_builder import (
    STT_FUNC,
    STT_NOTYPE,
    STT_OBJECT,
    ElfSectionSpec,
    ElfSymbolSpec,
    bss,
    build_elf,
    data,
    text,
)

FLASH, RAM = 0x0800_0000, 0x2000_0000
MODEL = bytes(range(256)) * 2
DECLARED = Evidence("mapinspect.toml", 1, "models")
REGIONS = tuple(
    RegionRow(name, kind, origin, 0x1_0000, None, None, "extent", optional=False, declared=DECLARED)
    for name, kind, origin in (("FLASH", "flash", FLASH), ("RAM", "sram", RAM))
)


def facts_of(
    sections: Sequence[ElfSectionSpec],
    *symbols: ElfSymbolSpec,
    arenas: Sequence[str | None] = (None,),
    model: str | None = None,
) -> Inspection:
    """The facts about an image and one model for each of ``arenas``."""
    elf = read_elf("app.elf", build_elf(sections, symbols))
    entries = tuple(
        (ModelEntry(f"net{n}", "net.tflite", model, name, "plan-only", DECLARED), MODEL)
        for n, name in enumerate(arenas)
    )
    return inspect(Records(BudgetTable("", regions=REGIONS), elf, None, entries))


def arena_among(*symbols: ElfSymbolSpec, wanted: str | None = None) -> ArenaFacts:
    image = (text(bytes(64)), bss(0x1000))
    [arena] = facts_of(image, *symbols, arenas=(wanted,)).arenas
    return arena


ARENA = ElfSymbolSpec("tensor_arena", 0x2000_1000, 0x800, ".bss")


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(
            ElfSymbolSpec("get_tensor_arena", FLASH, 16, ".text", STT_FUNC), id="a function"
        ),
        pytest.param(
            ElfSymbolSpec("tensor_arena_size", FLASH + 16, 4, ".text"),
            id="a constant with its size",
        ),
    ],
)
def test_what_cannot_be_written_is_no_arena(other: ElfSymbolSpec) -> None:
    assert [place.name for place in arena_among(other, ARENA).candidates] == ["tensor_arena"]
    assert arena_among(ARENA).place == arena_among(ARENA, other).place


def test_two_arrays_that_could_be_the_arena_are_both_candidates() -> None:
    second = ElfSymbolSpec("old_tensor_arena", 0x2000_1800, 0x100, ".bss")
    assert len(arena_among(ARENA, second).candidates) == 2


def test_an_arena_in_a_namespace_is_suggested() -> None:
    mangled = "_ZN3kws12tensor_arenaE"  # namespace kws { uint8_t tensor_arena[2048]; }
    hidden = ElfSymbolSpec(mangled, 0x2000_1000, 0x800, ".bss", STT_OBJECT)
    found = arena_among(hidden, wanted="tensor_arena")
    assert (found.candidates, found.near) == ((), ("kws::tensor_arena",))
    [arena] = arena_among(hidden, wanted="kws::tensor_arena").candidates
    assert arena.name == mangled


def test_an_arena_in_a_namespace_without_a_name_is_found() -> None:
    mangled = "_ZN12_GLOBAL__N_112tensor_arenaE"  # namespace { uint8_t tensor_arena[2048]; }
    hidden = ElfSymbolSpec(mangled, 0x2000_1000, 0x800, ".bss", STT_OBJECT)
    [arena] = arena_among(hidden, wanted="tensor_arena").candidates
    assert arena.name == mangled


def test_models_whose_arenas_are_one_memory_share_it_whatever_they_call_it() -> None:
    image = (text(bytes(64)), bss(0x1000))
    [arena] = facts_of(image, ARENA, arenas=("tensor_arena", None, "tensor_*")).arenas
    assert arena.models == ("net0", "net1", "net2")


@pytest.mark.parametrize("loaded", [FLASH, FLASH + 0x8000])
def test_a_label_without_a_size_stands_for_the_whole_model(loaded: int) -> None:
    """As .incbin and `ld -r -b binary` leave it: 512 bytes from the label on, STT_NOTYPE."""
    image = (
        (text(bytes(16) + MODEL + bytes(16)),)
        if loaded == FLASH
        else (text(bytes(16)), data(bytes(16) + MODEL, RAM, loaded))
    )
    home = image[-1]
    label = ElfSymbolSpec("_binary_net_start", home.vma + 16, 0, home.name, STT_NOTYPE)
    facts = facts_of(image, label, model="_binary_net_start")
    [copy] = facts.models[0].copies
    assert (copy.place.span.size, copy.matches) == (512, True)
    counted = {use.region: use.linked for use in facts.uses if use.row == "weights"}
    assert counted == {"FLASH": 512, "RAM": 0 if loaded == FLASH else 512}
