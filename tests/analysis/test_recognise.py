"""Weights and arenas are recognised with reasons; names as runtimes' generated code has them."""

import re
import struct
from pathlib import Path

import pytest

from mapinspect.analysis.recognise import recognise
from mapinspect.errors import InputError
from mapinspect.model.elf_file import ElfFile
from mapinspect.model.runtime import Recognised
from mapinspect.readers.elf import read_elf
from mapinspect.readers.runtimes import read_runtimes
from mapinspect.readers.source import SourceFile
from tests.elf_builder import (
    STB_LOCAL,
    STT_FUNC,
    STT_NOTYPE,
    STT_OBJECT,
    ElfSymbolSpec,
    bss,
    build_elf,
    data,
    text,
)

RODATA, BSS = 0x0800_1000, 0x2000_1000


def image(constants: dict[str, int], variables: dict[str, int], *functions: str) -> ElfFile:
    """Return an ELF with variables of these sizes in .rodata and in .bss, one after the other."""
    symbols, content, at = [], b"", RODATA
    for name, size in constants.items():
        symbols.append(ElfSymbolSpec(name, at, size, ".rodata", STT_OBJECT, STB_LOCAL))
        content, at = content + b"\x55" * size, at + size
    room = 0
    for name, size in variables.items():
        symbols.append(ElfSymbolSpec(name, BSS + room, size, ".bss", STT_OBJECT))
        room += size
    symbols += [ElfSymbolSpec(name, 0x0800_0000, 2, ".text", STT_FUNC) for name in functions]
    sections = [text(b"\0\0"), text(content or b"\0", RODATA, ".rodata"), bss(room or 4, BSS)]
    return read_elf("app.elf", build_elf(sections, symbols))


def found(elf: ElfFile, **names: str) -> list[Recognised]:
    return list(recognise(elf, read_runtimes(), lambda name: names.get(name, name)))


@pytest.mark.parametrize(
    ("constants", "variables", "expected"),
    [
        pytest.param(
            {"g_model": 2048},
            {"tensor_arena": 20480},
            {("weights", "g_model", "high"), ("arena", "tensor_arena", "high")},
            id="TensorFlow Lite Micro",
        ),
        pytest.param(
            {"model_tflite": 2048, "model_tflite_len": 4},
            {"tensor_arena.lto_priv.0": 1024},
            {("weights", "model_tflite", "high"), ("arena", "tensor_arena.lto_priv.0", "high")},
            id="xxd, and a suffix of link-time optimisation",
        ),
        pytest.param(
            {"s_network_weights_array_u64": 4096},
            {"pool0": 8192, "data_in_1": 784},
            {
                ("weights", "s_network_weights_array_u64", "high"),
                ("arena", "pool0", "high"),
                ("workspace", "data_in_1", "high"),
            },
            id="X-CUBE-AI",
        ),
        pytest.param(
            {"global_const_workspace": 512},
            {"global_workspace": 4096},
            {("weights", "global_const_workspace", "high"), ("arena", "global_workspace", "high")},
            id="TVM",
        ),
        pytest.param(
            {"weight0": 64, "bias0": 64},
            {"buffer": 4096},
            {
                ("weights", "weight0", "low"),
                ("weights", "bias0", "low"),
                ("arena", "buffer", "low"),
            },
            id="TinyEngine: a plain name beside its companion",
        ),
        pytest.param(
            {"model_pte": 512},
            {"method_allocation_pool": 4096, "temp_allocation_pool": 64},
            {
                ("weights", "model_pte", "high"),
                ("arena", "method_allocation_pool", "high"),
                ("workspace", "temp_allocation_pool", "high"),
            },
            id="ExecuTorch",
        ),
        pytest.param(
            {}, {"buffer": 4096, "pool0": 64, "arena": 512}, set(), id="plain names alone"
        ),
        pytest.param({"tensor_arena": 64}, {}, set(), id="an arena that cannot be written"),
        pytest.param({"g_model": 8}, {"tensor_arena_size": 4}, set(), id="sizes and flags"),
    ],
)
def test_a_runtimes_names_are_recognised(
    constants: dict[str, int], variables: dict[str, int], expected: set[tuple[str, str, str]]
) -> None:
    got = found(image(constants, variables))
    assert {(item.role, item.name, item.confidence) for item in got} == expected


def test_a_plain_name_needs_the_runtimes_code() -> None:
    (arena,) = found(image({}, {"s_arena": 512}, "_ZN6tflite16MicroInterpreter6InvokeEv"))
    assert (arena.role, arena.confidence) == ("arena", "medium")


def test_cpp_names_are_matched_without_their_scopes() -> None:
    elf = image({"_ZL7g_model": 512}, {"_ZN12_GLOBAL__N_112tensor_arenaE": 4096})
    got = found(
        elf,
        _ZL7g_model="g_model",
        _ZN12_GLOBAL__N_112tensor_arenaE="(anonymous namespace)::tensor_arena",
    )
    assert [(item.role, item.name) for item in got] == [
        ("arena", "_ZN12_GLOBAL__N_112tensor_arenaE"),
        ("weights", "_ZL7g_model"),
    ]


def test_an_arena_of_four_bytes_is_a_pointer_and_says_so() -> None:
    (arena,) = found(image({}, {"tensor_arena": 4}))
    assert arena.pointer
    assert arena.sentence() == (
        "recognised as arena of TensorFlow Lite Micro because the name tensor_arena is the "
        "arena's in every TFLM example; it is only 4 bytes: a pointer to memory taken at run time"
    )


def model_file(size: int) -> bytes:
    """Return the smallest start of a FlatBuffer: root at 16, its vtable at 8, then filler."""
    head = struct.pack("<I4sHHHH", 16, b"TFL3", 4, 4, 0, 0) + struct.pack("<i", 8)
    return head + b"\x11" * (size - len(head))


def test_a_model_is_found_by_its_content_whatever_its_name() -> None:
    stored = b"TFL3 is a string here" + bytes(3) + model_file(64)
    elf = read_elf(
        "app.elf",
        build_elf(
            [text(stored, RODATA, ".rodata"), data(model_file(96))],
            [ElfSymbolSpec("blob", 0x2000_0000, 96, ".data", STT_OBJECT)],
        ),
    )
    got = found(elf)
    assert [(i.role, i.name, i.span.start, i.span.size, i.runtime) for i in got] == [
        ("weights", ".rodata+0x18", RODATA + 24, 0, "a .tflite model"),
        ("weights", "blob", 0x2000_0000, 96, "a .tflite model"),
    ]


def test_an_embedded_file_has_the_size_between_its_symbols() -> None:
    symbols = [
        ElfSymbolSpec("_binary_kws_tflite_start", RODATA, 0, ".rodata", STT_NOTYPE),
        ElfSymbolSpec("_binary_kws_tflite_end", RODATA + 64, 0, ".rodata", STT_NOTYPE),
    ]
    elf = read_elf("app.elf", build_elf([text(model_file(64), RODATA, ".rodata")], symbols))
    (weights,) = found(elf)
    assert (weights.name, weights.span.size, weights.runtime) == (
        "_binary_kws_tflite_start",
        64,
        "ESP-IDF",
    )
    assert len(weights.reasons) == 2  # by its name and by its content


def test_the_object_counts_where_a_map_names_it() -> None:
    elf = image({"tensor_data0": 64}, {})
    patterns = read_runtimes()
    assert len(recognise(elf, patterns)) == 1
    assert len(recognise(elf, patterns, owner=lambda _: "build/tflite_compiled.cpp.o")) == 1
    assert len(recognise(elf, patterns, owner=lambda _: "build/images.o")) == 0


def test_symbols_of_the_same_bytes_make_one_entry() -> None:
    symbols = [
        ElfSymbolSpec("g_person_detect_model_data", RODATA, 64, ".rodata", STT_OBJECT),
        ElfSymbolSpec("nn_model", RODATA, 64, ".rodata", STT_OBJECT),
    ]
    elf = read_elf("app.elf", build_elf([text(bytes(64), RODATA, ".rodata")], symbols))
    (weights,) = found(elf)
    assert weights.names == ("g_person_detect_model_data", "nn_model")
    assert weights.confidence == "high"


def test_a_users_patterns_go_first_and_are_checked() -> None:
    mine = b"""version = 1
[[pattern]]
runtime = "ours"
role = "arena"
symbol = "scratch"
confidence = "high"
because = "is ours"
"""
    elf = image({}, {"scratch": 512})
    (arena,) = recognise(elf, read_runtimes([SourceFile("mine.toml", mine)]))
    assert arena.runtime == "ours"
    for change, what, line in [
        (("arena", "arenas"), "role is 'arenas'", 4),
        (('symbol = "scratch"', ""), "asks for no symbol and no section", 2),
        (('"is ours"', "3"), "because is a number", 7),
        (("symbol", "symbols"), "unknown key 'symbols'", 5),
    ]:
        text_of = mine.decode().replace(*change).encode()
        with pytest.raises(InputError, match=what) as caught:
            read_runtimes([SourceFile("mine.toml", text_of)])
        assert caught.value.line == line


def test_every_shipped_pattern_says_why() -> None:
    patterns = read_runtimes()
    assert len({pattern.runtime for pattern in patterns}) >= 15
    for pattern in patterns:
        assert pattern.because.split()[0] in ("is", "says")
        assert pattern.symbols or pattern.sections


@pytest.mark.parametrize(
    ("case", "arena", "pointer"),
    [
        pytest.param("good", "tensor_arena", False, id="C"),
        pytest.param("cpp", "_ZN12_GLOBAL__N_112tensor_arenaE", False, id="C++"),
        pytest.param("arena-on-heap", "tensor_arena", True, id="on the heap"),
        pytest.param("avr", "tensor_arena", False, id="AVR"),
    ],
)
def test_our_firmware_shows_its_model_and_arena(case: str, arena: str, pointer: bool) -> None:
    path = Path(__file__).parents[2] / "fixtures" / "built" / case / "app.elf"
    got = recognise(read_elf(path.name, path.read_bytes()), read_runtimes())
    assert [(item.role, item.name, item.pointer) for item in got] == [
        ("arena", arena, pointer),
        ("weights", "g_kws_model", False),
    ]
    facts = (path.parent / "nm.txt").read_text()
    for item in got:  # nm prints address and size in hexadecimal
        assert re.search(rf"0*{item.span.start:x} 0*{item.span.size:x} . {item.name}\b", facts)
