"""The installed ELF files: the reader says what readelf, nm, size and objdump say.

A seeded sample of programs, libraries, objects and members of archives is compared; set
MAPINSPECT_ELF_FILES to their number for more (several minutes for thousands).
Nothing here is needed to use mapinspect.
"""

import os
import random
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mapinspect.errors import InputError
from mapinspect.model.elf_file import ElfFile, SymbolKind
from mapinspect.readers.elf import read_elf
from tests.readers.binutils_elf import PREFIXES, Listing, read_with_bfd, read_with_readelf, tool

pytestmark = pytest.mark.toolchain
ROOTS = ("/usr/lib", "/usr/bin", "/usr/libexec", "/usr/local/lib", "/usr/local/bin")
FILES = int(os.environ.get("MAPINSPECT_ELF_FILES", "400"))
SAMPLE = FILES  # files
ARCHIVES = FILES // 2  # of each, up to MEMBERS objects
MEMBERS = 2
BATCH = 40
SEED = 20240
LARGEST = 64 * 1024 * 1024  # bytes; a browser's worth of symbols takes readelf minutes

# Every refusal must be one of these. They are right: none is an image as a linker wrote it.
EXPECTED_REFUSALS = (
    ("holds debugging information only", "split off by objcopy --only-keep-debug"),
    ("unknown machine 0x9026", "an Alpha PALcode image: an unofficial machine number"),
    ("that no allocated section explains", "rewritten after the link by patchelf or BOLT"),
)
Row = tuple[object, ...]
MAPPING = re.compile(r"\$([atdx](\..*)?|xrv.*)")
SHARE_OF_REFUSALS = 0.002  # beside debugging information


def is_elf(path: Path) -> bool:
    try:
        if path.is_symlink() or not path.is_file() or path.stat().st_size > LARGEST:
            return False
        with path.open("rb") as stream:
            return stream.read(4) == b"\x7fELF"
    except OSError:
        return False


def installed(suffix: str) -> Iterator[Path]:
    for root in ROOTS:
        for folder, _, names in os.walk(root):
            yield from (Path(folder, name) for name in sorted(names) if name.endswith(suffix))


def chosen_files() -> list[Path]:
    likely = [
        path
        for path in installed("")
        if path.suffix in ("", ".o", ".elf", ".ko", ".debug", ".out") or ".so" in path.name
    ]
    random.Random(SEED).shuffle(likely)
    found: list[Path] = []
    for path in likely:
        if is_elf(path):
            found.append(path)
        if len(found) == SAMPLE:
            break
    return found


def members(path: Path) -> list[bytes]:
    """Return the ELF members of a System V archive."""
    content = path.read_bytes()
    found, at = [], 8
    while content.startswith(b"!<arch>\n") and at + 60 <= len(content):
        size = int(content[at + 48 : at + 58])
        body = content[at + 60 : at + 60 + size]
        if body.startswith(b"\x7fELF"):
            found.append(body)
        at += 60 + size + size % 2
    return found


def chosen_members(folder: Path) -> list[Path]:
    archives = [path for path in installed(".a") if path.stat().st_size < LARGEST]
    chance = random.Random(SEED)
    chance.shuffle(archives)
    written = []
    for number, archive in enumerate(archives[:ARCHIVES]):
        bodies = members(archive)
        for index, body in enumerate(chance.sample(bodies, min(MEMBERS, len(bodies)))):
            written.append(folder / f"{number}_{index}.o")
            written[-1].write_bytes(body)
    return written


def test_installed_files_read_as_binutils_read_them(tmp_path: Path) -> None:
    readelf = shutil.which("readelf") or shutil.which("arm-none-eabi-readelf")
    if not readelf:
        pytest.skip("needs binutils: readelf")
    paths = chosen_files() + chosen_members(tmp_path)
    counted: Counter[str] = Counter()
    rows: Counter[str] = Counter()
    for start in range(0, len(paths), BATCH):
        compare_batch(readelf, paths[start : start + BATCH], counted, rows)
    print(dict(counted), dict(rows))
    assert min(rows.values()) > len(paths)
    total = sum(counted.values())
    refused = total - sum(counted[f"read {kind}"] for kind in ("REL", "EXEC", "DYN"))
    debugging = counted["refused: holds debugging information only"]
    assert refused - debugging <= max(1, SHARE_OF_REFUSALS * total)


def compare_batch(
    readelf: str, paths: list[Path], counted: Counter[str], rows: Counter[str]
) -> None:
    listings = read_with_readelf(readelf, paths)
    by_machine: dict[str, list[tuple[Path, ElfFile]]] = {}
    for path in paths:
        try:
            elf = read_elf(str(path), path.read_bytes())
        except InputError as refused:
            counted[f"refused: {expected_reason(refused)}"] += 1
            continue
        counted[f"read {elf.kind}"] += 1
        compare_with_readelf(elf, listings[path])
        rows["sections"] += len(elf.sections)
        rows["symbols"] += len(elf.symbols)
        by_machine.setdefault(elf.machine, []).append((path, elf))
    for machine, read in by_machine.items():
        if machine in PREFIXES and tool(machine, "objdump"):
            read_with_bfd(machine, [path for path, _ in read], listings)
            for path, elf in read:
                rows["sized symbols in nm"] += compare_with_bfd(elf, listings[path])


def expected_reason(refused: InputError) -> str:
    for reason, _ in EXPECTED_REFUSALS:
        if reason in refused.what:
            return reason
    raise AssertionError(f"unexpected refusal: {refused}")


def compare_with_readelf(elf: ElfFile, listing: Listing) -> None:
    header = listing.header
    assert header["Class"] == f"ELF{elf.bits}", elf.path
    assert ("little endian" in header["Data"]) == elf.little_endian, elf.path
    assert header["Type"].startswith(elf.kind), elf.path
    assert int(header["Entry point address"], 16) == elf.entry, elf.path
    sections = [
        (
            s.name, s.vma, s.offset, s.size, s.alignment,
            s.allocated, s.writable, s.executable, s.thread_local, s.kind == "NOBITS",
        )
        for s in elf.sections
    ]  # fmt: skip
    said = [(row[0], *row[2:], row[1] == "NOBITS") for row in listing.sections]
    assert sections == said, elf.path
    segments = [(s.offset, s.vma, s.lma, s.file_size, s.memory_size, s.flags) for s in elf.segments]
    assert segments == [(*row[1:6], flags(str(row[6]))) for row in listing.segments], elf.path
    assert symbols(elf) == [row for row in map(expected_symbol(elf), listing.symbols) if row]


def flags(letters: str) -> int:
    return sum(value for letter, value in (("R", 4), ("W", 2), ("E", 1)) if letter in letters)


def comparable(name: str) -> str:
    """Return a name that readelf prints as it is, or nothing."""
    return name if name.isascii() and name.isprintable() else ""


def symbols(elf: ElfFile) -> list[Row]:
    return [
        (
            s.address,
            s.size,
            s.is_global,
            s.section if s.section is not None else "ABS" if s.absolute else "elsewhere",
            "" if s.kind is SymbolKind.SECTION else comparable(s.name),
        )
        for s in elf.symbols
    ]


def expected_symbol(elf: ElfFile) -> Callable[[Row], Row | None]:
    """Return what turns a row of readelf into one of ``symbols``, None where there is none."""
    mapped = elf.machine in ("ARM", "AARCH64", "RISCV")

    def expect(row: Row) -> Row | None:
        value, size, kind, binding, index, name = row
        assert isinstance(value, int)
        mapping = mapped and kind == "NOTYPE" and binding == "LOCAL"
        if index == "UND" or (mapping and MAPPING.fullmatch(str(name))):
            return None
        if index in ("COM", "LARGE_COM"):
            value = 0
        if elf.machine == "ARM" and kind in ("FUNC", "IFUNC", "THUMB_FUNC"):
            value &= ~1
        place = (
            int(str(index)) if str(index).isdigit() else "ABS" if index == "ABS" else "elsewhere"
        )
        spelled = "" if kind == "SECTION" else comparable(str(name))
        return value, size, binding != "LOCAL", place, spelled

    return expect


def compare_with_bfd(elf: ElfFile, listing: Listing) -> int:
    sized = Counter(
        (s.address, s.size, s.name)
        for s in elf.symbols
        if s.size and s.kind not in (SymbolKind.SECTION, SymbolKind.FILE) and comparable(s.name)
    )
    if any(s.name.startswith(".gnu.lto_") for s in elf.sections):
        return 0  # nm lists what the compiler's plugin reads there instead
    said = Counter(row for row in listing.sized if comparable(row[2]) and row[1])
    commons = {s.name for s in elf.symbols if s.kind is SymbolKind.COMMON}
    difference = {row for row in (sized - said) + (said - sized) if row[2] not in commons}
    assert not difference, elf.path
    allocated = [s for s in elf.sections if s.allocated]
    totals = Counter((s.name, s.size, s.vma) for s in allocated)
    assert not totals - Counter(listing.totals), elf.path
    for s in allocated:
        if elf.kind != "REL" and s.size and s.has_contents:
            assert s.lma in listing.loads[s.name, s.size, s.vma], elf.path
    return sized.total()
