"""Damaged maps: an error, a report of what was not understood, or the right answer.

``answer`` is what a user takes from a map. A damaged map may be refused, may be told to be
incomplete or not to add up, or must give the answer of the whole one. What a map alone cannot
tell is listed where it is allowed.
"""

import random
import re
import time
from pathlib import Path

import pytest

from mapinspect.analysis.conservation import unconserved
from mapinspect.errors import InputError
from mapinspect.readers.gnu_map import read_map

LINKS = Path(__file__).parents[2] / "fixtures" / "link_cases"
VICTIMS = {
    name: (LINKS / name / "case.map").read_bytes()
    for name in ("arm_basic_gc", "arm_data_stmts", "arm_cref", "rv32_relax", "sh_stm32cube")
}
each_victim = pytest.mark.parametrize("victim", VICTIMS)

Answer = tuple[frozenset[object], tuple[object, ...], tuple[object, ...]]


def answer(content: bytes) -> Answer | None:
    """Return regions, sections and bytes per object, or None where the fault is told."""
    try:
        link_map = read_map("mutant.map", content)
    except InputError:
        return None
    if not link_map.complete or unconserved(link_map):
        return None
    regions = frozenset((r.name, r.origin, r.length, r.attributes) for r in link_map.regions)
    sections = tuple((s.name, s.vma, s.size, s.lma) for s in link_map.sections if s.size)
    owners = link_map.inputs.occupied_by_owner(range(len(link_map.sections)))
    return regions, sections, tuple(sorted((str(owner), n) for owner, n in owners.items() if n))


def joined(lines: list[bytes]) -> bytes:
    return b"\n".join(lines) + b"\n"


def is_region(line: bytes) -> bool:
    """A whole row of the memory table leaves no trace: which regions exist stands only there."""
    return re.match(rb"\S+ +0x[0-9a-f]{8} +0x[0-9a-f]{8}", line) is not None


@each_victim
def test_every_line_deleted_doubled_or_swapped(victim: str) -> None:
    whole = VICTIMS[victim]
    lines = whole.split(b"\n")[:-1]
    right = answer(whole)
    assert right is not None
    for i, line in enumerate(lines):
        if not is_region(line):
            assert answer(joined(lines[:i] + lines[i + 1 :])) in (None, right), f"{i + 1} deleted"
        assert answer(joined(lines[: i + 1] + lines[i:])) in (None, right), f"{i + 1} doubled"
        swapped = lines[:i] + lines[i : i + 2][::-1] + lines[i + 2 :]
        assert answer(joined(swapped)) in (None, right), f"{i + 1} swapped"


@each_victim
def test_every_prefix(victim: str) -> None:
    whole = VICTIMS[victim]
    right = answer(whole)
    assert right is not None
    # Orphan sections may follow ld's OUTPUT line: cut right after one, the map is whole but for
    # sections that only the ELF can miss. All before that line must be there.
    last_sure = whole.index(b"\nOUTPUT(")
    scripted = answer(whole[: whole.index(b"\n", last_sure + 1) + 1])
    # Every byte of the small ones; of the others, each line's end and every seventh byte.
    small = len(whole) < 3000
    ends = [end for end in range(len(whole)) if small or end % 7 == 0 or whole[end - 1] == 10]
    for end in ends:
        told = answer(whole[:end])
        if told in (None, right):
            continue
        assert end > last_sure
        assert whole[:end].endswith(b"\n")
        assert scripted is not None
        assert told[1][: len(scripted[1])] == scripted[1]
        assert told[1] == right[1][: len(told[1])]


@each_victim
@pytest.mark.parametrize("rubbish", [b"0xzz", b"0x", b"", b"O", b"0x0x", b"-1", b"0x1g", b"1e9"])
def test_every_number_replaced_by_rubbish(victim: str, rubbish: bytes) -> None:
    whole = VICTIMS[victim]
    right = answer(whole)
    start = whole.index(b"Memory Configuration")
    numbers = list(re.finditer(rb"(?m)^(?: ?\S*)? +0x[0-9a-f]+(?: +0x[0-9a-f]+)?", whole[start:]))
    for row in numbers:
        for number in re.finditer(rb"0x[0-9a-f]+", row[0]):
            at = start + row.start() + number.start()
            mutant = whole[:at] + rubbish + whole[at + len(number[0]) :]
            assert answer(mutant) in (None, right), mutant[at - 60 : at + 40]


# What ld merges or writes anew has no size of its own in a map; none of it is allocated.
MERGED = {b".comment", b".ARM.attributes", b".riscv.attributes", b".debug_str", b".debug_line_str"}


@each_victim
def test_every_size_and_address_of_a_section_is_checked(victim: str) -> None:
    """A valid number in the place of another: only the sums and the addresses can tell."""
    whole = VICTIMS[victim]
    right = answer(whole)
    for row in re.finditer(rb"(?m)^ ?\.\S+(?:\n {14})? +0x([0-9a-f]{8}) +0x([0-9a-f]+)", whole):
        if whole.rfind(b"Linker script and memory map", 0, row.start()) < 0:
            continue  # the list of discarded sections
        if row[0].split()[0] in MERGED:
            continue
        at, size = row.start(2), int(row[2], 16)
        mutant = whole[:at] + b"%x" % (size + 4) + whole[row.end(2) :]
        assert answer(mutant) in (None, right), row[0]
        header = not row[0].startswith(b" ")
        if header and size:
            moved = b"%08x" % (int(row[1], 16) + 0x10000)
            told = answer(whole[: row.start(1)] + moved + whole[row.end(1) :])
            assert told in (None, right) or b"load address" in whole[row.end() :].split(b"\n")[0]


@each_victim
def test_random_bytes_anywhere(victim: str) -> None:
    whole = VICTIMS[victim]
    seeded = random.Random(4)
    for _ in range(400):
        mutant = bytearray(whole)
        for _ in range(seeded.randrange(1, 5)):
            mutant[seeded.randrange(len(mutant))] = seeded.randrange(256)
        answer(bytes(mutant))  # InputError at most


@each_victim
def test_messages_in_the_middle_of_a_line(victim: str) -> None:
    whole = VICTIMS[victim]
    right = answer(whole)
    message = b"/usr/bin/ld: warning: app.elf has a LOAD segment with RWX permissions\n"
    start = whole.index(b"Linker script and memory map")
    for at in range(start, len(whole), 7):
        assert answer(whole[:at] + message + whole[at:]) in (None, right), whole[at - 40 : at + 9]


def test_paths_that_look_like_numbers() -> None:
    whole = VICTIMS["arm_basic_gc"]
    odd = whole.replace(b"main.o", b"my 0x10000000 0x40 dir/main.o")
    link_map = read_map("odd.map", odd)
    assert link_map.complete
    assert unconserved(link_map) == ()
    assert "my 0x10000000 0x40 dir/main.o" in {
        link_map.inputs[i].owner.path for i in range(len(link_map.inputs))
    }


def test_a_path_cut_short_is_no_loaded_file() -> None:
    whole = VICTIMS["arm_basic_gc"].replace(b"0x30 main.o", b"0x30 main.")
    told = read_map("cut.map", whole).unknown
    assert [line.text for line in told] == [" .text.main     0x08000128       0x30 main."]


def test_invalid_utf8_reads_losslessly() -> None:
    link_map = read_map("odd.map", VICTIMS["arm_basic_gc"].replace(b"main.o", b"m\xe9\xffin.o"))
    owner = link_map.inputs[0].owner.path, link_map.inputs[4].owner.path
    assert owner[1].encode("utf-8", "surrogateescape") == b"m\xe9\xffin.o"


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda t: t.replace(b"\n", b"\r\n"), id="CRLF"),
        pytest.param(lambda t: t.replace(b"\n", b"\r"), id="CR alone"),
        pytest.param(lambda t: b"\xef\xbb\xbf" + t, id="a byte order mark"),
        pytest.param(lambda t: t.decode().encode("utf-16"), id="UTF-16"),
    ],
)
def test_other_line_ends_and_encodings_say_the_same(change) -> None:
    whole = VICTIMS["arm_basic_gc"]
    assert answer(change(whole)) == answer(whole)


def test_two_maps_in_one_file_are_refused() -> None:
    whole = VICTIMS["arm_basic_gc"]
    with pytest.raises(InputError, match="second map"):
        read_map("two.map", whole + whole)
    with pytest.raises(InputError, match="second map"):
        read_map("two.map", VICTIMS["arm_cref"] + whole)


LONG = [b" ", b"a", b"( ", b") ", b"(", b" 0x0", b": 1 B ", b"\t", b"\xff", b"0x00000000 ", b" = "]


@pytest.mark.parametrize("unit", LONG, ids=repr)
@pytest.mark.parametrize("anchor", [b"Archive", b"*default*", b" *(.text", b"OUTPUT("])
def test_long_lines_take_linear_time(unit: bytes, anchor: bytes) -> None:
    """60 kB a line, the most that is read; a quadratic pattern takes minutes."""
    whole = VICTIMS["arm_basic_gc"]
    line = (unit * 60_000)[:60_000] + b"\n"
    at = whole.index(anchor)
    start = time.process_time()
    assert answer(whole[:at] + line * 8 + whole[at:]) is None
    assert time.process_time() - start < 5


def test_a_line_of_ten_megabytes_is_refused() -> None:
    whole = VICTIMS["arm_basic_gc"]
    with pytest.raises(InputError, match="longer than 64 KiB") as refusal:
        read_map("long.map", whole + b"x" * 10_000_000)
    assert refusal.value.line == whole.count(b"\n") + 1


def test_a_million_lines_in_one_section() -> None:
    rows = b"".join(
        b" .text.func%06x\n                0x%08x        0x4 main.o\n" % (i, 0x08000000 + 4 * i)
        for i in range(500_000)
    )
    head = (
        b"Memory Configuration\n\n"
        b"Name             Origin             Length             Attributes\n"
        b"*default*        0x00000000         0xffffffff\n\n"
        b"Linker script and memory map\n\nLOAD main.o\n\n"
        b".text           0x08000000   0x%x\n" % (500_000 * 4)
    )
    content = head + rows + b"OUTPUT(a.elf elf32-littlearm)\n"
    start = time.process_time()
    link_map = read_map("long.map", content)
    assert unconserved(link_map) == ()
    assert time.process_time() - start < 20
    assert link_map.line_count == content.count(b"\n")
    assert link_map.inputs[499_999].line == content.count(b"\n") - 2
    assert link_map.complete


def test_a_million_unknown_lines_are_given_up() -> None:
    whole = VICTIMS["arm_basic_gc"]
    at = whole.index(b" *(.text")
    with pytest.raises(InputError):
        read_map("odd.map", whole[:at] + b"rubbish\n" * 1_000_000 + whole[at:])
