"""Structure sizes and constants from DWARF, against what the compiler's sizeof wrote."""

import contextlib
import random
import shutil
import struct
import subprocess
import time
from pathlib import Path

import elftools
import pytest

from mapinspect.errors import InputError
from mapinspect.model.elf_file import ElfFile
from mapinspect.readers import dwarf_sections
from mapinspect.readers.dwarf_sizes import constants, struct_sizes
from mapinspect.readers.elf import read_elf
from tests.elf_builder import SHF_COMPRESSED, ElfSectionSpec, build_elf, text

TARGETS = ("arm-none-eabi", "riscv64-unknown-elf", "avr", "xtensa-lx106-elf")
# As structures of a TensorFlow Lite Micro firmware are declared: C and C++, nested, anonymous
# with a typedef, in anonymous namespaces. `sizes` is the truth.
CONV = """
enum Kind { kOne, kTwo };
extern "C" {
struct TfLiteTensor { void* data; Kind type; float scale; short dims[3]; };
typedef struct { int a, b; char c; } TfLiteConvParams;
}
constexpr long kTensorArenaSize = 100L * 1024;
namespace { constexpr int kHidden = 77; const int kNegative = -5;
char arena[kTensorArenaSize / 64]; }
struct Config { static constexpr unsigned long kLimit = 4000000000u; };
enum { kEnumerated = 1234 };
namespace tflite {
struct OpDataConv { int padding[4]; long zero; int* multiplier; bool flag; };
struct __attribute__((aligned(8))) Aligned { char x[20]; };
class MicroAllocator { public: virtual int f(); struct Inner { short s; }; Inner i; int n; };
int MicroAllocator::f() { return n; }
namespace { struct OpData { int a; short b; }; }
extern const unsigned sizes[];
const unsigned sizes[] = { sizeof(TfLiteTensor), sizeof(TfLiteConvParams), sizeof(OpDataConv),
  sizeof(Aligned), sizeof(MicroAllocator), sizeof(MicroAllocator::Inner), sizeof(OpData) };
int use(OpDataConv* o, OpData* d, Aligned* a, TfLiteConvParams* p, TfLiteTensor* t, Config*) {
  return o->zero + d->a + a->x[3] + p->c + t->type + kHidden + kNegative + kEnumerated
    + arena[o->zero] + Config::kLimit; }
OpData hidden;
int make(OpDataConv* o) { return use(o, &hidden, nullptr, nullptr, nullptr, nullptr); }
}
"""
SOFTMAX = """
namespace tflite { namespace { struct OpData { double d[4]; } data; }
double g() { return data.d[0]; } }
"""
NAMES = (
    "TfLiteTensor", "TfLiteConvParams", "tflite::OpDataConv", "tflite::Aligned",
    "tflite::MicroAllocator", "tflite::MicroAllocator::Inner",
)  # fmt: skip
VARIANTS = {
    "DWARF 5": ["-gdwarf-5"],
    "DWARF 4": ["-gdwarf-4"],
    "DWARF 2": ["-gdwarf-2"],
    "compressed": ["-g", "-gz=zlib"],
}


def build(folder: Path, target: str, *options: str) -> ElfFile:
    """Compile both sources for a target and link them; no library is needed."""
    compiler = shutil.which(f"{target}-g++")
    if not compiler:
        pytest.skip(f"needs {target}-g++")
    common = ["-Os", "-std=c++11", "-fno-exceptions", "-fno-rtti", "-nostdlib"]
    objects = []
    for name, source in (("conv.cc", CONV), ("softmax.cc", SOFTMAX)):
        (folder / name).write_text(source)
        objects.append(f"{name}.o")
        command = [compiler, *common, *options, "-c", name, "-o", objects[-1]]
        subprocess.run(command, cwd=folder, check=True, timeout=120)
    link = ["-Wl,-e,0,--unresolved-symbols=ignore-all", "-o", "app.elf"]
    packed = [option for option in options if option.startswith("-gz")]
    subprocess.run([compiler, "-nostdlib", *packed, *link, *objects], cwd=folder, check=True,
                   capture_output=True, timeout=120)  # fmt: skip
    return read_elf("app.elf", (folder / "app.elf").read_bytes())


def sizes_by_compiler(elf: ElfFile, count: int) -> list[int]:
    """Return what sizeof said, from the image's own table."""
    symbol = elf.symbols.named("_ZN6tflite5sizesE")[0]
    section = elf.sections[symbol.section or 0]
    width = symbol.size // count
    raw = elf.contents(section)[symbol.address - section.vma :][: symbol.size]
    return [value for (value,) in struct.iter_unpack({2: "<H", 4: "<I"}[width], raw)]


@pytest.fixture(scope="module")
def arm(tmp_path_factory: pytest.TempPathFactory) -> ElfFile:
    return build(tmp_path_factory.mktemp("dwarf"), "arm-none-eabi", "-g")


@pytest.mark.toolchain
@pytest.mark.parametrize("target", TARGETS)
def test_sizes_equal_sizeof_on_every_target(target: str, tmp_path: Path) -> None:
    elf = build(tmp_path, target, "-gdwarf-4")  # avr-g++ -g writes stabs
    *expected, op_data = sizes_by_compiler(elf, 7)
    found = struct_sizes(elf, NAMES)
    assert [found[name][0] for name in NAMES] == expected
    assert struct_sizes(elf, ["OpData"], unit="conv.cc")["OpData"][0] == op_data


@pytest.mark.toolchain
@pytest.mark.parametrize("options", VARIANTS.values(), ids=VARIANTS)
def test_sizes_equal_sizeof_in_every_form_of_dwarf(options: list[str], tmp_path: Path) -> None:
    elf = build(tmp_path, "arm-none-eabi", *options)
    found = struct_sizes(elf, NAMES)
    assert [found[name][0] for name in NAMES] == sizes_by_compiler(elf, 7)[:-1]
    assert constants(elf, ["kTensorArenaSize"]) == {"kTensorArenaSize": 102400}


@pytest.mark.toolchain
@pytest.mark.skipif(
    elftools.__version__ == "0.29", reason="pyelftools 0.29 does not read type units of DWARF 5"
)
def test_types_in_units_of_their_own_are_found_and_typedefs_of_them_left_out(
    tmp_path: Path,
) -> None:
    elf = build(tmp_path, "arm-none-eabi", "-gdwarf-5", "-fdebug-types-section")
    truth = dict(zip(NAMES, sizes_by_compiler(elf, 7), strict=False))
    del truth["TfLiteConvParams"]  # a signature stands for the structure
    assert {name: size for name, (size, _) in struct_sizes(elf, NAMES).items()} == truth


@pytest.mark.toolchain
def test_an_object_file_of_arm_has_sizes_too(arm: ElfFile, tmp_path: Path) -> None:
    build(tmp_path, "arm-none-eabi", "-g")
    compiled = read_elf("conv.o", (tmp_path / "conv.cc.o").read_bytes())
    assert struct_sizes(compiled, NAMES) == struct_sizes(arm, NAMES)


@pytest.mark.toolchain
def test_an_alignment_is_told_where_the_source_states_it(arm: ElfFile) -> None:
    assert struct_sizes(arm, ["Aligned", "OpDataConv"]) == {
        "Aligned": (24, 8),
        "OpDataConv": (28, None),
    }


@pytest.mark.toolchain
def test_a_name_of_two_structures_needs_its_unit(arm: ElfFile) -> None:
    assert struct_sizes(arm, ["OpData", "tflite::(anonymous namespace)::OpData"]) == {}
    assert struct_sizes(arm, ["OpData"], unit="softmax.cc") == {"OpData": (32, None)}
    assert struct_sizes(arm, ["OpData"], unit="max.cc") == {}


@pytest.mark.toolchain
def test_folded_constants_are_found(arm: ElfFile) -> None:
    names = ["kTensorArenaSize", "kHidden", "kNegative", "Config::kLimit", "kEnumerated", "none"]
    assert constants(arm, names) == {
        "kTensorArenaSize": 102400,
        "kHidden": 77,
        "kNegative": -5,
        "Config::kLimit": 4_000_000_000,
        "kEnumerated": 1234,
    }


@pytest.mark.toolchain
def test_an_image_without_debugging_information_says_nothing(tmp_path: Path) -> None:
    elf = build(tmp_path, "arm-none-eabi")
    assert struct_sizes(elf, NAMES) == {}
    assert constants(elf, ["kTensorArenaSize"]) == {}


@pytest.mark.toolchain
def test_damaged_debugging_information_is_refused_or_read(arm: ElfFile) -> None:
    chance = random.Random(7)
    spans = [s for s in arm.sections if s.name in (".debug_info", ".debug_abbrev", ".debug_str")]
    for _ in range(150):
        changed = bytearray(arm.content)
        for _ in range(chance.randint(1, 4)):
            section = chance.choice(spans)
            at = section.offset + chance.randrange(section.size)
            changed[at] = chance.choice((0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256)))
        elf = read_elf("app.elf", bytes(changed))
        with contextlib.suppress(InputError):
            assert set(struct_sizes(elf, NAMES)) <= set(NAMES)
        with contextlib.suppress(InputError):
            constants(elf, ["kTensorArenaSize", "Config::kLimit"])


@pytest.mark.toolchain
def test_work_is_bounded(arm: ElfFile, monkeypatch: pytest.MonkeyPatch) -> None:
    few = dwarf_sections.Budget(steps=500)
    monkeypatch.setattr(dwarf_sections, "Budget", lambda: few)
    with pytest.raises(InputError, match="more debugging information than mapinspect reads"):
        struct_sizes(arm, NAMES)


def with_debug(abbreviations: bytes, entries: bytes, flags: int = 0) -> ElfFile:
    unit = struct.pack("<HIB", 4, 0, 4) + entries
    sections = [
        text(b"code"),
        ElfSectionSpec(".debug_abbrev", abbreviations, flags=0),
        ElfSectionSpec(".debug_info", struct.pack("<I", len(unit)) + unit, flags=flags),
    ]
    return read_elf("app.elf", build_elf(sections))


def test_entries_that_nest_without_end_cost_no_more_than_their_bytes() -> None:
    # Abbreviation 1: a namespace with children and no attributes; half a million of them.
    elf = with_debug(b"\x01\x39\x01\0\0\0", b"\x01" * 500_000 + b"S\0")
    start = time.process_time()
    with pytest.raises(InputError, match="debugging information"):
        struct_sizes(elf, ["S"])
    assert time.process_time() - start < 60


def test_attributes_without_bytes_are_work_too() -> None:
    # Abbreviation 1 has 50 000 flags (DW_AT_external, DW_FORM_flag_present) and no child.
    elf = with_debug(b"\x01\x39\x00" + b"\x3f\x19" * 50_000 + b"\0\0\0", b"\x01" * 10_000 + b"S\0")
    with pytest.raises(InputError, match="more debugging information"):
        struct_sizes(elf, ["S"])


def test_a_sibling_that_points_back_ends() -> None:
    # Abbreviation 1: a structure with children and DW_AT_sibling (DW_FORM_ref4) 11: itself.
    elf = with_debug(b"\x01\x13\x01\x01\x13\0\0\0", b"\x01" + struct.pack("<I", 11) + b"\0\0S\0")
    assert struct_sizes(elf, ["S"]) == {}


@pytest.mark.parametrize(
    ("payload", "reason"),
    [
        pytest.param(struct.pack("<III", 2, 99, 1) + b"zstd", "does not unpack", id="zstd"),
        pytest.param(struct.pack("<III", 1, 99, 1) + b"junk", "cannot be unpacked", id="no zlib"),
        pytest.param(
            struct.pack("<III", 1, 1 << 30, 1) + b"junk", "does not unpack", id="a huge claim"
        ),
        pytest.param(
            struct.pack("<III", 1, 99, 1) + b"x\x9cK\x04\x00\x00b\x00b",
            "does not unpack to the 99 bytes it claims",
            id="a false claim",
        ),
    ],
)
def test_compressed_sections_are_unpacked_up_to_their_claim(payload: bytes, reason: str) -> None:
    sections = [
        text(b"code"),
        ElfSectionSpec(".debug_abbrev", b"\0", flags=0),
        ElfSectionSpec(".debug_info", payload, flags=SHF_COMPRESSED),
    ]
    with pytest.raises(InputError, match=reason):
        struct_sizes(read_elf("app.elf", build_elf(sections)), ["S"])
