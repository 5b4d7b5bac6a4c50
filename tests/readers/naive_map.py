"""A second, deliberately naive reader of GNU ld maps: one regular expression per kind of line.

It shares nothing with the real one: no grammar, no chunks, no columns. It goes line by line, keeps
what it saw last, and knows only the constructs that carry bytes.
"""

import re
from dataclasses import dataclass, field

HEX = r"0x([0-9a-f]{16}|[0-9a-f]{8})"
SIZE = r" {1,8}0x([0-9a-f]+)"
NUMBERS = re.compile(rf"^ {{16}}{HEX}{SIZE}(.*)$", re.DOTALL)
OUTPUT = re.compile(rf"^(\S.*?) +{HEX}{SIZE}(| .*0x([0-9a-f]+))$", re.DOTALL)
INPUT = re.compile(rf"^ (\S.*?) +{HEX}{SIZE} (.+)$", re.DOTALL)
FILL = re.compile(rf"^ \*fill\* +{HEX}{SIZE}( ?[0-9a-f]*)$")
DATA = re.compile(r"^ (BYTE|SHORT|LONG|QUAD|SQUAD) 0x[0-9a-f]+( .*)?$", re.DOTALL)
LAST_NUMBER = re.compile(r"0x([0-9a-f]+)$")


@dataclass
class Section:
    """An output section: header, and what stands below it until the next header."""

    name: str
    vma: int | None
    size: int | None
    lma: int | None
    line: int
    inputs: list[tuple[str, int, int, str, int]] = field(default_factory=list)
    fills: int = 0
    data: int = 0


def naive(content: bytes) -> list[Section]:  # noqa: C901 - a branch per kind of line
    """Return the output sections of a map of GNU ld."""
    text = content.replace(b"\r\n", b"\n").removeprefix(b"\xef\xbb\xbf")
    lines = [raw.decode("utf-8", "surrogateescape") for raw in text.split(b"\n")]
    start = next(i for i, line in enumerate(lines) if line.startswith("*default*")) + 3
    sections: list[Section] = []
    name, name_line = "", 0
    for number, line in enumerate(lines[start:], start + 1):
        if is_cross_reference_heading(lines, number - 1):
            break
        numbers = NUMBERS.match(line)
        if numbers and name and not name.startswith(" ") and "0x" in numbers[3]:
            lma = LAST_NUMBER.search(numbers[3])
        else:
            lma = None
        if numbers and DATA.match(numbers[3]):
            sections[-1].data += int(numbers[2], 16)
        elif numbers and name.startswith(" ") and numbers[3].startswith(" "):
            row = (name[1:], int(numbers[1], 16), int(numbers[2], 16), numbers[3][1:], name_line)
            sections[-1].inputs.append(row)
        elif numbers and name and (not numbers[3] or lma):
            if sections and sections[-1].line == name_line:
                sections.pop()  # it looked like a section without numbers
            vma = int(numbers[1], 16)
            load = int(lma[1], 16) if lma else vma
            sections.append(Section(name, vma, int(numbers[2], 16), load, name_line))
        elif fill := FILL.match(line):
            sections[-1].fills += int(fill[2], 16)
        elif (found := INPUT.match(line)) and at_column_16(line, found.start(2)):
            row = (found[1], int(found[2], 16), int(found[3], 16), found[4], number)
            sections[-1].inputs.append(row)
        elif (found := OUTPUT.match(line)) and at_column_16(line, found.start(2)):
            vma = int(found[2], 16)
            load = int(found[5], 16) if found[5] else vma
            sections.append(Section(found[1], vma, int(found[3], 16), load, number))
        elif line and line[0] != " " and not lines[number - 2] and not is_command(line):
            sections.append(Section(line, None, None, None, number))
        name, name_line = (
            (line, number)
            if len(line.encode(errors="surrogateescape")) >= 15
            else (
                "",
                0,
            )
        )
    return sections


def at_column_16(line: str, digits: int) -> bool:
    return len(line[: digits - 2].encode(errors="surrogateescape")) == 16


def is_command(line: str) -> bool:
    words = ("LOAD ", "START ", "END ", "OUTPUT(", "TARGET(", "Stats: ", "Address of section")
    return line.startswith(words) or " 0x" in line  # the latter: an address set, in any language


def is_cross_reference_heading(lines: list[str], index: int) -> bool:
    """A line, a blank one, and two words of which the second stands at byte 50."""
    if index + 2 >= len(lines) or lines[index + 1] or not lines[index]:
        return False
    header = lines[index + 2].encode(errors="surrogateescape")
    return (
        len(header) > 50
        and header[48:50] == b"  "
        and header[50:51] != b" "
        and (b"0x" not in header)
    )
