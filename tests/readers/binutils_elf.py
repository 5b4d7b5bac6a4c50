"""What readelf, nm, size and objdump say about ELF files, parsed from their output."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

# The binutils that know a machine by heart; readelf of any target reads the headers of all.
PREFIXES = {
    "ARM": ("arm-none-eabi-",),
    "AVR": ("avr-",),
    "RISCV": ("riscv64-unknown-elf-", "riscv64-linux-gnu-"),
    "XTENSA": ("xtensa-lx106-elf-", "xtensa-esp32-elf-"),
    "X86_64": ("", "x86_64-linux-gnu-"),
    "386": ("", "x86_64-linux-gnu-"),
}
_SECTION = re.compile(
    r"\s*\[ *(\d+)\] (.*?) +(\S+(?: \S+)*?) +([0-9a-f]{8,16}) ([0-9a-f]{6,}) ([0-9a-f]{6,})"
    r" ([0-9a-f]{2,}) +([A-Za-z]*) +(\d+) +(\d+) +(\d+)$"
)
_SEGMENT = re.compile(
    r"  (\S+) +0x([0-9a-f]+) 0x([0-9a-f]+) 0x([0-9a-f]+) 0x([0-9a-f]+) 0x([0-9a-f]+) ([RWE ]{3})"
)
_SYMBOL = re.compile(
    r" *\d+: ([0-9a-f]+) +(\S+) (\S+(?: \S+:? \S+)?) +(\S+) +\S+(?: +\[[^]]*\])* +(\S+)"
    r"(?: (.*))?$"
)
_BFD_SECTION = re.compile(r" *\d+ (.*?) +([0-9a-f]{8,}) +([0-9a-f]{8,}) +([0-9a-f]{8,}) ")


@dataclass(slots=True)
class Listing:
    """What the tools said about one file."""

    header: dict[str, str] = field(default_factory=dict)
    sections: list[tuple[object, ...]] = field(default_factory=list)
    segments: list[tuple[object, ...]] = field(default_factory=list)
    symbols: list[tuple[object, ...]] = field(default_factory=list)
    sized: list[tuple[int, int, str]] = field(default_factory=list)
    totals: list[tuple[str, int, int]] = field(default_factory=list)
    loads: dict[tuple[str, int, int], set[int]] = field(default_factory=dict)


def tool(machine: str, name: str) -> str | None:
    """Return the path of ``nm``, ``size``, … for a machine, or None."""
    for prefix in PREFIXES.get(machine, ()):
        if found := shutil.which(prefix + name):
            return found
    return None


def run(command: Sequence[str]) -> str:
    """Return a tool's output in the C locale; complaints about single files are let pass."""
    done = subprocess.run(
        command, capture_output=True, check=False, env={**os.environ, "LC_ALL": "C"}, timeout=300
    )
    return done.stdout.decode("utf-8", "surrogateescape")


def read_with_readelf(readelf: str, paths: Sequence[Path]) -> dict[Path, Listing]:
    """Return header, sections, segments and the symbols of .symtab, by file."""
    listings = {path: Listing() for path in paths}
    text = run([readelf, "-hlSsW", *map(str, paths), os.devnull])
    for path, part in _parts(text, "File: ", listings):
        _read_listing(part, listings[path])
    return listings


def _parts(text: str, mark: str, listings: dict[Path, Listing]) -> Iterator[tuple[Path, list[str]]]:
    path, lines = None, []
    for line in text.split("\n"):
        if line.startswith(mark) and Path(line.removeprefix(mark)) in listings:
            if path:
                yield path, lines
            path, lines = Path(line.removeprefix(mark)), []
        elif line.startswith(f"{mark}{os.devnull}"):
            break
        lines.append(line)
    if path:
        yield path, lines


def _read_listing(lines: list[str], listing: Listing) -> None:
    table = ""
    for line in lines:
        if line.startswith("Symbol table '"):
            table = line.split("'")[1]
        elif line.startswith(("Section Headers:", "Program Headers:", "ELF Header:")):
            table = line.rstrip(":")
        elif table == "ELF Header" and ":" in line:
            key, _, value = line.strip().partition(":")
            listing.header.setdefault(key, value.strip())
        elif table == "Section Headers" and (match := _SECTION.match(line)):
            _, name, kind, vma, offset, size, _, flags, _, _, alignment = match.groups()
            numbers = (int(vma, 16), int(offset, 16), int(size, 16), int(alignment))
            held = tuple(letter in flags for letter in "AWXT")
            listing.sections.append((name, kind, *numbers, *held))
        elif table == "Program Headers" and (match := _SEGMENT.match(line)):
            kind, *numbers, flags = match.groups()
            listing.segments.append((kind, *(int(each, 16) for each in numbers), flags))
        elif table == ".symtab" and (match := _SYMBOL.match(line)):
            value, size, kind, binding, index, name = match.groups()
            listing.symbols.append((int(value, 16), int(size, 0), kind, binding, index, name or ""))


def read_with_bfd(machine: str, paths: Sequence[Path], listings: dict[Path, Listing]) -> None:
    """Add what nm, size and objdump of the machine say."""
    nm, size, objdump = (tool(machine, name) for name in ("nm", "size", "objdump"))
    assert nm
    assert size
    assert objdump
    for path in paths:
        for line in run([nm, "-S", str(path)]).split("\n"):
            value, _, rest = line.partition(" ")
            extent, _, rest = rest.partition(" ")
            if len(extent) >= 8 and rest[1:2] == " ":
                listings[path].sized.append((int(value, 16), int(extent, 16), rest[2:]))
    for path, lines in _headed(run([size, "-A", *map(str, paths)]), "  :", listings):
        for line in lines:
            name, _, numbers = line.rpartition(" ")
            name, _, middle = name.rstrip().rpartition(" ")
            if middle.isdigit() and numbers.isdigit():
                listings[path].totals.append((name.rstrip(), int(middle), int(numbers)))
    text = run([objdump, "-hw", *map(str, paths)])
    for path, lines in _headed(text, ":     file format", listings):
        for line in lines:
            if match := _BFD_SECTION.match(line):
                name, *numbers = match.groups()
                extent, vma, lma = (int(each, 16) for each in numbers)
                listings[path].loads.setdefault((name, extent, vma), set()).add(lma)


def _headed(
    text: str, mark: str, listings: dict[Path, Listing]
) -> Iterator[tuple[Path, list[str]]]:
    path, lines = None, []
    for line in text.split("\n"):
        name, found, _ = line.partition(mark)
        if found and Path(name) in listings:
            if path:
                yield path, lines
            path, lines = Path(name), []
        lines.append(line)
    if path:
        yield path, lines
