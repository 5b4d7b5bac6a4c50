"""The arena in the image: by patterns, by constants in debug information, by its real address."""

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from mapinspect.analysis.arenas import arena_facts
from mapinspect.analysis.locate import Surroundings
from mapinspect.model.arena import ArenaNeed, ArenaPlan
from mapinspect.model.finding import Status
from mapinspect.model.inspection import ArenaFacts
from mapinspect.needs import arena_sizes, recognised_in
from mapinspect.readers.elf import read_elf
from mapinspect.readers.source import SourceFile
from tests.elf_builder import STB_LOCAL, STT_OBJECT, ElfSymbolSpec, bss
from tests.embedding import (
    DENSE,
    FLASH,
    MODELS,
    entry,
    image,
    inspect_elf,
    messages,
    outcomes,
    rodata,
)
from tests.tools import need as need_tool

BSS = 0x2000_1000


def arena(*symbols: ElfSymbolSpec, tables: tuple[SourceFile, ...] = ()) -> ArenaFacts:
    weights = ElfSymbolSpec("s_net_weights_array_u64", FLASH + 0x1000, 64, ".rodata")
    elf = image(rodata(DENSE), bss(0x4000, BSS), symbols=[*symbols, weights])
    facts = inspect_elf(elf, [(entry(), DENSE)], recognised=recognised_in(elf, None, tables))
    return facts.arenas[0]


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("pool0", id="X-CUBE-AI's pool, beside its weights"),
        pytest.param("data_activations0", id="X-CUBE-AI's activations"),
        pytest.param("tensor_arena.lto_priv.0", id="with a suffix of link-time optimisation"),
        pytest.param("global_workspace", id="TVM's workspace"),
    ],
)
def test_an_arena_is_found_by_the_names_that_runtimes_give_it(name: str) -> None:
    found = arena(ElfSymbolSpec(name, BSS, 2048, ".bss", STT_OBJECT, STB_LOCAL))
    assert [place.name for place in found.candidates] == [name]


def test_several_candidates_are_all_listed() -> None:
    found = arena(
        ElfSymbolSpec("pool0", BSS, 2048, ".bss"),
        ElfSymbolSpec("g_aot_memory", BSS + 2048, 64, ".bss"),
    )
    assert {place.name for place in found.candidates} == {"pool0", "g_aot_memory"}
    assert found.place is None


def test_a_users_table_adds_names() -> None:
    table = b"""version = 1
[[pattern]]
runtime = "ours"
role = "arena"
symbol = ["scratchpad_*"]
confidence = "high"
because = "is that of our generator"
"""
    symbol = ElfSymbolSpec("scratchpad_kws", BSS, 2048, ".bss")
    assert arena(symbol).candidates == ()
    [place] = arena(symbol, tables=(SourceFile("ours.toml", table),)).candidates
    assert place.name == "scratchpad_kws"


SOURCE = """
#include <stdint.h>
extern "C" void *malloc(unsigned);
namespace {
constexpr int kTensorArenaSize = %d;
uint8_t *volatile tensor_arena = nullptr;
}
extern "C" void _start() {
  tensor_arena = static_cast<uint8_t *>(malloc(kTensorArenaSize));
  while (tensor_arena[0] == kTensorArenaSize %% 7) {}
}
extern "C" void *malloc(unsigned n) { return reinterpret_cast<void *>(0x20002000 + n); }
"""


@pytest.mark.parametrize(("size", "few"), [(64, True), (16384, False)])
def test_the_size_of_an_arena_on_the_heap_is_read_from_debug_information(
    tmp_path: Path, size: int, *, few: bool
) -> None:
    need_tool("arm-none-eabi-g++")
    (tmp_path / "main.cpp").write_text(SOURCE % size)
    subprocess.run(
        ["arm-none-eabi-g++", "-g", "-O1", "-mcpu=cortex-m4", "-nostdlib", "-fno-exceptions",
         "-Wl,-Ttext=0x08000000", "-Wl,-Tbss=0x20000000", "-o", "app.elf", "main.cpp"],
        cwd=tmp_path, check=True,
    )  # fmt: skip
    elf = read_elf("app.elf", (tmp_path / "app.elf").read_bytes())
    facts = inspect_elf(elf, [(entry(), DENSE)], arena_sizes=lambda: arena_sizes(elf))
    [found] = facts.arenas
    assert found.is_pointer
    assert found.size_constant is not None
    assert found.size_constant[0] == size
    assert bool(messages(facts, "arena-too-small")) is few


def test_debug_information_is_not_read_where_the_arena_is_an_array() -> None:
    def refuse() -> dict[str, int]:
        pytest.fail("was asked")

    elf = image(
        rodata(DENSE), bss(0x4000, BSS), symbols=[ElfSymbolSpec("tensor_arena", BSS, 512, ".bss")]
    )
    inspect_elf(elf, [(entry(), DENSE)], arena_sizes=refuse)


def need(smallest: int, head: int, tail: int, enough: int | None) -> ArenaNeed:
    return ArenaNeed(
        "net", "x", ArenaPlan((), head), head, tail, smallest, enough == smallest, (), None,
        enough=enough,
    )  # fmt: skip


def test_models_that_share_an_arena_keep_their_tails_while_the_next_starts() -> None:
    """By hand: 300 bytes of tails before the second, which needs 900 to start: 1200."""
    nowhere = Surroundings((), (), {}, None, None)
    entries = [entry("a"), entry("b")]
    needs = {"a": need(500, 200, 300, 500), "b": need(900, 400, 100, 900)}
    [facts] = arena_facts(nowhere, entries, needs)
    assert (facts.needed, facts.exact, facts.sufficient) == (1200, True, 1200)
    needs["b"] = need(900, 400, 100, 1000)
    [facts] = arena_facts(nowhere, entries, needs)
    assert (facts.needed, facts.exact, facts.sufficient) == (1200, False, 1500)


def test_a_named_arena_that_is_nowhere_is_not_judged_by_some_constant() -> None:
    """The constant may be about another array, here one with a C++ name of its own."""
    symbols = [ElfSymbolSpec("_ZN3app3memE", BSS, 64, ".bss")]
    elf = image(rodata(DENSE), bss(0x4000, BSS), symbols=symbols)
    facts = inspect_elf(
        elf, [(entry(arena="mem"), DENSE)], arena_sizes=lambda: {"kTensorArenaSize": 1 << 16}
    )
    assert facts.arenas[0].size_constant is None
    [outcome] = outcomes(facts, "arena-too-small")
    assert outcome.status is Status.UNDECIDED


@pytest.mark.parametrize(
    ("name", "arena"),
    [
        pytest.param("tensor_arena", None, id="plain"),
        pytest.param("_ZN12_GLOBAL__N_112tensor_arenaE", None, id="in an anonymous namespace"),
        pytest.param("tensor_arena.lto_priv.0", "tensor_arena", id="with a suffix"),
        pytest.param("_ZN3app3memE", "*mem*", id="by a glob"),
    ],
)
def test_the_need_is_for_the_end_that_the_arena_has(name: str, arena: str | None) -> None:
    """kws needs 16388 bytes with an end at a multiple of 16, and 16392 when it ends 4 behind one.

    Both figures are those of `target_need` for cortex-m4 with CMSIS-NN kernels.
    """
    kws = (MODELS / "kws_int8.tflite").read_bytes()
    elf = image(
        rodata(kws), bss(0x8000, BSS), symbols=[ElfSymbolSpec(name, BSS, 16388, ".bss")], machine=40
    )
    wanted = replace(entry(arena=arena, runtime=None), target="cortex-m4", kernels="cmsis-nn")
    facts = inspect_elf(elf, [(wanted, kws)])
    assert (facts.arenas[0].needed, facts.arenas[0].exact) == (16392, True)
    [outcome] = outcomes(facts, "arena-too-small")
    assert outcome.status is Status.BROKEN


def test_the_end_of_an_arena_found_by_a_pattern_only_widens_its_need() -> None:
    kws = (MODELS / "kws_int8.tflite").read_bytes()
    weights = ElfSymbolSpec("s_net_weights_array_u64", FLASH + 0x1000, 64, ".rodata")
    pool = ElfSymbolSpec("pool0", BSS, 16388, ".bss")
    elf = image(rodata(kws), bss(0x8000, BSS), symbols=[pool, weights], machine=40)
    wanted = replace(entry(runtime=None), target="cortex-m4", kernels="cmsis-nn")
    facts = inspect_elf(elf, [(wanted, kws)], recognised=recognised_in(elf, None, ()))
    assert (facts.arenas[0].needed, facts.arenas[0].sufficient) == (16388, 16392)
    [outcome] = outcomes(facts, "arena-too-small")
    assert outcome.status is Status.UNDECIDED
